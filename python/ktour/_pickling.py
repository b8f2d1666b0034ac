"""Functions that pickles call to restore boards and tours."""

from types import SimpleNamespace

from ._ktour import Board, Tour


def restore_board(text):
    """Returns the board with a text form."""
    return Board(text)


def restore_graph(nodes, edges):
    """Returns the board of a graph. edges: pairs of positions in nodes."""
    named = [(nodes[v], nodes[w]) for v, w in edges]
    return Board.from_networkx(SimpleNamespace(nodes=nodes, edges=named))


def restore_tour(board, vertices, closed):
    """Returns the tour of a board with these vertices, which are positions in board.squares."""
    squares = board.squares
    return Tour(board, [squares[v] for v in vertices], closed)
