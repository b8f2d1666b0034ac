"""Trees of numbers of tours by their first squares, compared with lists of tours."""

import pickle
import random
import threading
import time

import pytest

import ktour
from ktour import Board


def sequences(board, kind):
    """Returns the squares of all directed tours, of closed tours from every square."""
    board = board if isinstance(board, Board) else Board(board)
    found = []
    for tour in ktour.tours(board, kind, directed=True):
        squares = tuple(tour)
        turns = range(len(squares)) if kind == "closed" else [0]
        found += [squares[turn:] + squares[:turn] for turn in turns]
    return found


@pytest.mark.parametrize("kind", ["closed", "open", "paths"])
@pytest.mark.parametrize(
    "board",
    [
        "3x4",
        "5x5",
        Board("4x4", piece="king", remove="a1,d4,b2,c3"),
        Board("3x4").restrict(require="a1-b3", forbid="c1-d3"),
        Board({1: [2, 3, (4, 5)], 2: [3, (4, 5)], 3: [(4, 5)]}),
    ],
    ids=str,
)
def test_numbers_are_those_of_filtered_lists(board, kind):
    every = sequences(board, kind)
    squares = Board(board).squares
    for start in random.Random(1).sample(squares, 2):
        for depth in [1, 3, len(squares)] if len(squares) < 16 else [1, 3]:
            tree = ktour.tour_tree(board, kind, begin=[start], depth=depth)
            assert tree.path == (start,)
            for node in tree.nodes():
                first = [one for one in every if one[: len(node.path)] == node.path]
                assert node.total == len(first)
                assert set(node) >= {one[len(node.path)] for one in first if len(one) > len(node.path)} or not node
                assert not node or node.total == sum(below.total for below in node.values())
                is_last = len(node.path) in (1 + depth, len(squares)) or node.total == 0
                assert bool(node) != is_last or node is tree
                assert all(below.path == (*node.path, square) for square, below in node.items())


def test_beginnings_of_several_squares_are_parts_of_the_tree():
    tree = ktour.tour_tree("5x5", begin=["a1"], depth=3)
    assert tree["b3"] == ktour.tour_tree("5x5", begin=["a1", "b3"], depth=2)
    assert ktour.next_moves("5x5", begin=["a1", "b3"]) == {square: node.total for square, node in tree["b3"].items()}
    assert tree.total == ktour.count("5x5", "paths", start="a1")


def test_nodes_are_immutable_values():
    tree = ktour.tour_tree("5x5", begin=["a1"], depth=2)
    assert pickle.loads(pickle.dumps(tree)) == tree and len({tree, pickle.loads(pickle.dumps(tree))}) == 1
    assert tree != tree["b3"] and tree != {} and repr(tree) == "<tree of 304 tours that begin with a1>"
    with pytest.raises(AttributeError, match="total"):
        tree.total = 3
    with pytest.raises(AttributeError, match="total"):
        del tree.total
    with pytest.raises(KeyError):
        tree["e5"]


def test_trees_become_graphs_of_networkx():
    networkx = pytest.importorskip("networkx")
    tree = ktour.tour_tree("5x5", begin=["a1"], depth=3)
    graph = tree.to_networkx()
    assert networkx.is_arborescence(graph) and len(graph) == len(list(tree.nodes()))
    for path, attributes in graph.nodes.items():
        assert attributes["square"] == path[-1]
        below = [graph.nodes[next]["total"] for next in graph.succ[path]]
        assert not below or sum(below) == attributes["total"]


def test_too_large_trees_are_refused():
    for depth in [0, 101, -1]:
        with pytest.raises(ktour.InvalidInputError, match=f"depth={depth} is out of range"):
            ktour.tour_tree("5x5", begin=["a1"], depth=depth)
    with pytest.raises(ktour.InvalidInputError, match="paths .*use a smaller depth"):
        ktour.tour_tree("8x8", begin=["a1"], depth=40)
    with pytest.raises(ktour.TooLongError):
        ktour.tour_tree("12x12", begin=["a1"], depth=1)


def test_exceptions_of_the_progress_function_stop_a_tree():
    class Enough(Exception):
        pass

    def stop(reading):
        # There are no units before they are planned.
        if reading.units:
            assert reading.units > 100
            raise Enough

    before = time.monotonic()
    with pytest.raises(Enough):
        ktour.tour_tree("6x7", begin=["a1"], depth=8, progress=stop)
    assert time.monotonic() - before < 20


def test_other_threads_run_during_a_tree():
    steps = []
    thread = threading.Thread(target=lambda: steps.extend(range(1000)))
    readings = []
    thread.start()
    ktour.tour_tree("5x6", "closed", begin=["a1"], depth=5, progress=readings.append)
    thread.join()
    assert readings[-1].units_done == readings[-1].units and len(steps) == 1000
