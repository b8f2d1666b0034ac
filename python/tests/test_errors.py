"""Errors: every message is one line that names the argument, the value or the remedy."""

import copy
import errno
import pathlib
import pickle
import re

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
        ("8", "unrank 5x6 --kind closed 8", lambda: ktour.unrank("5x6", "closed", numbers=8)),
        ("open", "unrank 5x6 --kind open 8", lambda: ktour.unrank("5x6", "open", numbers=8)),
        ("12x12 force", "count 12x12", lambda: ktour.count("12x12")),
        ("8x8 paths", "count 8x8 --kind paths --engine backtrack --threads 1",
         lambda: ktour.count("8x8", "paths", engine="backtrack", threads=1)),
        ("10x10 closed", "count 10x10 --kind closed --engine multipath",
         lambda: ktour.count("10x10", "closed", engine="multipath")),
        ("25 index", "sample 12x12", lambda: ktour.sample("12x12")),
        ("9..3 3..9", "series 5x9..3", lambda: ktour.series("5x9..3")),
    ],
)
def test_errors_name_the_same_things_as_those_of_the_program(program, names, words, call):
    _, printed = program(*words.split())
    with pytest.raises((ktour.KtourError, IndexError)) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message and "--" not in message
    for name in names.split():
        assert name in printed and name in message


def test_exceptions_have_the_expected_parents():
    for name, parent in [
        ("InvalidInputError", ValueError),
        ("OutOfMemoryError", MemoryError),
        ("TooLongError", Exception),
        ("NoTourError", LookupError),
        ("GaveUpError", Exception),
        ("StoppedError", Exception),
        ("FileError", OSError),
    ]:
        error = getattr(ktour, name)
        assert issubclass(error, ktour.KtourError) and issubclass(error, parent)
        assert (error.__module__, error.__name__) == ("ktour", name)


def test_file_errors_have_the_number_of_the_system(tmp_path):
    for call, number in [
        (lambda: ktour.read_tours(tmp_path / "missing"), errno.ENOENT),
        (lambda: ktour.read_tours(tmp_path), errno.EISDIR),
        (lambda: ktour.count("5x6", "closed", checkpoint=tmp_path / "missing" / "run"), errno.ENOENT),
        (lambda: ktour.Index("5x6", "closed", folder=tmp_path / "missing" / "index"), errno.ENOENT),
        (lambda: ktour.count("5x6", "closed", checkpoint=tmp_path), None),
        (lambda: TOUR.save(tmp_path / "missing" / "tour.svg"), errno.ENOENT),
        (lambda: TOUR.svg().save(tmp_path), errno.EISDIR),
    ]:
        with pytest.raises(ktour.FileError, match="cannot|folder|file") as caught:
            call()
        error = caught.value
        assert error.errno == number and str(error.filename).startswith(str(tmp_path))
        for same in [pickle.loads(pickle.dumps(error)), copy.copy(error)]:
            assert type(same) is ktour.FileError and str(same) == str(error)
            assert (same.errno, same.filename) == (error.errno, error.filename)


def test_files_that_cannot_be_used_are_os_errors(tmp_path):
    other = tmp_path / "other"
    other.write_text("import ktour\n")
    for call in [
        lambda: ktour.count("5x6", "closed", checkpoint=tmp_path / "missing" / "run"),
        lambda: ktour.count("5x6", "closed", checkpoint=other),
        lambda: ktour.count("5x6", "closed", checkpoint=tmp_path),
        lambda: ktour.Index("5x6", "closed", folder=other / "index"),
        lambda: ktour.read_tours(tmp_path / "missing"),
        lambda: ktour.read_tours(tmp_path),
    ]:
        with pytest.raises(OSError) as caught:
            call()
        assert isinstance(caught.value, ktour.FileError) and str(tmp_path) in str(caught.value)
        assert str(caught.value.filename).startswith(str(tmp_path))
    assert other.read_text() == "import ktour\n"


class GraphLike:
    """An object with nodes and edges, which need not be a valid graph."""

    def __init__(self, nodes, edges):
        self.nodes, self.edges = nodes, edges


class Lines:
    """An object whose repr has two lines, such as an array."""

    def __repr__(self):
        return "two\nlines"


@pytest.fixture(scope="module")
def index():
    return Index("5x6", "closed")


TOUR = ktour.find("5x6", "closed")
GRAPH = Board.from_networkx(GraphLike([1, 2, 3], [(1, 2), (2, 3), (1, 3)]))

