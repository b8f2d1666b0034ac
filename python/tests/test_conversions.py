"""Conversions: arrays, grids, positions, graphs of plain Python, pickles and texts."""

import pickle
import random
import sys

import pytest

import ktour
from ktour import Board, Index, Tour


def test_tours_are_made_from_numbers_of_squares():
    numpy = pytest.importorskip("numpy")
    for board in ["6x6", Board("5x6", remove="a1,c3", wrap="torus"), {v: [(v + 1) % 5] for v in range(5)}, "3x4x4"]:
        tour = ktour.find(board, "closed", seed=3)
        for numbers in [tour.vertices, list(tour.vertices), tour.to_numpy(), numpy.array(tour.vertices, numpy.int64)]:
            assert Tour.from_numpy(board, numbers, closed=True) == tour
        assert Tour.from_numpy(board, tour.to_numpy()) == Tour(board, list(tour)) != tour
    table = ktour.tours("5x5").to_numpy()
    assert [Tour.from_numpy("5x5", row) for row in table] == list(ktour.tours("5x5"))
    large = ktour.find("20x20", seed=1)
    assert Tour.from_numpy("20x20", large.to_numpy()) == large


@pytest.mark.parametrize("numbers", [[0, 1], [0, 7, -1], [0, 7, 25], [2**70], [0] * 25])
def test_wrong_numbers_of_squares_are_rejected(numbers):
    with pytest.raises(ktour.InvalidInputError):
        Tour.from_numpy("5x5", numbers)


def test_tours_are_made_from_grids():
    numpy = pytest.importorskip("numpy")
    for board in ["6x6", "3x10", Board("5x6", remove="a1,c3", wrap="torus"), Board("4x5", piece="king")]:
        tour = ktour.find(board, "closed", seed=3)
        for grid in [tour.grid(), tuple(map(tuple, tour.grid())), numpy.array(tour.grid())]:
            assert Tour.from_grid(board, grid, closed=True) == tour
    rows = Tour("3x4", "a3 c2 a1 b3 d2 b1 c3 d1 b2 d3 c1 a2").grid()
    wrong = [[[0 if n == 12 else n for n in row] for row in rows], [[min(n, 11) for n in row] for row in rows]]
    for bad in [rows[:2], [row[:3] for row in rows], [row[::-1] for row in rows[:1]] + rows[1:], *wrong]:
        with pytest.raises(ktour.InvalidInputError):
            Tour.from_grid("3x4", bad)
    with pytest.raises(ktour.InvalidInputError, match="rows and columns"):
        Tour.from_grid("2x3x4", [[1]])


def test_tour_of_a_tour_keeps_its_kind():
    closed = ktour.find("6x6", "closed")
    assert Tour("6x6", closed) == closed and Tour("6x6", closed, closed=False).kind == "re-entrant"
    assert Tour("6x6", Tour("6x6", list(closed))).kind == "re-entrant"


def test_positions_are_those_of_the_squares():
    board = Board("6x8", remove="a1")
    assert board.pos["c2"] == (2, 1) and list(board.pos) == list(board) and len(set(board.pos.values())) == 47
    assert Board({1: [2]}).pos is None
    board.pos.clear()
    assert len(board.pos) == 47


def test_graphs_with_places_of_a_grid_are_drawn_there():
    nx = pytest.importorskip("networkx")
    board = Board("5x6", remove="a1,b1")
    restored = Board.from_networkx(board.to_networkx())
    assert restored.pos == board.pos
    assert sorted(map(sorted, restored.moves())) == sorted(map(sorted, board.moves()))
    tour = ktour.find(restored, seed=5)
    assert tour.grid() == Tour(board, list(tour)).grid()
    assert ktour.stats(Board("5x6").to_networkx(), "closed")._repr_svg_().startswith("<svg")
    grid = nx.grid_2d_graph(4, 5)
    nx.set_node_attributes(grid, {(x, y): (y - 7, float(x)) for x, y in grid}, "pos")
    assert Board(grid).pos[2, 3] == (-4, 2.0) and ktour.find(grid, "closed").grid()[0][0] > 0
    assert pickle.loads(pickle.dumps(Board(grid))).pos == Board(grid).pos
    # Other positions are kept, but pictures do not use them.
    for pos in [{v: (0.5, v) for v in range(4)}, {v: (0, 0) for v in range(4)}, {v: (v * 10**6, 0) for v in range(4)}]:
        cycle = nx.cycle_graph(4)
        nx.set_node_attributes(cycle, pos, "pos")
        assert Board(cycle).pos == pos and Board(cycle).to_networkx().nodes(data="pos")[2] == pos[2]
        with pytest.raises(ktour.KtourError, match="rows and columns"):
            ktour.find(cycle).grid()


