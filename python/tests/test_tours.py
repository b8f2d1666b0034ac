"""Tours and boards: lists, searches, arrays, pictures and pickles."""

import gc
import itertools
import os
import pathlib
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import ktour
from ktour import Board, Tour


def test_lists_equal_those_of_the_program(program):
    for options, words in [
        ({}, []),
        ({"distinct": True}, ["--distinct"]),
        ({"directed": True}, ["--directed"]),
        ({"start": "a1", "end": "c3"}, ["--start", "a1", "--end", "c3"]),
        ({"limit": 7}, ["--limit", "7"]),
        ({"kind": "open", "symmetry": "rot180"}, ["--kind", "open", "--symmetry", "rot180"]),
        ({"moves": "2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1", "limit": 3},
         ["--limit", "3", "--moves", "2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1"]),
    ]:
        printed, _ = program("list", "5x5", "--bare", *words)
        assert [str(tour) for tour in ktour.tours("5x5", **options)] == printed.splitlines()


def test_tour_is_a_sequence_of_squares():
    tour = next(ktour.tours("6x6", "closed"))
    assert len(tour) == 36 and tour[0] == "a1" and tour[-1] == list(tour)[-1]
    assert tour[:2] == [tour[0], tour[1]] and tour[::-7] == list(tour)[::-7]
    assert "c3" in tour and "z9" not in tour and tour.index(tour[9]) == 9
    assert tour.kind == "closed" and tour.board == Board("6x6")
    assert sorted(tour.vertices) == list(range(36))
    with pytest.raises(IndexError):
        tour[36]
    parsed = Tour("6x6", str(tour), closed=True)
    assert parsed == tour and hash(parsed) == hash(tour) and {tour, parsed} == {tour}
    assert Tour("6x6", list(tour)).kind == "re-entrant"


def test_canonical_forms_distinguish_classes():
    all_tours = list(ktour.tours("5x5"))
    classes = {tour.canonical() for tour in all_tours}
    assert len(classes) == ktour.count("5x5", "paths", distinct=True)
    assert len([tour for tour in all_tours if tour.symmetry != "asymmetric"]) == ktour.count("5x5", "paths", symmetry="rot180")


def test_canonical_requires_known_symmetries():
    nx = pytest.importorskip("networkx")
    tour = ktour.find(nx.complete_graph(20), "closed")
    assert tour.board.symmetries is None and tour.symmetry is None
    with pytest.raises(ktour.InvalidInputError, match="symmetries.*canonical"):
        tour.canonical()


def test_grid_starts_with_the_top_rank():
    grid = Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").grid()
    assert grid == [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]]
    with pytest.raises(ktour.InvalidInputError):
        ktour.find("3x3x4").grid()


def test_to_numpy_makes_no_copy():
    numpy = pytest.importorskip("numpy")
    tour = ktour.find("8x8", "closed")
    array = tour.to_numpy()
    assert array.dtype == numpy.uint8 and array.shape == (64,) and not array.flags.writeable
    assert array.tolist() == list(tour.vertices)
    assert numpy.shares_memory(array, tour.to_numpy())
    large = ktour.find("20x20")
    assert large.to_numpy().dtype == numpy.uint32 and large.to_numpy().tolist() == list(large.vertices)
    table = ktour.tours("5x5").to_numpy()
    assert table.dtype == numpy.uint8 and table.shape == (864, 25)
    assert table.tolist() == [list(tour.vertices) for tour in ktour.tours("5x5")]
    some = ktour.tours("5x5", limit=100)
    next(some)
    assert some.to_numpy().tolist() == table[1:100].tolist() and next(some, None) is None
    assert ktour.tours("4x4").to_numpy().shape == (0, 16)


def test_arrays_of_a_tour_have_its_squares():
    numpy = pytest.importorskip("numpy")
    for board in ["6x6", {10 + v: [10 + (v + 1) % 5] for v in range(5)}, {(v, 0): [((v + 1) % 5, 0)] for v in range(5)}]:
        tour = ktour.find(board, seed=1)
        assert numpy.array_equal(numpy.asarray(tour), numpy.asarray(list(tour)))
        assert numpy.isin(numpy.asarray(list(tour)), tour).all()
        assert tour.to_numpy().tolist() == list(tour.vertices)


def test_to_numpy_fails_beyond_the_memory_limit():
    pytest.importorskip("numpy")
    resource = pytest.importorskip("resource")
    code = """
import numpy, resource, ktour
tours = ktour.tours("7x7")
next(tours)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (200 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    tours.to_numpy()
except ktour.OutOfMemoryError as error:
    assert "limit=" in str(error)
    assert next(tours, None) is None
    print("refused")
"""
    if not pathlib.Path("/proc/self/statm").exists():
        pytest.skip("needs /proc")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("refused\n", "")


def test_to_numpy_without_numpy_loses_no_tour(monkeypatch):
    tours = ktour.tours("5x5", limit=7)
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ImportError):
        tours.to_numpy()
    assert sum(1 for _ in tours) == 7


def test_threads_can_share_an_iterator():
    tours = ktour.tours("5x6", "paths")
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda _: list(tours), range(8)))
    assert sum(map(len, parts)) == len(set(itertools.chain(*parts))) == ktour.count("5x6", "paths")


