"""Errors: every message is one line that names the argument, the value or the remedy."""

import pytest

import ktour
from ktour import Board, Index, Tour


@pytest.mark.parametrize(
    "names, words, call",
    [
        ("3x", "count 3x", lambda: ktour.count("3x")),
        ("z9", "count 6x6 --start z9", lambda: ktour.count("6x6", start="z9")),
        ("end", "count 6x6 --kind closed --end a1", lambda: ktour.count("6x6", "closed", end="a1")),
        ("e5 4x4", "count 4x4 --remove e5", lambda: ktour.Board("4x4", remove="e5")),
        ("wrap 3x3x3", "count 3x3x3 --wrap cols", lambda: ktour.Board("3x3x3", wrap="cols")),
        ("4x4 closed", "find 4x4 --kind closed", lambda: ktour.find("4x4", "closed")),
        ("144", "list 12x12", lambda: ktour.tours("12x12")),
        ("8", "unrank 5x6 --kind closed 8", lambda: ktour.unrank("5x6", 8, "closed")),
        ("open", "unrank 5x6 --kind open 8", lambda: ktour.unrank("5x6", 8, "open")),
        ("12x12 force", "count 12x12", lambda: ktour.count("12x12")),
        ("8x8 paths backtrack", "count 8x8 --kind paths --engine backtrack --threads 1",
         lambda: ktour.count("8x8", "paths", engine="backtrack", threads=1)),
        ("10x10 closed", "count 10x10 --kind closed --engine multipath",
         lambda: ktour.count("10x10", "closed", engine="multipath")),
        ("25 index", "sample 12x12", lambda: ktour.sample("12x12")),
        ("9..3 3..9", "series 5x9..3", lambda: ktour.series("5x9..3")),
    ],
)
def test_errors_name_the_same_things_as_those_of_the_program(program, names, words, call):
    _, printed = program(*words.split())
    with pytest.raises((ktour.Error, IndexError)) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message and "--" not in message
    for name in names.split():
        assert name in printed and name in message


def test_exceptions_have_the_expected_parents():
    assert issubclass(ktour.UsageError, ValueError) and issubclass(ktour.OutOfMemory, MemoryError)
    for error in [ktour.UsageError, ktour.OutOfMemory, ktour.TooLong, ktour.NoTour, ktour.GaveUp, ktour.Stopped]:
        assert issubclass(error, ktour.Error)


class GraphLike:
    """An object with nodes and edges, which need not be a valid graph."""

    def __init__(self, nodes, edges):
        self.nodes, self.edges = nodes, edges


@pytest.fixture(scope="module")
def index():
    return Index("5x6", "closed")


TOUR = ktour.find("5x6", "closed")
GRAPH = Board.from_networkx(GraphLike([1, 2, 3], [(1, 2), (2, 3), (1, 3)]))