def test_heat_maps_of_graphs_show_all_moves_and_names():
    complete = {node: "abcde".replace(node, "") for node in "abcde"}
    graph = Board({node: list(others) for node, others in complete.items()})
    picture = ktour.stats(graph)._repr_svg_()
    assert picture.count("<path") == 10 and all(picture.count(f">{node}</text>") == 2 for node in "abcde")


def test_lists_and_sets_of_edges_are_graphs():
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)]
    for listed in [edges, tuple(edges), set(edges), [(v, w, {"weight": 3}) for v, w in edges]]:
        assert ktour.count(listed) == ktour.count({0: [1, 2, 3], 2: [1, 3]})
    assert Board(edges).squares == (0, 1, 2, 3) and Board.from_networkx(edges) == Board(edges)
    assert Board([(1, 1)]).squares == (1,)
    nx = pytest.importorskip("networkx")
    graph = nx.complete_graph(4)
    assert ktour.count(list(graph.edges), "closed") == ktour.count(graph.adj, "closed") == 3
    for part in [graph.edges, graph.nodes, nx.MultiGraph(graph).edges, nx.grid_2d_graph(2, 2).nodes]:
        with pytest.raises(TypeError, match="pass the graph itself"):
            ktour.count(part, "closed")
    assert len(repr(Board(nx.grid_2d_graph(20, 20)))) < 60


def test_dicts_of_neighbours_are_graphs():
    neighbours = {"a": ["b", "c"], "b": ["c", "a"], 3: ["a", "c", 3]}
    assert Board(neighbours).squares == ("a", "b", 3, "c")
    assert ktour.count(neighbours, "closed") == 1
    nx = pytest.importorskip("networkx")
    for seed in range(20):
        graph = nx.gnp_random_graph(random.Random(seed).randint(3, 8), 0.6, seed=seed)
        assert ktour.count(nx.to_dict_of_lists(graph)) == ktour.count(graph)
    with pytest.raises(ktour.InvalidInputError, match="complete"):
        Board(neighbours, piece="king")


def test_results_can_be_pickled_and_are_hashable(tmp_path):
    results = [
        ktour.count("5x6"),
        ktour.recurrence("3x4..20", "closed"),
        ktour.stats("5x5"),
        ktour.stats("5x6", "closed"),
        ktour.sheet(ktour.find("6x6", seed=1)),
        ktour.find("6x6", seed=1),
    ]
    for result in results:
        restored = pickle.loads(pickle.dumps(result))
        assert getattr(restored, "seed", None) == getattr(result, "seed", None)
        assert restored == result and type(restored) is type(result) and len({restored, result}) == 1
    assert ktour.stats("5x5") == results[2] != results[3]
    index = Index("5x6", "closed", folder=tmp_path / "index")
    restored = pickle.loads(pickle.dumps(index))
    assert restored[:] == index[:] and restored.board == index.board
    with pytest.raises(TypeError, match="folder="):
        pickle.dumps(Index("5x6", "closed"))


def test_moves_and_ends_are_read_only():
    stats = ktour.stats("5x5")
    assert stats.moves is stats.moves and stats.moves["c2", "a1"] == stats.moves["a1", "c2"]
    assert ("c2", "a1") in stats.moves and ("a1", "a2") not in stats.moves and 3 not in stats.moves
    for change in [
        lambda: stats.moves.__setitem__(("a1", "c2"), 3),
        lambda: setattr(stats, "total", 3),
        lambda: stats.moves.pop(("a1", "c2")),
        lambda: stats.ends.clear(),
    ]:
        with pytest.raises((AttributeError, TypeError)):
            change()


