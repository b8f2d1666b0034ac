"""What is wrong with a call is said in one line, in the words of its arguments."""

import re

import pytest

import ktour
from ktour import Board, Index, Tour


@pytest.mark.parametrize(
    "words, call",
    [
        ("count 3x", lambda: ktour.count("3x")),
        ("count 6x6 --start z9", lambda: ktour.count("6x6", start="z9")),
        ("count 6x6 --kind closed --end a1", lambda: ktour.count("6x6", "closed", end="a1")),
        ("count 4x4 --remove e5", lambda: ktour.Board("4x4", remove="e5")),
        ("count 3x3x3 --wrap cols", lambda: ktour.Board("3x3x3", wrap="cols")),
        ("find 4x4 --kind closed", lambda: ktour.find("4x4", "closed")),
        ("list 12x12", lambda: ktour.tours("12x12")),
        ("unrank 5x6 --kind closed 8", lambda: ktour.unrank("5x6", 8, "closed")),
        ("unrank 5x6 --kind open 8", lambda: ktour.unrank("5x6", 8, "open")),
        ("count 12x12", lambda: ktour.count("12x12")),
        ("count 8x8 --kind paths --engine backtrack --threads 1",
         lambda: ktour.count("8x8", "paths", engine="backtrack", threads=1)),
        ("count 10x10 --kind closed --engine multipath", lambda: ktour.count("10x10", "closed", engine="multipath")),
        ("sample 12x12", lambda: ktour.sample("12x12")),
        ("series 5x9..3", lambda: ktour.series("5x9..3")),
    ],
)
def test_errors_are_the_line_of_the_program(program, words, call):
    _, line = program(*words.split())
    with pytest.raises((ktour.Error, IndexError)) as caught:
        call()
    own = str(caught.value)
    assert "\n" not in own
    # What is wrong; which option helps is written as a keyword.
    assert clause(re.sub(r"invalid value '.*' for '.*': ", "", line)) == clause(own)


def clause(line):
    """What is wrong, without what helps; options and keywords alike."""
    return re.split(r": (?!square)", line.replace("--", "").replace("=", " ").replace("BOARD", "board"))[0].strip()


def test_kinds_of_errors():
    assert issubclass(ktour.UsageError, ValueError) and issubclass(ktour.OutOfMemory, MemoryError)
    for one in [ktour.UsageError, ktour.OutOfMemory, ktour.TooLong, ktour.NoTour, ktour.GaveUp, ktour.Stopped]:
        assert issubclass(one, ktour.Error)


class Nodes:
    """Nearly a graph."""

    def __init__(self, nodes, edges):
        self.nodes, self.edges = nodes, edges


@pytest.fixture(scope="module")
def index():
    return Index("5x6", "closed")


TOUR = ktour.find("5x6", "closed")
GRAPH = Board.from_networkx(Nodes([1, 2, 3], [(1, 2), (2, 3), (1, 3)]))