WRONG = [
    # Boards.
    (lambda: Board(3.5), TypeError, r"a board .*not 3\.5"),
    (lambda: Board(None), TypeError, "a board .*not None"),
    (lambda: Board(True), TypeError, "a board .*not True"),
    (lambda: Board([5, 5, 5, 5]), TypeError, "a board .*sides.*5"),
    (lambda: Board((5, "6")), TypeError, "a board .*sides.*5"),
    (lambda: Board(-3), ktour.UsageError, "-3"),
    (lambda: Board((5, 10**30)), ktour.UsageError, "10000"),
    (lambda: Board("5x5", remove=[0]), TypeError, "remove= .*squares.*0"),
    (lambda: Board("5x5", remove=3), TypeError, "remove= .*squares.*3"),
    (lambda: Board("5x5", remove="z9"), ktour.UsageError, "remove.*z9"),
    (lambda: Board("5x5", piece=3), TypeError, "piece= .*text.*3"),
    (lambda: Board("5x5", piece="pawn"), ktour.UsageError, "pawn"),
    (lambda: Board("5x5", leaper="ab"), TypeError, "leaper= .*ab"),
    (lambda: Board("5x5", leaper=(1, -2)), TypeError, "leaper= .*-2"),
    (lambda: Board("5x5", leaper=[]), ktour.UsageError, "leaper="),
    (lambda: Board("5x5", wrap=1), TypeError, "wrap= .*text.*1"),
    (lambda: Board("5x5", wrap="ball"), ktour.UsageError, "wrap.*ball"),
    (lambda: Board.from_shape(3), TypeError, "from_shape .*text.*3"),
    (lambda: Board.from_graph(b"a b"), TypeError, "from_graph .*text"),
    (lambda: Board.from_networkx(3), TypeError, "from_networkx .*nodes.*edges.*3"),
    (lambda: Board.from_networkx(GraphLike(3, [])), TypeError, "from_networkx .*nodes.*edges"),
    (lambda: Board.from_networkx(GraphLike([1], [(1, 2)])), ktour.UsageError, "edge.*2"),
    (lambda: Board.from_networkx(GraphLike([1], [1])), TypeError, "edge.*two nodes.*1"),
    (lambda: Board("5x5")["a1"], TypeError, "index .*whole number or a slice.*a1"),
    (lambda: Board("5x5")[25], IndexError, "25.*25"),
    (lambda: Board("5x5")[10**30], IndexError, "1" + "0" * 30),
    (lambda: Board("5x5").index("z9"), ktour.UsageError, "z9"),
    (lambda: Board("5x5").index(3), TypeError, "index .*squares.*3"),
    (lambda: Board("5x5").index("e5", 0, 3), ValueError, "e5"),
    (lambda: Board("5x5").neighbours(0), TypeError, "neighbours .*squares.*0"),
    # Ends.
    (lambda: ktour.count("5x5", "paths", start=0), TypeError, "start= .*squares.*0"),
    (lambda: ktour.count("5x5", "paths", end="z9"), ktour.UsageError, "end=.*z9"),
    (lambda: ktour.count(GRAPH, "paths", start=7), ktour.UsageError, "7.*start=.*nodes"),
    (lambda: ktour.count(GRAPH, "paths", start=[]), ktour.UsageError, r"\[\].*start="),
    (lambda: ktour.count(Board.from_graph("a b"), start=1), TypeError, "start= .*vertices.*1"),
    # Words and flags.
    (lambda: ktour.count("5x5", "knots"), ktour.UsageError, 'kind=.knots..*"closed", "open" or "paths"'),
    (lambda: ktour.count("5x5", 3), TypeError, "kind= "),
    (lambda: ktour.tours("5x5", None), TypeError, "kind= "),
    (lambda: ktour.count("5x5", engine="fast"), ktour.UsageError, "engine=.fast..*multipath"),
    (lambda: ktour.count("5x5", distinct="yes"), TypeError, "distinct= .*True or False"),
    (lambda: ktour.count("5x5", per_start=1), TypeError, "per_start= .*True or False"),
    (lambda: ktour.count("5x5", force=1), TypeError, "force= .*True or False"),
    (lambda: ktour.tours("5x5", directed="no"), TypeError, "directed= .*True or False"),
    (lambda: ktour.count("6x6", "closed", symmetry="none"), ktour.UsageError, "symmetry=.none..*rot180"),
    (lambda: ktour.count("6x6", "closed", symmetry=4), TypeError, "symmetry= .*4"),
    (lambda: ktour.find("5x5", rule="luck"), ktour.UsageError, "rule=.luck..*warnsdorff"),
    (lambda: ktour.count("5x5", progress=3), ktour.UsageError, "progress="),
    (lambda: ktour.tours("5x5", moves=3), TypeError, "moves= .*text.*3"),
    (lambda: ktour.tours("5x5", moves="up"), ktour.UsageError, "moves.*up"),
    (lambda: ktour.series(5), TypeError, "boards= .*5"),
    (lambda: ktour.series("5x5"), ktour.UsageError, "5x5.*range"),
    (lambda: ktour.series(["5x5", 5]), TypeError, "boards= .*5"),
    (lambda: ktour.series([]), ktour.UsageError, "boards="),
    (lambda: ktour.series("5x5..6", modulus=1), ktour.UsageError, "modulus=1"),
    (lambda: ktour.series("5x5..6", modulus=7, distinct=True), ktour.UsageError, "modulus=.*distinct="),
    (lambda: ktour.count("5x5", modulus=7, directed=True), ktour.UsageError, "modulus=.*directed="),
    (lambda: ktour.count("5x5", modulus=7, engine="multipath"), ktour.UsageError, "modulus=.*engine="),
    (lambda: ktour.series("5x5..6", distinct=True, directed=True), ktour.UsageError, "distinct=.*directed="),
    (lambda: ktour.series("5x5..6", "paths", symmetry="eulerian"), ktour.UsageError, "symmetry=.eulerian..*closed"),
    (lambda: ktour.series("5x5..6", directed="no"), TypeError, "directed= .*True or False"),
    (lambda: ktour.recurrence("3x4..9", directed=1), TypeError, "directed= .*True or False"),
    (lambda: ktour.recurrence(5), TypeError, "boards= .*5"),
    (lambda: ktour.recurrence([1, -1]), ktour.UsageError, "term.*-1"),
    (lambda: ktour.recurrence([1, 1.5]), TypeError, r"term.*whole number.*1\.5"),
    (lambda: ktour.count("5x5", checkpoint=3), TypeError, "checkpoint= .*path.*3"),
    (lambda: ktour.count("5x5", checkpoint=""), ktour.UsageError, "checkpoint="),
    # Numbers.
    (lambda: ktour.find("5x5", seed=-1), ktour.UsageError, "seed=-1"),
    (lambda: ktour.find("5x5", seed=2**64), ktour.UsageError, f"seed={2**64}"),
    (lambda: ktour.find("5x5", seed=True), TypeError, "seed= .*whole number.*True"),
    (lambda: ktour.find("5x5", seed=1.0), TypeError, "seed= .*whole number"),
    (lambda: ktour.find("5x5", attempts=0), ktour.UsageError, "attempts=0"),
    (lambda: ktour.count("5x5", threads=0), ktour.UsageError, "threads=0.*1 to 1024"),
    (lambda: ktour.count("5x5", threads=-1), ktour.UsageError, "threads=-1"),
    (lambda: ktour.count("5x5", threads="all"), TypeError, "threads= .*whole number.*all"),
    (lambda: ktour.estimate("5x5", probes=1), ktour.UsageError, "probes=1"),
    (lambda: ktour.tours("5x5", limit=-1), ktour.UsageError, "limit=-1"),
    (lambda: ktour.recurrence("3x4..9", order=0), ktour.UsageError, "order=0"),
    (lambda: ktour.count("5x5", memory=-1), ktour.UsageError, "memory=-1"),
    (lambda: ktour.count("5x5", memory=True), TypeError, "memory= .*bytes.*True"),
    (lambda: ktour.count("5x5", memory="lots"), ktour.UsageError, "memory.*lots"),
    # Tours.
    (lambda: Tour("5x5", 3), TypeError, "squares= .*3"),
    (lambda: Tour("5x5", [1, 2]), TypeError, "a tour .*squares.*1"),
    (lambda: Tour("5x5", "a1 b2"), ktour.UsageError, "a1.*b2"),
    (lambda: Tour("5x5", [], closed="no"), TypeError, "closed= .*True or False"),
    (lambda: TOUR["a1"], TypeError, "index .*a1"),
    (lambda: TOUR[30], IndexError, "30.*30"),
    (lambda: TOUR.index("a1", 5), ValueError, "a1"),
    (lambda: TOUR.index("z9"), ValueError, "z9"),
    (lambda: TOUR.svg(palette="pink"), ktour.UsageError, "palette=.pink..*wood"),
    (lambda: TOUR.svg(cell="big"), TypeError, "cell= .*number.*big"),
    (lambda: TOUR.svg(cell=float("nan")), ktour.UsageError, "cell="),
    (lambda: TOUR.svg(numbers=3), TypeError, "numbers= .*True or False"),
    (lambda: ktour.sheet([]), ktour.UsageError, "sheet"),
    (lambda: ktour.sheet(3), TypeError, "sheet .*tours.*3"),
    (lambda: ktour.sheet([3]), TypeError, "sheet .*tours.*3"),
    (lambda: ktour.sheet([TOUR], columns=0), ktour.UsageError, "columns=0"),
    # Numbered tours.
    (lambda: ktour.rank("str"), TypeError, "rank .*Tour.*str"),
    (lambda: ktour.rank([3]), TypeError, "rank .*Tour.*3"),
    (lambda: ktour.rank(None), TypeError, "rank .*Tour.*None"),
    (lambda: ktour.unrank("5x6", -1, "closed"), IndexError, "-1"),
    (lambda: ktour.unrank("5x6", "3", "closed"), TypeError, "numbers .*3"),
    (lambda: ktour.sample("5x6", -1, "closed"), ktour.UsageError, "number=-1"),
    (lambda: ktour.sample("5x6", 10**12, "closed"), ktour.OutOfMemory, str(10**12)),
    (lambda: ktour.Index("5x6", "closed", folder=3), TypeError, "folder= .*path.*3"),
    (lambda: ktour.Index("5x6", "closed", folder="no/such/folder"), ktour.UsageError, "folder.*no/such"),
]