def test_seeds_are_random_unless_given():
    for draw in [lambda seed=None: ktour.find("8x8", seed=seed), lambda seed=None: ktour.sample("5x6", seed=seed)[0]]:
        tours = [draw() for _ in range(8)]
        assert len({tour.seed for tour in tours}) == 8 and len(set(tours)) > 1
        assert all(draw(tour.seed) == tour for tour in tours)
        random.seed(5)
        first = draw()
        random.seed(5)
        assert draw().seed == first.seed
    assert next(ktour.tours("5x5")).seed is None
    estimate = ktour.estimate("5x6", probes=2)
    again = ktour.estimate("5x6", probes=2, seed=estimate["seed"])
    assert again["search"]["tours_mean"] == estimate["search"]["tours_mean"]


def test_texts_distinguish_boards_and_tours():
    closed = list(ktour.tours("6x8", "closed", limit=4000))
    assert len({repr(tour) for tour in closed}) > 100
    texts = [repr(ktour.find(board, seed=1)) for board in ["6x6", Board("6x6", piece="king"), Board("6x6", wrap="torus")]]
    assert [text.split(":")[0].split(" of ")[1] for text in texts] == ["6x6", "6x6 piece=0,1+1,1", "6x6 torus"]
    assert repr(Tour("1x1", "a1")) == "<open tour of 1x1: a1>"
    assert repr(ktour.tours("6x6", "closed")) == "<iterator over closed tours of 6x6>"
    assert repr(Index("5x6", "closed")) == "<index of 8 closed tours of 5x6>"
    recurrence = ktour.recurrence([1, 1, 2, 3, 5, 8, 13, 21])
    assert repr(recurrence).startswith("<recurrence of order 2, stride 1, growth 1.618")
    assert recurrence._repr_latex_() == "$a_n = a_{n-1} + a_{n-2}$"
    assert "\\cdots" in ktour.recurrence("3x4..20", "closed")._repr_latex_()
    picture = ktour.sheet(list(ktour.tours("5x6", "closed")))
    assert len(repr(picture)) < 40 and picture.startswith("<svg") and isinstance(picture, str)


def test_pictures_can_be_saved(tmp_path):
    picture = ktour.find("6x6", seed=1).svg()
    picture.save(tmp_path / "tour.svg")
    assert (tmp_path / "tour.svg").read_text(encoding="utf-8") == picture
    ktour.find("6x6", seed=1).save(tmp_path / "small.svg", cell=20, numbers=False)
    assert (tmp_path / "small.svg").read_text(encoding="utf-8") == ktour.find("6x6", seed=1).svg(cell=20, numbers=False)
    with pytest.raises(ktour.InvalidInputError, match=r"SVG.*\.PNG"):
        ktour.find("6x6").save(tmp_path / "tour.PNG")
    assert ktour.find("200x200")._repr_svg_() is None


def test_tours_have_their_moves():
    for tour in [ktour.find("6x6", "closed"), ktour.find("6x6"), Tour("1x1", "a1"), ktour.find({1: [2]})]:
        squares = [*tour, tour[0]] if tour.kind == "closed" else list(tour)
        assert tour.moves() == list(zip(squares, squares[1:]))


def test_estimates_report_what_does_not_fit():
    sweep = ktour.estimate("8x8", "closed", memory="100M", probes=2)["sweep"]
    assert not sweep["fits"] and sweep["min_memory_bytes"] > 100_000_000
    assert ktour.estimate("6x6", "closed", probes=2)["sweep"]["fits"]
    huge = ktour.estimate("20x20")["sweep"]
    assert huge["memory_bytes"] is None and huge["disk_bytes"] is None and not huge["fits"]


def test_series_keeps_finished_boards_when_a_later_one_is_refused():
    with pytest.raises(ktour.TooLongError) as caught:
        ktour.series(["5x6..8", (30, 30)], "closed")
    assert caught.value.finished == ktour.series("5x6..8", "closed")
    assert ktour.series([(5, 6), 6, "4x4"], "closed") == {"5x6": 8, "6x6": 9862, "4x4": 0}


