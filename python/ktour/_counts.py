"""Numbers that belong together."""

from typing import List, NamedTuple, Optional


class Counts(NamedTuple):
    """Numbers of tours by kind; None where a kind does not go with what was asked."""

    closed: Optional[int]
    open: Optional[int]
    paths: Optional[int]


class Recurrence(NamedTuple):
    """a(n) = coefficients[0] a(n-1) + coefficients[1] a(n-2) + ... for n > holds_after.

    With a stride s only every s-th term is not 0, and the recurrence is of those: a(s m) in terms of
    a(s (m-1)), ... numerator and denominator are those of the generating function, the constant first, in x^s.
    growth is the ratio of numbers for one more square of length. It was found in so many terms, holds for
    `verified` of them after those that begin it, which are `beyond` more than it takes to find it; and it is proved
    where the number of states bounds its order, else it fits these terms and no more is known.
    """

    order: int
    stride: int
    coefficients: List[int]
    holds_after: int
    numerator: List[int]
    denominator: List[int]
    growth: Optional[float]
    terms: int
    verified: int
    beyond: int
    proved: bool


class Moves(dict):
    """Numbers by move, each move once: a pair of squares, found in either order."""

    def _turned(self, move):
        """The same move the other way round, if that is how it is kept."""
        if isinstance(move, tuple) and len(move) == 2:
            turned = (move[1], move[0])
            if dict.__contains__(self, turned):
                return turned
        return None

    def __missing__(self, move):
        turned = self._turned(move)
        if turned is None:
            raise KeyError(move)
        return self[turned]

    def __contains__(self, move):
        return dict.__contains__(self, move) or self._turned(move) is not None

    def get(self, move, default=None):
        return self[move] if move in self else default


for _class in (Counts, Recurrence):
    _class.__module__ = "ktour"
del _class
