"""What pickles are made of."""

from types import SimpleNamespace

from ._ktour import Board, Tour


def board(text):
    return Board(text)


def graph(nodes, edges):
    named = [(nodes[v], nodes[w]) for v, w in edges]
    return Board.from_networkx(SimpleNamespace(nodes=nodes, edges=named))


def tour(board, vertices, closed):
    squares = board.squares
    return Tour(board, [squares[v] for v in vertices], closed)