WRONG = [
    # Boards.
    (lambda: Board(3.5), TypeError, r"a board .*not 3\.5"),
    (lambda: Board(None), TypeError, "a board .*dict from nodes.*list of edges.*not None"),
    (lambda: Board([([1], 2)]), TypeError, r"node \[1\] is not hashable; use a tuple"),
    (lambda: Board([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), TypeError, "list of edges, which are pairs"),
    (lambda: Board.from_networkx(GraphLike([1], [(1, [])])), TypeError, r"edge \(1, \[\]\) are not hashable"),
    (lambda: ktour.complete("6x6", numbers=[(1, "a1")]), TypeError, "numbers takes a dict .*not .*a1"),
    (lambda: ktour.complete("6x6", numbers={"1": "a1"}), TypeError, "numbers: '1' .*integer from 1"),
    (lambda: ktour.next_moves("6x6", begin="a1 z9"), ktour.InvalidInputError, "begin: .*z9"),
    (lambda: ktour.next_moves("6x6", begin=3), TypeError, "begin takes squares or text, not 3"),
    (lambda: Board(True), TypeError, "a board .*not True"),
    (lambda: Board([5, 5, 5, 5]), TypeError, "a board .*sides.*5"),
    (lambda: Board((5, "6")), TypeError, "a board .*sides.*5"),
    (lambda: Board(-3), ktour.InvalidInputError, "-3"),
    (lambda: Board((5, 10**30)), ktour.InvalidInputError, "10000"),
    (lambda: Board("5x5", remove=[0]), TypeError, "remove .*squares.*0"),
    (lambda: Board("5x5", remove=3), TypeError, "remove .*squares.*3"),
    (lambda: Board("5x5", remove="z9"), ktour.InvalidInputError, "remove.*z9"),
    (lambda: Board("5x5", piece=3), TypeError, "piece: 3 is of type int; use text"),
    (lambda: Board("5x5", piece="pawn"), ktour.InvalidInputError, "pawn"),
    (lambda: Board("5x5", leaper="ab"), TypeError, "leaper .*ab"),
    (lambda: Board("5x5", leaper=(1,)), TypeError, "leaper .*1"),
    (lambda: Board("5x5", leaper=((1, 2), (0, "x"))), TypeError, "leaper .*x"),
    (lambda: Board("5x5", leaper=(1, -2)), ktour.InvalidInputError, "leaper=.*-2"),
    (lambda: Board("5x5", leaper=[]), ktour.InvalidInputError, "leaper="),
    (lambda: Board("5x5", wrap=1), TypeError, "wrap: .*int"),
    (lambda: Board("5x5", wrap="ball"), ktour.InvalidInputError, "wrap.*ball"),
    (lambda: Board.from_shape(3), TypeError, "text: 3 is of type int"),
    (lambda: Board.from_shape("..", holes=3), TypeError, "holes: 3 is of type int"),
    (lambda: Board.from_graphs(3), TypeError, "text: 3 is of type int"),
    (lambda: Board.from_graph(b"a b"), TypeError, "text.*a b"),
    (lambda: Board.from_graph(pathlib.Path("graph.g6")), TypeError, "takes text, not .*graph.g6.*; read its text first"),
    (lambda: Board({"hub": "rim"}), TypeError, "neighbours of 'hub'.*rim"),
    (lambda: Board({1: 0.5}), TypeError, "neighbours of 1.*0.5"),
    (lambda: Board.from_networkx(3), TypeError, "graph .*nodes.*edges.*3"),
    (lambda: Board.from_networkx(GraphLike(3, [])), TypeError, "nodes and edges.*iterated"),
    (lambda: Board.from_networkx(GraphLike([1], [(1, 2)])), ktour.InvalidInputError, "edge.*2"),
    (lambda: Board.from_networkx(GraphLike([1], [1])), TypeError, "edge.*pair of nodes.*1"),
    (lambda: Board("5x5")["a1"], TypeError, "index of a board .*'a1'; use board.index"),
    (lambda: Board("5x5").index("a1", "b"), TypeError, "start and stop .*'b'"),
    (lambda: Board("5x5")[25], IndexError, "25.*25"),
    (lambda: Board("5x5")[10**30], IndexError, "1" + "0" * 30),
    (lambda: Board("5x5").index("z9"), ktour.InvalidInputError, "^square z9 .*board.squares"),
    (lambda: Board("5x5\n"), ktour.InvalidInputError, r"5x5\\n"),
    (lambda: Board({"a": [["b"]]}), TypeError, r"neighbour .*\['b'\] of 'a'"),
    (lambda: Board({None: [1], 1: [None]}), ktour.InvalidInputError, "node is None.*rename"),
    (lambda: Board(Lines()), TypeError, "a board .*two lines"),
    (lambda: Board("5x5").index(3), TypeError, "square.*3"),
    (lambda: Board("5x5").index("e5", 0, 3), ValueError, "e5"),
    (lambda: Board("5x5").neighbours(0), TypeError, "square.*0"),
    (lambda: Board({5, 6}), TypeError, "a board .*sides.*5"),
    (lambda: Board(bytearray(b"5x5")), TypeError, "a board .*bytearray"),
    (lambda: Board((True, 6)), TypeError, r"a board .*\(True, 6\)"),
    (lambda: Board(GraphLike), TypeError, "a board .*GraphLike"),
    (lambda: Board(type("Class", (), {"nodes": 1, "edges": 1, "is_directed": 1})), TypeError, "nodes and edges.*iterated"),
    (lambda: Board("5x5", leaper=(True, 2)), TypeError, "leaper .*True"),
    (lambda: Board("5x5", leaper=(1, 10**30)), ktour.InvalidInputError, "leaper=.*65535"),
    (lambda: Board("5x5", remove=False), TypeError, "remove .*squares.*False"),
    (lambda: Board("5x5").restrict(None), TypeError, "require takes moves.*not None"),
    (lambda: Board("5x5").restrict(forbid=5), TypeError, "forbid takes moves.*not 5"),
    (lambda: Board("5x5").restrict(b"a1-b3"), TypeError, "require takes moves.*not b'a1-b3'"),
    # Ends.
    (lambda: ktour.count("5x5", "paths", start=0), TypeError, "start: .*square.*0"),
    (lambda: ktour.count("5x5", "paths", end="z9"), ktour.InvalidInputError, "end: .*z9"),
    (lambda: ktour.count(GRAPH, "paths", start=7), ktour.InvalidInputError, "start: .*node 7"),
    (lambda: ktour.count(GRAPH, "paths", start=[]), ktour.InvalidInputError, r"start: .*\[\]"),
    (lambda: ktour.count(Board.from_graph("a b"), start=1), TypeError, "start: .*1"),
    # Words and flags.
    (lambda: ktour.count("5x5", "knots"), ktour.InvalidInputError, 'kind=.knots..*"closed", "open", "paths"'),
    (lambda: ktour.count("5x5", 3), TypeError, "kind: "),
    (lambda: ktour.count("6x6", "re-entrant"), ktour.InvalidInputError, 'kind=.re-entrant..*among the "paths"'),
    (lambda: ktour.sample("5x6", 3), TypeError, 'kind: 3 .*int.*"closed"'),
    (lambda: ktour.count("6x6", "closed", symmetry="rot180 eulerian"), ktour.InvalidInputError, "tour.symmetry"),
    (lambda: ktour.find("6x6", "closed", start="a1", end="b3"), ktour.InvalidInputError, "no end to fix.*restrict"),
    (lambda: ktour.recurrence([]), ktour.InvalidInputError, "no term"),
    (lambda: ktour.tours("5x5", None), TypeError, "kind: "),
    (lambda: ktour.count("5x5", engine="fast"), ktour.InvalidInputError, "engine=.fast..*multipath"),
    (lambda: ktour.count("5x5", distinct="yes"), TypeError, "distinct: 'yes' is of type str; use True or False"),
    (lambda: ktour.count("5x5", per_start=1), TypeError, "per_start: 1 .*use True or False"),
    (lambda: ktour.count("5x5", force=0), TypeError, "force: 0 .*use True or False"),
    (lambda: ktour.read_tours("x", mixed=1), TypeError, "mixed: 1 .*use True or False"),
    (lambda: ktour.tours("5x5", directed="no"), TypeError, "directed: 'no' .*use True or False"),
    (lambda: ktour.count("6x6", "closed", symmetry="none"), ktour.InvalidInputError, "symmetry=.none..*rot180"),
    (lambda: ktour.count("6x6", "closed", symmetry=4), TypeError, "symmetry: .*int"),
    (lambda: ktour.find("5x5", rule="luck"), ktour.InvalidInputError, "rule=.luck..*warnsdorff"),
    (lambda: ktour.count("5x5", progress=3), TypeError, "progress .*3"),
    (lambda: ktour.tours("5x5", moves=3), TypeError, "moves: 3 is of type int; use text"),
    (lambda: ktour.tours("5x5", moves="up"), ktour.InvalidInputError, "moves.*up"),
    (lambda: ktour.series(5), TypeError, r"boards takes .*not 5; use boards=\[5\]"),
    (lambda: ktour.series("5x5x5"), ktour.InvalidInputError, "5x5x5.*range"),
    (lambda: ktour.series(["5x5", 5.5]), TypeError, r"boards .*5\.5"),
    (lambda: ktour.series([]), ktour.InvalidInputError, "boards="),
    (lambda: ktour.series((5, 6)), ktour.InvalidInputError, r"one board or two; use \[\(5, 6\)\] or \[5, 6\]"),
    (lambda: ktour.series(b"5x6"), TypeError, "boards takes .*not b'5x6'$"),
    (lambda: ktour.series([True]), TypeError, "boards takes .*not True"),
    (lambda: ktour.series([-1]), ktour.InvalidInputError, "^`-1` is not a range"),
    (lambda: ktour.series("5x5..6", modulus=1), ktour.InvalidInputError, "modulus=1"),
    (lambda: ktour.series("5x5..6", modulus=7, distinct=True), ktour.InvalidInputError, "modulus=.*distinct="),
    (lambda: ktour.count("5x5", modulus=7, directed=True), ktour.InvalidInputError, "modulus=.*directed="),
    (lambda: ktour.count("5x5", modulus=7, engine="multipath"), ktour.InvalidInputError, "modulus=.*engine="),
    (lambda: ktour.series("5x5..6", distinct=True, directed=True), ktour.InvalidInputError, "distinct=.*directed="),
    (lambda: ktour.series("5x5..6", "paths", symmetry="eulerian"), ktour.InvalidInputError, "symmetry=.eulerian..*closed"),
    (lambda: ktour.series("5x5..6", directed="no"), TypeError, "directed: 'no'"),
    (lambda: ktour.recurrence("3x4..9", "closed", directed=1), TypeError, "directed: 1"),
    (lambda: ktour.recurrence(5), TypeError, "boards takes a line .*not 5"),
    (lambda: ktour.recurrence([1, -1]), ktour.InvalidInputError, "term.*-1"),
    (lambda: ktour.recurrence([1, 1.5]), TypeError, r"term.*whole number.*1\.5"),
    (lambda: ktour.recurrence({"5x6": 8}), TypeError, r"boards takes .*values\(\)"),
    (lambda: ktour.recurrence([1, 1, 2, 3, 5, 8], order=0), ktour.InvalidInputError, "order=0"),
    (lambda: ktour.recurrence([1, 1, 2, 3, 5, 8], order=1), ktour.KtourError, "order up to 1 .*; raise order=$"),
    (lambda: ktour.recurrence([1, 2, 7, 20, 1, 3]), ktour.KtourError, "order up to 2 .*; give more terms$"),
    (lambda: ktour.recurrence([1, 1, 1], "closed", wrap="torus"), ktour.InvalidInputError, "no kind=, wrap=; use a line"),
    (lambda: ktour.recurrence([1, 1, 1], directed=True), ktour.InvalidInputError, "no directed=; use a line"),
    (lambda: ktour.complete("6x6", numbers={10**30: "a1"}), ktour.InvalidInputError, "no number 1000.*from 1 to 36"),
    (lambda: ktour.complete("6x6", numbers={-1: "a1"}), ktour.InvalidInputError, "no number -1"),
    (lambda: ktour.count("5x5", checkpoint=3), TypeError, "checkpoint: 3 is of type int; use a path"),
    (lambda: ktour.count("5x5", checkpoint=""), ktour.InvalidInputError, "checkpoint="),
    # Numbers.
    (lambda: ktour.find("5x5", seed=-1), ktour.InvalidInputError, "seed=-1"),
    (lambda: ktour.find("5x5", seed=2**64), ktour.InvalidInputError, f"seed={2**64}"),
    (lambda: ktour.find("5x5", seed=1.0), TypeError, r"seed: 1\.0 is of type float; use an integer"),
    (lambda: ktour.find("5x5", attempts=0), ktour.InvalidInputError, "attempts=0"),
    (lambda: ktour.count("5x5", threads=0), ktour.InvalidInputError, "threads=0.*1 to 1024"),
    (lambda: ktour.count("5x5", threads=-1), ktour.InvalidInputError, "threads=-1"),
    (lambda: ktour.count("5x5", threads="all"), TypeError, "threads: 'all' is of type str; use an integer"),
    (lambda: ktour.count("5x5", threads=True), TypeError, "threads: True is of type bool; use an integer"),
    (lambda: ktour.estimate("5x5", probes=1), ktour.InvalidInputError, "probes=1"),
    (lambda: ktour.tours("5x5", limit=-1), ktour.InvalidInputError, "limit=-1"),
    (lambda: ktour.recurrence("3x4..9", "closed", order=0), ktour.InvalidInputError, "order=0"),
    (lambda: ktour.count("5x5", memory=-1), ktour.InvalidInputError, "memory=-1"),
    (lambda: ktour.count("5x5", memory=1e9), TypeError, 'memory: .*float; use an integer number of bytes, or .*"8G"'),
    (lambda: ktour.count("5x5", memory="lots"), ktour.InvalidInputError, "memory.*lots"),
    # Tours.
    (lambda: Tour("5x5", 3), TypeError, "squares .*3"),
    (lambda: Tour("5x5", None), TypeError, "squares .*None"),
    (lambda: Tour("5x6", TOUR.vertices), TypeError, "squares: .*0.*from_numpy"),
    (lambda: Tour("5x6", TOUR.grid()), TypeError, "squares: .*from_grid"),
    (lambda: Tour("5x5", [1, 2]), TypeError, "squares: .*1"),
    (lambda: Tour("5x5", "a1 b2"), ktour.InvalidInputError, "a1.*b2"),
    (lambda: Tour("5x5", [], closed="no"), TypeError, "closed: 'no' .*use True or False"),
    (lambda: Tour.from_grid("3x4", [[1, "x"]]), TypeError, "grid: .*use rows of move numbers"),
    (lambda: Tour.from_grid("3x4", 5), TypeError, "grid: 5 .*use rows of move numbers"),
    (lambda: Tour.from_grid("3x4", [[10**30] * 4] * 3), ktour.InvalidInputError, "grid=.*out of range"),
    (lambda: Tour.from_numpy("3x4", [10**30] * 12), ktour.InvalidInputError, "vertices: .*out of range.*from 0 to 11"),
    (lambda: TOUR["a1"], TypeError, "index .*a1"),
    (lambda: TOUR[30], IndexError, "30.*30"),
    (lambda: TOUR.index("a1", 5), ValueError, "a1"),
    (lambda: TOUR.index("a1", "b"), TypeError, "start: 'b' is of type str"),
    (lambda: TOUR.index("a1", 0, "b"), TypeError, "stop: 'b' is of type str"),
    (lambda: TOUR.index("z9"), ValueError, "z9"),
    (lambda: TOUR.svg(palette="pink"), ktour.InvalidInputError, "palette=.pink..*wood"),
    (lambda: TOUR.svg(cell="big"), TypeError, "cell: 'big' is of type str; use a number"),
    (lambda: TOUR.svg(animate="1"), TypeError, "animate: '1' is of type str; use a number"),
    (lambda: TOUR.save(3), TypeError, "path: 3 is of type int; use a path"),
    (lambda: TOUR.save("no/such/tour.svg"), ktour.FileError, "cannot write 'no/such/tour.svg'"),
    (lambda: TOUR.svg(cell=10**400), ktour.InvalidInputError, "cell=1000.*out of range"),
    (lambda: ktour.sheet(TOUR, cell="1"), TypeError, "cell: '1'"),
    (lambda: TOUR.svg(cell=float("nan")), ktour.InvalidInputError, "cell="),
    (lambda: TOUR.svg(numbers=3), TypeError, "numbers: 3 .*use True or False"),
    (lambda: ktour.sheet([]), ktour.InvalidInputError, "sheet"),
    (lambda: ktour.sheet(3), TypeError, "tours .*3"),
    (lambda: ktour.sheet([3]), TypeError, "tours .*3"),
    (lambda: ktour.sheet([TOUR], columns=0), ktour.InvalidInputError, "columns=0"),
    # Numbered tours.
    (lambda: ktour.rank("a1 b2"), TypeError, "tours .*Tour.*'a1 b2'; use ktour.Tour"),
    (lambda: ktour.sheet("a1 b2"), TypeError, "tours .*not 'a1 b2'"),
    (lambda: ktour.rank([3]), TypeError, "tours .*Tour.*3"),
    (lambda: ktour.rank(None), TypeError, "tours .*not None"),
    (lambda: ktour.unrank("5x6", "closed", numbers=-1), IndexError, "-1"),
    (lambda: ktour.unrank("5x6", "closed", numbers="3"), TypeError, "numbers .*3"),
    (lambda: ktour.sample("5x6", "closed", number=-1), ktour.InvalidInputError, "number=-1"),
    (lambda: ktour.sample("5x6", "closed", number=10**12), ktour.OutOfMemoryError, str(10**12)),
    (lambda: ktour.Index("5x6", "closed", folder=3), TypeError, "folder: 3 is of type int; use a path"),
    (lambda: ktour.unrank("5x6", "closed", numbers=b"3"), TypeError, "numbers .*b'3'"),
    (lambda: ktour.read_tours(3), TypeError, "path: 3 is of type int; use a path"),
    (lambda: ktour.read_tours(""), ktour.InvalidInputError, 'path="" is empty'),
    (lambda: ktour.Index("5x6", "closed", folder="no/such/folder"), ktour.FileError, "folder.*no/such"),
]


@pytest.mark.parametrize("call, kind, line", WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_errors_name_the_argument_in_one_line(call, kind, line):
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert re.search(line, message)
    assert "\n" not in message and message and "--" not in message
    assert type(caught.value) in (TypeError, ValueError, IndexError) or isinstance(caught.value, ktour.KtourError)


def test_exceptions_of_arguments_are_raised_as_they_are(index):
    class Failing:
        def __iter__(self):
            raise LookupError("no data")

    def generator():
        yield TOUR
        raise LookupError("no data")

    for make in [Failing, generator]:
        for call in [ktour.sheet, ktour.rank, index.rank]:
            with pytest.raises(LookupError, match="no data"):
                call(make())
    for call in [Board, lambda bad: Tour("5x6", bad), index.unrank, lambda bad: ktour.next_moves("5x6", begin=bad)]:
        with pytest.raises(LookupError, match="no data"):
            call(Failing())


def test_index_rejects_invalid_arguments(index):
    for bad in ["a", 1.5, None]:
        with pytest.raises(TypeError, match="index .*number of a tour, or a slice"):
            index[bad]
    for bad in [8, -9, 10**30, -(10**30)]:
        with pytest.raises(IndexError, match=str(bad)):
            index[bad]
    for bad in [3, "a1", [3], [TOUR, "a1"]]:
        with pytest.raises(TypeError, match="tours .*Tour"):
            index.rank(bad)
    with pytest.raises(TypeError, match="the number of a tour"):
        index.unrank([1, "2"])
    with pytest.raises(ktour.OutOfMemoryError, match=str(10**13)):
        index.unrank(range(10**13))


def test_numpy_integers_are_accepted(index):
    numpy = pytest.importorskip("numpy")
    three = numpy.int64(3)
    assert index[three] == index[3] == index.unrank(three) and Board((three, numpy.uint8(4))) == Board("3x4")
    assert index.unrank(numpy.arange(3)) == index[:3] and index.unrank(numpy.array(3)) == index[3]
    assert ktour.find("8x8", seed=three) == ktour.find("8x8", seed=3)
    assert ktour.count("5x5", "paths", distinct=numpy.True_, threads=numpy.int32(1)) == 112
    assert Board("3x4")[three] == Board("3x4")[3] and TOUR[three] == TOUR[3]
    assert ktour.recurrence(numpy.array([1, 1, 2, 3, 5, 8, 13, 21])).coefficients == (1, 1)


REFUSED = [
    (lambda **options: ktour.count("12x12", "closed", **options), ktour.TooLongError),
    (lambda **options: ktour.count("10x10", "closed", engine="multipath", **options), ktour.TooLongError),
    (lambda **options: ktour.count("8x8", "paths", engine="backtrack", threads=1, **options), ktour.TooLongError),
    (lambda **options: ktour.count("8x8", "paths", memory="8M", **options), ktour.OutOfMemoryError),
    (lambda **options: ktour.count("13x13", "paths", engine="frontier", **options), ktour.TooLongError),
    (lambda **options: ktour.count("14x14", "closed", symmetry="rot180", **options), ktour.KtourError),
    (lambda **options: ktour.classes("12x12", **options), ktour.TooLongError),
    (lambda **options: ktour.series("13x13..14", "closed", **options), ktour.TooLongError),
    (lambda **options: ktour.series("12x11..12", "closed", wrap="torus", **options), ktour.TooLongError),
    (lambda **options: ktour.Index("7x8", memory="20M", **options), ktour.OutOfMemoryError),
    (lambda **options: ktour.sample("7x8", memory="20M", **options), ktour.OutOfMemoryError),
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
