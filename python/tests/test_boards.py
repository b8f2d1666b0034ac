"""Boards: equality, warnings, positions, and names that are exact."""

import copy
import gc
import pickle
import re
import unittest.mock
import warnings
import weakref

import pytest

import ktour
from ktour import Board, Tour

networkx = pytest.importorskip("networkx")


def placed(graph, positions):
    """Returns a copy of a graph with positions of its nodes."""
    graph = graph.copy()
    networkx.set_node_attributes(graph, positions, "pos")
    return graph


GRID = networkx.grid_2d_graph(3, 4)


def test_graphs_are_equal_wherever_they_are_drawn():
    boards = [Board(GRID), Board(placed(GRID, {node: node for node in GRID}))]
    boards += [Board(placed(GRID, networkx.circular_layout(GRID))), Board({node: list(GRID[node]) for node in GRID})]
    assert len(set(boards)) == 1 and all(one == other for one in boards for other in boards)
    index = ktour.Index(boards[0], "closed")
    for board in boards:
        tour = next(ktour.tours(board, "closed"))
        assert tour in index and index[index.rank(tour)] == tour
    assert boards[0] != Board(networkx.grid_2d_graph(4, 3)) and boards[0] != boards[0].restrict([((0, 0), (0, 1))])
    assert pickle.loads(pickle.dumps(boards[1])) == boards[0] and copy.copy(boards[2]) == boards[0]


def test_a_board_is_not_its_graph():
    board = Board("6x6")
    graph = Board(board.to_networkx())
    assert board != graph and (board.squares, board.moves(), board.pos) == (graph.squares, graph.moves(), graph.pos)
    tour = next(ktour.tours(graph, "closed"))
    index = ktour.Index("6x6", "closed")
    assert tour not in index and Tour(board, tour) in index
    with pytest.raises(ktour.InvalidInputError, match=r"^the tour is of graph of 36 vertices, not of 6x6; use Tour\("):
        index.rank(tour)
    other = next(ktour.tours(networkx.convert_node_labels_to_integers(board.to_networkx()), "closed"))
    with pytest.raises(ktour.InvalidInputError, match="of another graph of 36 vertices"):
        ktour.Index(graph, "closed").rank(other)


def test_layouts_of_networkx_are_drawn():
    complete = networkx.complete_graph(4)
    pictures = []
    layouts = [networkx.circular_layout(complete), networkx.spectral_layout(complete)]
    for graph in [complete, *(placed(complete, layout) for layout in layouts)]:
        tour = next(ktour.tours(graph, "closed"))
        picture = str(tour.svg())
        assert picture == str(pickle.loads(pickle.dumps(tour)).svg()) == str(Tour(graph, tour).svg())
        assert str(ktour.sheet([tour, tour])) and str(ktour.stats(graph, "closed").svg())
        pictures.append(picture)
    assert len(set(pictures)) == 3
    # Pictures have their top at 0.
    triangle = placed(networkx.complete_graph(3), {0: (-1.0, 0.0), 1: (1.0, 0.0), 2: (0.0, 0.5)})
    text = str(next(ktour.tours(triangle, "closed")).svg())
    (x, y), (a, b), (c, d) = [map(float, pair) for pair in re.findall(r'cx="(.*?)" cy="(.*?)"', text)]
    assert x < c < a and abs(2 * c - x - a) < 0.5 and y == b > d and abs((a - x) - 4 * (b - d)) < 0.5


def test_positions_that_are_not_used_are_reported():
    for positions, words in [
        ({0: (0.5, 0.5)}, "3 nodes such as 1 have none"),
        ({node: (0.5, float(node), 1.0) for node in range(4)}, "other values than pairs"),
        ({node: (0.5, float("nan")) for node in range(4)}, "other values than pairs"),
    ]:
        with pytest.warns(UserWarning, match=words) as caught:
            Board(placed(networkx.complete_graph(4), positions))
        assert len(caught) == 1 and caught[0].filename == __file__


def test_graphs_of_all_forms_get_the_warnings_of_text():
    path = networkx.Graph([(0, 1), (2, 3)])
    for graph in [path, {0: [1], 2: [3]}, [(0, 1), (2, 3)]]:
        with pytest.warns(UserWarning, match="not connected and has no tour; it has 2 parts") as caught:
            assert ktour.count(graph, "paths") == 0
        assert len(caught) == 1 and caught[0].filename == __file__
    for graph, words in [
        ([(1, 1), (1, 2)], "1 edge of a node to itself is ignored"),
        (networkx.MultiGraph([(1, 2), (1, 2), (2, 3)]), "count once: 1 repetition$"),
        ([(1, 2), (2, 1)], "count once: 1 repetition$"),
        ({1: [2, 2]}, "count once: 1 repetition$"),
        (networkx.empty_graph(2), "2 vertices have no edge"),
    ]:
        with pytest.warns(UserWarning, match=words):
            Board(graph)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for graph in [GRID, {1: [2, 3], 2: [1, 3], 3: [1, 2]}, {1: [2], 2: [3]}, [(1, 2), (2, 3)]]:
            board = Board(graph)
            assert pickle.loads(pickle.dumps(board)) == board