WRONG = [
    # Boards.
    (lambda: Board(3.5), TypeError, "a board takes text"),
    (lambda: Board(None), TypeError, "a board takes text"),
    (lambda: Board(True), TypeError, "a board takes text"),
    (lambda: Board([5, 5, 5, 5]), TypeError, "two or three sides"),
    (lambda: Board((5, "6")), TypeError, "two or three sides"),
    (lambda: Board(-3), ktour.UsageError, "-3"),
    (lambda: Board((5, 10**30)), ktour.UsageError, "10000"),
    (lambda: Board("5x5", remove=[0]), TypeError, "remove= takes names of squares"),
    (lambda: Board("5x5", remove=3), TypeError, "remove= takes names of squares"),
    (lambda: Board("5x5", remove="z9"), ktour.UsageError, "remove: square z9"),
    (lambda: Board("5x5", piece=3), TypeError, "piece= takes text, not 3"),
    (lambda: Board("5x5", piece="pawn"), ktour.UsageError, "pawn"),
    (lambda: Board("5x5", leaper="ab"), TypeError, "leaper= takes two numbers"),
    (lambda: Board("5x5", leaper=(1, -2)), TypeError, "leaper= takes two numbers"),
    (lambda: Board("5x5", leaper=[]), ktour.UsageError, "leaper=\\[\\] has no move"),
    (lambda: Board("5x5", wrap=1), TypeError, "wrap= takes text"),
    (lambda: Board("5x5", wrap="ball"), ktour.UsageError, "wrap: .*ball"),
    (lambda: Board.from_shape(3), TypeError, "from_shape takes text"),
    (lambda: Board.from_graph(b"a b"), TypeError, "from_graph takes text"),
    (lambda: Board.from_networkx(3), TypeError, "from_networkx takes a graph with `nodes` and `edges`"),
    (lambda: Board.from_networkx(Nodes(3, [])), TypeError, "from_networkx takes a graph"),
    (lambda: Board.from_networkx(Nodes([1], [(1, 2)])), ktour.UsageError, "an edge ends at 2"),
    (lambda: Board.from_networkx(Nodes([1], [1])), TypeError, "an edge takes two nodes"),
    (lambda: Board("5x5")["a1"], TypeError, "a place takes a whole number or a slice"),
    (lambda: Board("5x5")[25], IndexError, "no square 25 of 25"),
    (lambda: Board("5x5")[10**30], IndexError, "no square"),
    (lambda: Board("5x5").index("z9"), ktour.UsageError, "z9"),
    (lambda: Board("5x5").index(3), TypeError, "index takes squares of the board"),
    (lambda: Board("5x5").index("e5", 0, 3), ValueError, "not between"),
    (lambda: Board("5x5").neighbours(0), TypeError, "neighbours takes squares"),
    # Ends.
    (lambda: ktour.count("5x5", "paths", start=0), TypeError, "start= takes squares of the board .*, not 0"),
    (lambda: ktour.count("5x5", "paths", end="z9"), ktour.UsageError, "end= takes squares"),
    (lambda: ktour.count(GRAPH, "paths", start=7), ktour.UsageError, "the graph has no node 7: start= takes nodes"),
    (lambda: ktour.count(GRAPH, "paths", start=[]), ktour.UsageError, "no node"),
    (lambda: ktour.count(Board.from_graph("a b"), start=1), TypeError, "vertices of the graph by name"),
    # Words and flags.
    (lambda: ktour.count("5x5", "knots"), ktour.UsageError, 'kind=.knots. is none: take "closed", "open" or "paths"'),
    (lambda: ktour.count("5x5", 3), TypeError, "kind= takes"),
    (lambda: ktour.tours("5x5", None), TypeError, "kind= takes"),
    (lambda: ktour.count("5x5", engine="fast"), ktour.UsageError, "engine="),
    (lambda: ktour.count("5x5", distinct="yes"), TypeError, "distinct= takes True or False"),
    (lambda: ktour.count("5x5", per_start=1), TypeError, "per_start= takes True or False"),
    (lambda: ktour.count("5x5", force=1), TypeError, "force= takes True or False"),
    (lambda: ktour.tours("5x5", directed="no"), TypeError, "directed= takes True or False"),
    (lambda: ktour.count("6x6", "closed", symmetry="none"), ktour.UsageError, "symmetry="),
    (lambda: ktour.count("6x6", "closed", symmetry=4), TypeError, "symmetry= takes"),
    (lambda: ktour.find("5x5", rule="luck"), ktour.UsageError, "rule="),
    (lambda: ktour.count("5x5", progress=3), ktour.UsageError, "progress="),
    (lambda: ktour.tours("5x5", moves=3), TypeError, "moves= takes text"),
    (lambda: ktour.tours("5x5", moves="up"), ktour.UsageError, "moves: "),
    (lambda: ktour.series(5), TypeError, "boards= takes text"),
    (lambda: ktour.series("5x5"), ktour.UsageError, "range of boards"),
    (lambda: ktour.series(["5x5", 5]), TypeError, "boards= takes text such as"),
    (lambda: ktour.series([]), ktour.UsageError, "boards= has no board"),
    (lambda: ktour.series("5x5..6", modulus=1), ktour.UsageError, "modulus=1 is none"),
    (lambda: ktour.series("5x5..6", modulus=7, distinct=True), ktour.UsageError, "modulus= is for the numbers of all"),
    (lambda: ktour.count("5x5", modulus=7, directed=True), ktour.UsageError, "modulus= is for the numbers of all"),
    (lambda: ktour.count("5x5", modulus=7, engine="multipath"), ktour.UsageError, "modulus= is for sweeps"),
    (lambda: ktour.series("5x5..6", distinct=True, directed=True), ktour.UsageError, "distinct= does not go with directed="),
    (lambda: ktour.series("5x5..6", "paths", symmetry="eulerian"), ktour.UsageError, "symmetry=.eulerian. tells"),
    (lambda: ktour.series("5x5..6", directed="no"), TypeError, "directed= takes True or False"),
    (lambda: ktour.recurrence("3x4..9", directed=1), TypeError, "directed= takes True or False"),
    (lambda: ktour.recurrence(5), TypeError, "boards= takes a line"),
    (lambda: ktour.recurrence([1, -1]), ktour.UsageError, "terms are 0 or more, not -1"),
    (lambda: ktour.recurrence([1, 1.5]), TypeError, "a term takes a whole number, not 1.5"),
    (lambda: ktour.count("5x5", checkpoint=3), TypeError, "checkpoint= takes a path"),
    (lambda: ktour.count("5x5", checkpoint=""), ktour.UsageError, "checkpoint="),
    # Numbers.
    (lambda: ktour.find("5x5", seed=-1), ktour.UsageError, "seed=-1 is none"),
    (lambda: ktour.find("5x5", seed=2**64), ktour.UsageError, "seed="),
    (lambda: ktour.find("5x5", seed=True), TypeError, "seed= takes a whole number, not True"),
    (lambda: ktour.find("5x5", seed=1.0), TypeError, "seed= takes a whole number"),
    (lambda: ktour.find("5x5", attempts=0), ktour.UsageError, "attempts=0 is none"),
    (lambda: ktour.count("5x5", threads=0), ktour.UsageError, "threads=0 is none: it takes numbers from 1 to 1024"),
    (lambda: ktour.count("5x5", threads=-1), ktour.UsageError, "threads="),
    (lambda: ktour.count("5x5", threads="all"), TypeError, "threads= takes a whole number"),
    (lambda: ktour.estimate("5x5", probes=1), ktour.UsageError, "probes=1 is none"),
    (lambda: ktour.tours("5x5", limit=-1), ktour.UsageError, "limit=-1 is none"),
    (lambda: ktour.recurrence("3x4..9", order=0), ktour.UsageError, "order=0 is none"),
    (lambda: ktour.count("5x5", memory=-1), ktour.UsageError, "memory=-1 is none"),
    (lambda: ktour.count("5x5", memory=True), TypeError, "memory= takes a number of bytes"),
    (lambda: ktour.count("5x5", memory="lots"), ktour.UsageError, "memory: `lots`"),
    # Tours.
    (lambda: Tour("5x5", 3), TypeError, "squares= takes squares one after the other"),
    (lambda: Tour("5x5", [1, 2]), TypeError, "a tour takes squares of the board"),
    (lambda: Tour("5x5", "a1 b2"), ktour.UsageError, "a1 to b2, is not a move"),
    (lambda: Tour("5x5", [], closed="no"), TypeError, "closed= takes True or False"),
    (lambda: TOUR["a1"], TypeError, "a place takes"),
    (lambda: TOUR[30], IndexError, "no square 30 of 30"),
    (lambda: TOUR.index("a1", 5), ValueError, "not between"),
    (lambda: TOUR.index("z9"), ValueError, "z9"),
    (lambda: TOUR.svg(palette="pink"), ktour.UsageError, "palette="),
    (lambda: TOUR.svg(cell="big"), TypeError, "cell= takes a number"),
    (lambda: TOUR.svg(cell=float("nan")), ktour.UsageError, "cell= takes"),
    (lambda: TOUR.svg(numbers=3), TypeError, "numbers= takes True or False"),
    (lambda: ktour.sheet([]), ktour.UsageError, "a sheet takes a tour at least"),
    (lambda: ktour.sheet(3), TypeError, "a sheet takes tours, not 3"),
    (lambda: ktour.sheet([3]), TypeError, "a sheet takes tours, not 3"),
    (lambda: ktour.sheet([TOUR], columns=0), ktour.UsageError, "columns=0 is none"),
    # Numbered tours.
    (lambda: ktour.rank("str"), TypeError, "rank takes a Tour, or several"),
    (lambda: ktour.rank([3]), TypeError, "rank takes a Tour, or several"),
    (lambda: ktour.rank(None), TypeError, "rank takes a Tour, or several"),
    (lambda: ktour.unrank("5x6", -1, "closed"), IndexError, "there is no tour -1"),
    (lambda: ktour.unrank("5x6", "3", "closed"), TypeError, "numbers takes the number of a tour"),
    (lambda: ktour.sample("5x6", -1, "closed"), ktour.UsageError, "number=-1 is none"),
    (lambda: ktour.sample("5x6", 10**12, "closed"), ktour.OutOfMemory, "ask for fewer at a time"),
    (lambda: ktour.Index("5x6", "closed", folder=3), TypeError, "folder= takes a path"),
    (lambda: ktour.Index("5x6", "closed", folder="no/such/folder"), ktour.UsageError, "there is no folder no/such"),
]


