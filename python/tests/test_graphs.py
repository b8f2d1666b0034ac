"""Graphs: comparison with a brute-force search, and conversion to and from networkx."""

import random

import pytest

import ktour
from ktour import Board

nx = pytest.importorskip("networkx")


def hamiltonian_paths(graph):
    """Yields all Hamiltonian paths of a graph as tuples, in both directions."""

    def extend(path):
        if len(path) == len(graph):
            yield tuple(path)
            return
        for node in graph[path[-1]]:
            if node not in path:
                yield from extend(path + [node])

    for start in graph:
        yield from extend([start])


def test_random_graphs_agree_with_brute_force():
    rng = random.Random(19)
    for number in range(60):
        graph = nx.gnp_random_graph(rng.randint(3, 8), rng.uniform(0.3, 0.9), seed=number)
        graph = nx.relabel_nodes(graph, {node: (node, "x") for node in graph})
        expected = set(hamiltonian_paths(graph))
        closed = [path for path in expected if graph.has_edge(path[0], path[-1]) and len(path) > 2]
        board = Board.from_networkx(graph)
        counts = ktour.count(board)
        assert counts.paths == len(expected) // 2
        assert counts.closed == len(closed) // (2 * len(graph))
        assert {tuple(tour) for tour in ktour.tours(board, directed=True)} == expected
        start = next(iter(graph))
        assert ktour.count(graph, "paths", start=start) == sum(path[0] == start for path in expected)


def test_boards_convert_to_networkx_and_back():
    knight = Board("6x6").to_networkx()
    assert (len(knight), knight.number_of_edges()) == (36, 80)
    assert knight.nodes["c2"]["pos"] == (2, 1)
    assert ktour.count(knight, "closed") == 9862
    assert ktour.count(nx.petersen_graph()) == ktour.Counts(0, 120, 120)
    torus = Board("4x4", wrap="torus")
    converted = Board.from_networkx(torus.to_networkx())
    assert ktour.count(converted) == ktour.count(torus)
    assert set(map(frozenset, converted.moves())) == set(map(frozenset, torus.moves()))


def test_lists_of_edges_have_several_forms():
    numpy = pytest.importorskip("numpy")
    edges = [(1, 2), (2, 3), (1, 3), (3, 4)]
    board = Board(edges)
    expected = set(map(frozenset, board.moves()))
    forms = [[list(edge) for edge in edges], tuple(edges), set(edges), set(map(frozenset, edges)), iter(edges)]
    forms += [numpy.array(edges), (edge for edge in edges), [(*edge, {"weight": 2}) for edge in edges]]
    for form in forms:
        found = Board(form)
        assert set(map(frozenset, found.moves())) == expected and set(found) == {1, 2, 3, 4}
        assert ktour.count(found) == ktour.count(board)
    assert Board.from_networkx(iter(edges)) == board == Board.from_networkx([list(edge) for edge in edges])
    for empty in [[], (), set(), {}, nx.Graph(), iter([])]:
        assert len(Board(empty)) == 0 and ktour.count(empty) == ktour.Counts(0, 0, 0)
    with pytest.raises(TypeError, match=r"shape \(4, 4\).*networkx.from_numpy_array"):
        Board(nx.to_numpy_array(nx.cycle_graph(4)))
    assert ktour.count(nx.from_numpy_array(nx.to_numpy_array(nx.cycle_graph(4))), "closed") == 1


def test_tours_are_sequences_of_nodes():
    graph = nx.cycle_graph(5)
    tour = ktour.find(graph, "closed", start=2)
    assert tour[0] == 2 and all(graph.has_edge(v, w) for v, w in zip(tour, tour[1:]))
    assert tour.board.squares == (0, 1, 2, 3, 4)
    assert tour.index(2) == 0 and 7 not in tour


def test_errors_distinguish_nodes_with_equal_text():
    graph = nx.Graph([(1, "1"), ("1", 2), (2, "")])
    with pytest.raises(ktour.InvalidInputError, match="1 to 2"):
        ktour.Tour(graph, [1, 2, "1", ""])
    with pytest.raises(ktour.InvalidInputError, match="'1' to ''"):
        ktour.Tour(graph, [1, "1", "", 2])


def test_directed_graphs_are_rejected():
    with pytest.raises(ktour.InvalidInputError, match="directed"):
        ktour.count(nx.DiGraph([(0, 1)]))
    assert len(Board.from_networkx(nx.Graph())) == 0
    assert Board.from_graph("a b\nb c\nc a\n").squares == ("a", "b", "c")