def test_series_of_symmetric_counts_is_refused_before_its_first_board():
    with pytest.raises(ktour.OutOfMemoryError, match="7x10 rot180 closed .*force=True") as caught:
        ktour.series("7x8..10", "closed", symmetry="rot180", memory="5M")
    assert not caught.value.finished
    # The largest board cannot have the symmetry, and needs nothing.
    with pytest.raises(ktour.OutOfMemoryError, match="7x10 axial closed .*force=True") as caught:
        ktour.series("7x9..12", "closed", symmetry="axial", memory="5M")
    assert not caught.value.finished


def test_series_become_tables(monkeypatch):
    numbers = ktour.series(["5x6..7"], "closed")
    assert pickle.loads(pickle.dumps(numbers)) == numbers == {"5x6": 8, "5x7": 0}
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match="pandas is not installed; use pip install pandas"):
        numbers.to_frame()
    monkeypatch.undo()
    pandas = pytest.importorskip("pandas")
    frame = numbers.to_frame()
    assert list(frame.columns) == ["rows", "cols", "tours"] and list(frame.index) == ["5x6", "5x7"]
    assert frame["tours"].tolist() == [8, 0] and frame["cols"].tolist() == [6, 7]
    large = ktour.series(["5x6", "5x60"]).to_frame()
    assert list(large.columns) == ["rows", "cols", "closed", "open", "paths"]
    assert large["paths"].dtype == object and large["paths"]["5x60"] == ktour.series(["5x60"], "paths")["5x60"]
    assert isinstance(ktour.series(["4x4"]).to_frame(), pandas.DataFrame)


@pytest.mark.parametrize(
    "name, call",
    [
        ("12x12 torus closed", lambda: ktour.series("12x11..12", "closed", wrap="torus")),
        ("12x12 torus piece=0,1.1,1 closed",
         lambda: ktour.series("12x11..12", "closed", wrap="torus", piece="king")),
        ("30x30 piece=0,1.1,1 closed", lambda: ktour.count(Board("30x30", piece="king"), "closed")),
        ("12x12 piece=2,3 closed", lambda: ktour.count(Board("12x12", piece="zebra"), "closed")),
        ("12x12 remove=a1,b1 closed", lambda: ktour.count(Board("12x12", remove="a1,b1"), "closed")),
        ("30x30 piece=0,1.1,1 paths", lambda: ktour.tour_tree(Board("30x30", piece="king"), begin="a1", depth=1)),
        ("30x30 piece=0,1.1,1 paths", lambda: ktour.classes(Board("30x30", piece="king"))),
        ("5x7 torus closed", lambda: ktour.series(["5x7"], "closed", wrap="torus", memory="100M")),
    ],
)
def test_refusals_name_the_board(name, call):
    with pytest.raises((ktour.TooLongError, ktour.OutOfMemoryError), match=f"^{name} ") as caught:
        call()
    assert "checkpoint=" not in str(caught.value) or name.startswith("12x12 remove")


def test_titles_name_piece_and_holes():
    board = Board("4x4", piece="king", remove="a1")
    assert board.title == "4x4 piece=0,1+1,1 remove=a1" and Board("5x6", wrap="torus").title == "5x6 torus"
    assert Board("4x4").title == "4x4" and board.restrict(require="b1-b2").title == f"{board.title} with b1-b2"
    assert f"<title>use of moves in all tours: {board.title} closed" in ktour.stats(board, "closed").svg()
    estimate = ktour.estimate(board, probes=2)
    assert (estimate["board"], estimate["board_text"]) == (board.title, str(board))
    assert Board(estimate["board_text"]) == board
    many = Board("20x20", remove=[square for square in Board("20x20").squares if square[0] < "f"])
    assert many.title.endswith(",... (100 squares)") and len(many.title) < 80
    for board in [board, many, Board("5x6", wrap="torus"), Board("6x6")]:
        assert eval(repr(board)) == board


def test_all_pickle_protocols_keep_results():
    results = [Board("5x6"), ktour.find("5x6", seed=1), ktour.stats("5x6", "closed"), ktour.count("5x6")]
    for result in results:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(result, protocol)) == result