def test_close_from_another_thread_ends_iteration():
    # The first tour takes a long time.
    tours = ktour.tours("10x11", "closed", start="a1", moves="2,1 1,2 -1,2 -2,1 -2,-1 -1,-2 1,-2 2,-1")
    started = threading.Event()

    def wait():
        started.set()
        return list(tours)

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        started.wait()
        tours.close()
        waiting.result()
    assert next(tours, None) is None


def thread_count():
    """Returns the number of threads of this process."""
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(not pathlib.Path("/proc/self/task").exists(), reason="needs /proc")
def test_iterator_ends_its_threads():
    ktour.count("5x5")
    before = thread_count()
    for end in ["drop", "close", "with", "limit"]:
        tours = ktour.tours("8x8", "closed", limit=1000 if end == "limit" else None)
        assert next(tours).kind == "closed"
        assert thread_count() > before
        if end == "close":
            tours.close()
            assert next(tours, None) is None
        elif end == "with":
            with tours:
                next(tours)
        elif end == "limit":
            assert sum(1 for _ in tours) == 999
        del tours
        gc.collect()
        assert thread_count() == before, end


def test_find_returns_tours_and_errors(program):
    tour = ktour.find("200x200", "closed")
    assert len(tour) == 40000 and tour.kind == "closed"
    printed, _ = program("find", "8x8", "--kind", "open", "--seed", "3")
    assert printed.splitlines()[-1] == str(ktour.find("8x8", "open", seed=3))
    assert ktour.find("6x6", "open", start="a1", end="b1")[-1] == "b1"
    assert ktour.find(Board("5x6", wrap="mobius"), "closed").kind == "closed"
    with pytest.raises(ktour.NoTourError, match="Schwenk"):
        ktour.find("4x4", "closed")
    with pytest.raises(ktour.GaveUpError):
        ktour.find("40x40", "closed", attempts=1, rule="warnsdorff")


def test_pictures_are_svg():
    tour = ktour.find("8x8", "closed")
    assert tour._repr_svg_().startswith("<svg") and tour.svg(animate=5) != tour.svg(palette="viridis")
    sheet = ktour.sheet(ktour.tours("6x6", "closed", distinct=True, limit=6), columns=3)
    assert sheet._repr_svg_() == sheet and sheet.count("<path") >= 6
    with pytest.raises(ktour.InvalidInputError, match="palette"):
        tour.svg(palette="pink")
    assert "<svg" in ktour.stats("5x5").svg()


def test_boards_and_tours_can_be_pickled():
    nx = pytest.importorskip("networkx")
    boards = [
        Board("6x8"),
        Board("5x5", wrap="torus", remove=["c3"], piece="wazir+camel"),
        Board("3x4x4"),
        Board.from_shape("#.#\n...\n...\n", piece="king"),
        Board.from_networkx(nx.petersen_graph()),
    ]
    boards.append(Board.from_networkx(nx.relabel_nodes(nx.petersen_graph(), str)))
    for board in boards:
        restored = pickle.loads(pickle.dumps(board))
        assert restored == board and hash(restored) == hash(board) and restored.squares == board.squares
        # The text form keeps the names of nodes, so nodes that are not text become text.
        is_named = all(isinstance(square, str) for square in board)
        assert (Board(str(board)) == board) == is_named
        tour = next(ktour.tours(board, limit=1), None)
        if tour is not None:
            other = pickle.loads(pickle.dumps(tour))
            assert other == tour and list(other) == list(tour)
    closed = ktour.find("6x6", "closed")
    assert pickle.loads(pickle.dumps(closed)).kind == "closed"
    assert Board("6x8") != Board("8x6") and len({Board("6x8"), Board((6, 8))}) == 1


def test_boards_are_equal_only_if_their_nodes_are():
    nx = pytest.importorskip("networkx")
    numbers, words = Board(nx.cycle_graph(4)), Board(nx.relabel_nodes(nx.cycle_graph(4), str))
    assert numbers != words and str(numbers) == str(words) and len({numbers, words, Board(numbers)}) == 2
    assert Board(str(words)) == words and hash(Board(str(words))) == hash(words)
    tours = [next(ktour.tours(board, "closed")) for board in (numbers, words)]
    assert tours[0].vertices == tours[1].vertices and tours[0] != tours[1]
    assert tours[0] == next(ktour.tours(nx.cycle_graph(4), "closed"))


def test_board_of_a_board_is_a_copy():
    nx = pytest.importorskip("networkx")
    for board in [Board("5x5", remove="c3", wrap="torus"), Board.from_networkx(nx.cycle_graph(5))]:
        assert Board(board) == board and Board(board).squares == board.squares
        with pytest.raises(ktour.InvalidInputError, match="wrap="):
            Board(board, wrap="cols")
    assert Board(nx.cycle_graph(5)) == Board.from_networkx(nx.cycle_graph(5))


def test_board_properties():
    board = Board("3x4", remove="a1")
    assert len(board) == 11 and board[0] == "b1" and "a1" not in board and list(board)[-1] == "d3"
    assert set(board.neighbours("b1")) == {"a3", "c3", "d2"} and board.title == "3x4 remove=a1"
    assert Board("8x8").symmetries == 8 and repr(Board("6x8")) == "Board('6x8')"
