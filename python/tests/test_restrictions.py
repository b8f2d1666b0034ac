"""Required and forbidden moves, compared with filtered lists."""

import pickle

import pytest

import ktour
from ktour import Board


def moves_of(tour):
    squares = list(tour)
    pairs = list(zip(squares, squares[1:])) + ([(squares[-1], squares[0])] if tour.kind == "closed" else [])
    return {frozenset(pair) for pair in pairs}


@pytest.mark.parametrize("kind", ["closed", "open", "paths"])
def test_restrictions_filter_the_tours(kind):
    required, forbidden = [("c3", "e4"), ("a1", "b3", "c5")], [("d1", "e3"), ("f2", "e4")]
    board = Board("5x6").restrict(require=required, forbid=forbidden)
    must = {frozenset(pair) for pair in board.required}
    never = {frozenset(pair) for pair in board.forbidden}
    assert (len(must), len(never)) == (3, 2)
    expected = {tour for tour in ktour.tours("5x6", kind) if must <= moves_of(tour) and not never & moves_of(tour)}
    assert set(ktour.tours(board, kind)) == expected
    assert ktour.count(board, kind) == len(expected)
    for engine in ["multipath", "frontier", "backtrack"]:
        assert ktour.count(board, kind, engine=engine) == len(expected)
    if expected:
        assert ktour.find(board, kind) in expected
        assert set(ktour.sample(board, kind, number=5)) <= expected
    if kind != "open":
        index = ktour.Index(board, kind)
        assert {index[number] for number in range(len(index))} == expected
        assert all(tour in index for tour in expected)
        assert ktour.stats(board, kind).moves.get(("a1", "b3"), 0) in (0, len(expected))


def test_restricted_boards_are_boards_of_their_own():
    plain = Board("6x6")
    board = plain.restrict("a1-b3,c2-e1", forbid=[("f6", "e4")])
    assert board == plain.restrict([("e1", "c2"), ("b3", "a1")], "e4-f6") and board != plain
    assert board.unrestricted == plain and plain.unrestricted is plain
    for copy in [pickle.loads(pickle.dumps(board)), Board(board), Board(str(board)), eval(f"ktour.{board!r}")]:
        assert copy == board and copy.required == board.required and copy.unrestricted == plain
    assert board.restrict() == plain
    assert board.symmetries == 1 and plain.restrict(["a1-b3", "a1-c2"]).symmetries == 2
    assert next(ktour.tours(board)).board == plain


def test_restrictions_of_graphs_keep_nodes():
    graph = {node: [(node + 1) % 6, (node + 2) % 6] for node in range(6)}
    board = Board(graph).restrict(require=[(0, 1, 2)], forbid=[(3, 4)])
    assert board.required == [(0, 1), (1, 2)] and board.forbidden == [(3, 4)]
    copy = pickle.loads(pickle.dumps(board))
    assert copy == board and copy.squares == tuple(range(6))
    expected = [tour for tour in ktour.tours(graph, "closed") if {0, 1} in moves_of(tour) and {1, 2} in moves_of(tour)]
    assert ktour.count(board, "closed") == sum({3, 4} not in moves_of(tour) for tour in expected)


def test_next_moves_add_up():
    numbers = ktour.next_moves("5x6", "closed", begin=["a1", "b3"])
    assert sum(numbers.values()) == ktour.count(Board("5x6").restrict(["a1-b3"]), "closed")
    first = ktour.next_moves("5x5", begin=["a1"])
    assert first == {"c2": 152, "b3": 152}
    board = Board("5x5").restrict(forbid="a1-c2")
    assert ktour.next_moves(board, begin=["a1"]) == {"c2": 0, "b3": 152}


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: Board("6x6").restrict("a1-a2"), "require: no move joins a1 and a2"),
        (lambda: Board("6x6").restrict(forbid=[("a1", "z9")]), "forbid: square z9"),
        (lambda: Board("6x6").restrict(["a1"]), "require: `a1` is not a move"),
        (lambda: Board("6x6").restrict([("a1",)]), "is not a move"),
        (lambda: Board("6x6").restrict("a1-b3", "b3-a1"), "both required and forbidden"),
        (lambda: Board("6x6").restrict("c3-a2,c3-b1,c3-d1"), "require: square c3 has 3 required moves"),
        (lambda: Board("6x6").restrict("a1-b3-d4-c2-a1"), "form a cycle"),
        (lambda: ktour.next_moves("6x6", begin=[]), "begin: the beginning has no squares"),
        (lambda: ktour.next_moves("6x6", begin=["a1", "a2"]), "begin: no move joins"),
        (lambda: ktour.count(Board("6x6").restrict("a1-b3"), "closed", symmetry="rot180"), "symmetry= .*required moves"),
        (lambda: ktour.stats(Board("5x6").restrict("a1-b3"), "open"), "required or forbidden"),
    ],
)
def test_impossible_restrictions_are_refused(call, message):
    with pytest.raises(ktour.InvalidInputError, match=message):
        call()


def test_moves_of_the_wrong_type():
    with pytest.raises(TypeError, match="require takes sequences of squares"):
        Board("6x6").restrict([5])


@pytest.mark.parametrize("kind", ["closed", "open", "paths"])
def test_completions_have_the_numbers(kind):
    def numberings(tour):
        squares = list(tour)
        turns = range(len(squares)) if kind == "closed" else [0]
        return [tuple(squares[turn:] + squares[:turn]) for turn in turns]

    every = {numbering for tour in ktour.tours("5x6", kind, directed=True) for numbering in numberings(tour)}
    for numbers in [{1: "a1"}, {5: "c3", 20: "e2"}, {2: "c2", 9: "b4", 17: "d1", 30: "f5"}]:
        expected = {one for one in every if all(one[number - 1] == square for number, square in numbers.items())}
        if len(expected) < 100_000:
            found = ktour.complete("5x6", kind, numbers=numbers)
            assert len(found) == len(expected) and {tuple(tour) for tour in found} == expected
            assert all(tour.kind == "closed" for tour in found) or kind != "closed"
    assert len(ktour.complete("5x6", kind, numbers={1: "a1"}, limit=0)) == 0


def test_impossible_numbers_are_refused():
    for numbers, message in [
        ({}, "no square has a number"),
        ({31: "a1"}, "there is no number 31"),
        ({1: "a1", 2: "a1"}, "a1 has two numbers"),
    ]:
        with pytest.raises(ktour.InvalidInputError, match=f"numbers: {message}"):
            ktour.complete("5x6", numbers=numbers)
