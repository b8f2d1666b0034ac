"""Tours: listed, found, looked at."""

import gc
import os
import pathlib
import pickle

import pytest

import ktour
from ktour import Board, Tour


def test_lists_are_those_of_the_program(program):
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


def test_a_tour_is_a_sequence_of_squares():
    tour = next(ktour.tours("6x6", "closed"))
    assert len(tour) == 36 and tour[0] == "a1" and tour[-1] == list(tour)[-1]
    assert tour[:2] == [tour[0], tour[1]] and tour[::-7] == list(tour)[::-7]
    assert "c3" in tour and "z9" not in tour and tour.index(tour[9]) == 9
    assert tour.kind == "closed" and tour.board == Board("6x6")
    assert sorted(tour.vertices) == list(range(36))
    with pytest.raises(IndexError):
        tour[36]
    again = Tour("6x6", str(tour), closed=True)
    assert again == tour and hash(again) == hash(tour) and {tour, again} == {tour}
    assert Tour("6x6", list(tour)).kind == "re-entrant"


def test_canonical_forms_tell_classes():
    all_tours = list(ktour.tours("5x5"))
    classes = {tour.canonical() for tour in all_tours}
    assert len(classes) == ktour.count("5x5", "paths", distinct=True)
    assert len([tour for tour in all_tours if tour.symmetry != "asymmetric"]) == ktour.count("5x5", "paths", symmetry="rot180")


def test_grids_have_the_top_rank_first():
    grid = Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").grid()
    assert grid == [[1, 4, 7, 10], [12, 9, 2, 5], [3, 6, 11, 8]]
    with pytest.raises(ktour.UsageError):
        ktour.find("3x3x4").grid()


def test_arrays_are_not_copies():
    numpy = pytest.importorskip("numpy")
    tour = ktour.find("8x8", "closed")
    array = tour.to_numpy()
    assert array.dtype == numpy.uint8 and array.shape == (64,) and not array.flags.writeable
    assert array.tolist() == list(tour.vertices)
    assert array.__array_interface__["data"] == tour.__array_interface__["data"]
    large = ktour.find("20x20")
    assert large.to_numpy().dtype == numpy.uint32 and large.to_numpy().tolist() == list(large.vertices)
    table = ktour.tours("5x5").to_numpy()
    assert table.dtype == numpy.uint8 and table.shape == (864, 25)
    assert table.tolist() == [list(tour.vertices) for tour in ktour.tours("5x5")]
    some = ktour.tours("5x5", limit=100)
    next(some)
    assert some.to_numpy().tolist() == table[1:100].tolist() and next(some, None) is None
    assert ktour.tours("4x4").to_numpy().shape == (0, 16)


def threads():
    return len(os.listdir("/proc/self/task"))


@pytest.mark.skipif(not pathlib.Path("/proc/self/task").exists(), reason="needs /proc")
def test_an_iterator_that_is_dropped_frees_its_threads():
    ktour.count("5x5")
    before = threads()
    for end in ["drop", "close", "with", "limit"]:
        tours = ktour.tours("8x8", "closed", limit=1000 if end == "limit" else None)
        assert next(tours).kind == "closed"
        assert threads() > before
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
        assert threads() == before, end


def test_find(program):
    tour = ktour.find("200x200", "closed")
    assert len(tour) == 40000 and tour.kind == "closed"
    printed, _ = program("find", "8x8", "--kind", "open", "--seed", "3")
    assert printed.splitlines()[-1] == str(ktour.find("8x8", "open", seed=3))
    assert ktour.find("6x6", "open", start="a1", end="b1")[-1] == "b1"
    assert ktour.find(Board("5x6", wrap="mobius"), "closed").kind == "closed"
    with pytest.raises(ktour.NoTour, match="Schwenk"):
        ktour.find("4x4", "closed")
    with pytest.raises(ktour.GaveUp):
        ktour.find("40x40", "closed", attempts=1, rule="warnsdorff")


def test_pictures():
    tour = ktour.find("8x8", "closed")
    assert tour._repr_svg_().startswith("<svg") and tour.svg(animate=5) != tour.svg(palette="viridis")
    sheet = ktour.sheet(ktour.tours("6x6", "closed", distinct=True, limit=6), columns=3)
    assert sheet._repr_svg_() == sheet and sheet.count("<path") >= 6
    with pytest.raises(ktour.UsageError, match="palette"):
        tour.svg(palette="pink")
    assert "<svg" in ktour.stats("5x5").svg()


def test_boards_and_tours_are_pickled():
    nx = pytest.importorskip("networkx")
    boards = [
        Board("6x8"),
        Board("5x5", wrap="torus", remove=["c3"], piece="wazir+camel"),
        Board("3x4x4"),
        Board.from_shape("#.#\n...\n...\n", piece="king"),
        Board.from_networkx(nx.petersen_graph()),
    ]
    for board in boards:
        again = pickle.loads(pickle.dumps(board))
        assert again == board and hash(again) == hash(board) and again.squares == board.squares
        assert Board(str(board)) == board
        tour = next(ktour.tours(board, limit=1), None)
        if tour is not None:
            other = pickle.loads(pickle.dumps(tour))
            assert other == tour and list(other) == list(tour)
    closed = ktour.find("6x6", "closed")
    assert pickle.loads(pickle.dumps(closed)).kind == "closed"
    assert Board("6x8") != Board("8x6") and len({Board("6x8"), Board((6, 8))}) == 1


def test_boards_tell_about_themselves():
    board = Board("3x4", remove="a1")
    assert len(board) == 11 and board[0] == "b1" and "a1" not in board and list(board)[-1] == "d3"
    assert set(board.neighbours("b1")) == {"a3", "c3", "d2"} and board.title == "3x4"
    assert Board("8x8").symmetries == 8 and repr(Board("6x8")) == "Board('6x8')"