@pytest.mark.parametrize("call, kind, line", WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_a_wrong_argument_is_named_in_one_line(call, kind, line):
    with pytest.raises(kind, match=line) as caught:
        call()
    own = str(caught.value)
    assert "\n" not in own and own and "--" not in own
    assert type(caught.value) in (TypeError, ValueError, IndexError) or isinstance(caught.value, ktour.Error)


def test_an_index_says_what_it_takes(index):
    for bad in ["a", 1.5, None, True]:
        with pytest.raises(TypeError, match="an index takes the number of a tour, or a slice"):
            index[bad]
    for bad in [8, -9, 10**30, -(10**30)]:
        with pytest.raises(IndexError, match="there is no tour"):
            index[bad]
    for bad in [3, "a1", [3], [TOUR, "a1"]]:
        with pytest.raises(TypeError, match="rank takes a Tour, or several"):
            index.rank(bad)
    with pytest.raises(TypeError, match="a whole number|the number of a tour"):
        index.unrank([1, "2"])
    with pytest.raises(ktour.OutOfMemory, match="ask for fewer at a time"):
        index.unrank(range(10**13))


def test_numbers_of_numpy_are_numbers(index):
    numpy = pytest.importorskip("numpy")
    three = numpy.int64(3)
    assert index[three] == index[3] == index.unrank(three) and Board((three, numpy.uint8(4))) == Board("3x4")
    assert index.unrank(numpy.arange(3)) == index[:3] and index.unrank(numpy.array(3)) == index[3]
    assert ktour.find("8x8", seed=three) == ktour.find("8x8", seed=3)
    assert ktour.count("5x5", "paths", distinct=numpy.True_, threads=numpy.int32(1)) == 112
    assert Board("3x4")[three] == Board("3x4")[3] and TOUR[three] == TOUR[3]
    assert ktour.recurrence(numpy.array([1, 1, 2, 3, 5, 8, 13, 21])).coefficients == [1, 1]
    with pytest.raises(TypeError, match="not"):
        ktour.find("8x8", seed=numpy.bool_(True))


REFUSED = [
    (lambda **how: ktour.count("12x12", "closed", **how), ktour.TooLong),
    (lambda **how: ktour.count("10x10", "closed", engine="multipath", **how), ktour.TooLong),
    (lambda **how: ktour.count("8x8", "paths", engine="backtrack", threads=1, **how), ktour.TooLong),
    (lambda **how: ktour.count("9x9", "paths", memory="8M", **how), ktour.OutOfMemory),
    (lambda **how: ktour.count("13x13", "paths", engine="frontier", **how), ktour.TooLong),
    (lambda **how: ktour.count("14x14", "closed", symmetry="rot180", **how), ktour.Error),
    (lambda **how: ktour.classes("12x12", **how), ktour.TooLong),
    (lambda **how: ktour.series("13x13..14", "closed", **how), ktour.TooLong),
    (lambda **how: ktour.series("12x11..12", "closed", wrap="torus", **how), ktour.TooLong),
    (lambda **how: ktour.Index("9x9", memory="100M", **how), ktour.OutOfMemory),
    (lambda **how: ktour.sample("9x9", memory="100M", **how), ktour.OutOfMemory),
]


class Begun(Exception):
    """It was not refused."""


def stop(reading):
    raise Begun


@pytest.mark.parametrize("call, kind", REFUSED, ids=[str(number) for number in range(len(REFUSED))])
def test_what_takes_years_or_does_not_fit_is_refused_unless_forced(call, kind):
    with pytest.raises(kind, match="force=True begins all the same"):
        call()
    with pytest.raises(Begun):
        call(force=True, progress=stop)