def test_membership_is_exact():
    board = Board("8x8")
    tour = ktour.find(board, seed=1)
    for sequence in [board, tour]:
        for value in ["a1", "A1", "h8", "z9", 1, None, [], ("a", 1)]:
            assert (value in sequence) == (value in list(sequence)) == bool(sequence.count(value)), value
    assert ktour.count("5x5", "paths", start="A1") == ktour.count("5x5", "paths", start="a1")
    nodes = Board([(1, "1"), ("1", 2.5)])
    assert all((value in nodes) == (value in nodes.squares) for value in [1, 1.0, True, "1", 2.5, "2.5", [1]])


def test_text_of_tours_of_graphs_can_be_read():
    for edges in [
        [("a b", "c"), ("c", "d")],
        [(1, "1"), ("1", 2)],
        [("a%20b", "a b"), ("a b", "%"), ("%", "50%")],
        [((0, 1), (0, 2)), ((0, 2), "x\ty")],
        [("é ü", "\u2003"), ("\u2003", "c")],
    ]:
        for tour in ktour.tours(edges):
            assert len(str(tour).split()) == len(tour) == len(set(str(tour).split()))
            assert Tour(edges, str(tour)) == tour
    assert repr(next(ktour.tours([(1, "1"), ("1", 2)]))) == "<open tour of graph of 3 vertices: 1 '1' 2>"


def test_cycles_through_boards_are_collected():
    class Node:
        pass

    def cycle(attach):
        nodes = [Node() for _ in range(3)]
        board = Board(networkx.relabel_nodes(networkx.cycle_graph(3), dict(enumerate(nodes))))
        nodes[0].holder = attach(board)
        return weakref.ref(nodes[0])

    def started(board):
        tours = ktour.tours(board)
        next(tours)
        return tours

    holders = {
        "board": lambda board: board,
        "squares": lambda board: (board.squares, board),
        "restricted": lambda board: board.restrict([board.squares[:2]]),
        "tour": lambda board: next(ktour.tours(board)),
        "tours": started,
        "index": lambda board: ktour.Index(board, "closed"),
        "stats": lambda board: ktour.stats(board, "closed"),
        "tree": lambda board: ktour.tour_tree(board, begin=board.squares[:1], depth=1),
    }
    for name, attach in holders.items():
        reference = cycle(attach)
        gc.collect()
        assert reference() is None, name


def test_neighbors_are_neighbours():
    assert Board("8x8").neighbors("a1") == Board("8x8").neighbours("a1") == ["c2", "b3"]


def test_pictures_of_boards_show_every_move():
    for board in [Board("5x6"), Board("4x5", wrap="torus", remove="a1"), Board(GRID), Board(networkx.petersen_graph())]:
        picture = board._repr_svg_()
        assert picture.count("<path") == len(board.moves()) and picture == board.svg() and isinstance(picture, ktour.Svg)
    assert Board("5x6").restrict(forbid="a1-b3").svg().count("dasharray") == 1
    assert Board("100x100")._repr_svg_() is None


def test_estimates_name_no_engine_if_none_can_count():
    assert ktour.estimate("30x30")["cheaper"] is None and ktour.estimate("5x5")["cheaper"] == "multipath"


def test_other_types_may_decide_about_equality():
    class Anything:
        def __eq__(self, other):
            return True

    things = [Board("5x6"), ktour.find("5x6"), ktour.tour_tree("5x6", begin="a1", depth=1)]
    for thing in things:
        assert thing == Anything() and not thing != Anything() and thing == unittest.mock.ANY
        assert thing != "5x6" and all((thing == other) == (thing is other) for other in things)


def test_nodes_may_have_any_text():
    # The first name is that of a file whose name is not UTF-8.
    edges = [("caf\udce9", "a\nb"), ("a\nb", "caf\\udce9"), ("caf\\udce9", "caf\udce9")]
    board = Board(edges)
    assert board.squares == ("caf\udce9", "a\nb", "caf\\udce9") and ktour.count(board, "closed") == 1
    tour = next(ktour.tours(board, "closed", start="caf\udce9"))
    assert tour[0] == "caf\udce9" and "\n" not in repr(tour) and pickle.loads(pickle.dumps(tour)) == tour
    assert Tour(board, str(tour), closed=True) == tour


def test_removed_squares_may_be_an_array():
    numpy = pytest.importorskip("numpy")
    assert Board("5x6", remove=numpy.array(["a1", "b1"])) == Board("5x6", remove="a1,b1")
    assert Board(numpy.array(5)) == Board("5x5")