@pytest.mark.parametrize("call, kind, line", WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_errors_name_the_argument_in_one_line(call, kind, line):
    with pytest.raises(kind, match=line) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message and message and "--" not in message
    assert type(caught.value) in (TypeError, ValueError, IndexError) or isinstance(caught.value, ktour.Error)


def test_index_rejects_invalid_arguments(index):
    for bad in ["a", 1.5, None, True]:
        with pytest.raises(TypeError, match="index .*number of a tour, or a slice"):
            index[bad]
    for bad in [8, -9, 10**30, -(10**30)]:
        with pytest.raises(IndexError, match=str(bad)):
            index[bad]
    for bad in [3, "a1", [3], [TOUR, "a1"]]:
        with pytest.raises(TypeError, match="rank .*Tour"):
            index.rank(bad)
    with pytest.raises(TypeError, match="a whole number|the number of a tour"):
        index.unrank([1, "2"])
    with pytest.raises(ktour.OutOfMemory, match=str(10**13)):
        index.unrank(range(10**13))


def test_numpy_integers_are_accepted(index):
    numpy = pytest.importorskip("numpy")
    three = numpy.int64(3)
    assert index[three] == index[3] == index.unrank(three) and Board((three, numpy.uint8(4))) == Board("3x4")
    assert index.unrank(numpy.arange(3)) == index[:3] and index.unrank(numpy.array(3)) == index[3]
    assert ktour.find("8x8", seed=three) == ktour.find("8x8", seed=3)
    assert ktour.count("5x5", "paths", distinct=numpy.True_, threads=numpy.int32(1)) == 112
    assert Board("3x4")[three] == Board("3x4")[3] and TOUR[three] == TOUR[3]
    assert ktour.recurrence(numpy.array([1, 1, 2, 3, 5, 8, 13, 21])).coefficients == [1, 1]
    with pytest.raises(TypeError, match="seed= .*whole number"):
        ktour.find("8x8", seed=numpy.bool_(True))


REFUSED = [
    (lambda **options: ktour.count("12x12", "closed", **options), ktour.TooLong),
    (lambda **options: ktour.count("10x10", "closed", engine="multipath", **options), ktour.TooLong),
    (lambda **options: ktour.count("8x8", "paths", engine="backtrack", threads=1, **options), ktour.TooLong),
    (lambda **options: ktour.count("9x9", "paths", memory="8M", **options), ktour.OutOfMemory),
    (lambda **options: ktour.count("13x13", "paths", engine="frontier", **options), ktour.TooLong),
    (lambda **options: ktour.count("14x14", "closed", symmetry="rot180", **options), ktour.Error),
    (lambda **options: ktour.classes("12x12", **options), ktour.TooLong),
    (lambda **options: ktour.series("13x13..14", "closed", **options), ktour.TooLong),
    (lambda **options: ktour.series("12x11..12", "closed", wrap="torus", **options), ktour.TooLong),
    (lambda **options: ktour.Index("9x9", memory="100M", **options), ktour.OutOfMemory),
    (lambda **options: ktour.sample("9x9", memory="100M", **options), ktour.OutOfMemory),
]


class Started(Exception):
    """The run passed the admission check."""


def stop(reading):
    raise Started


@pytest.mark.parametrize("call, kind", REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_runs_beyond_a_year_or_memory_start_only_with_force(call, kind):
    with pytest.raises(kind, match="force=True"):
        call()
    with pytest.raises(Started):
        call(force=True, progress=stop)
