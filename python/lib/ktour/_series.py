"""Functions that count tours of many boards, and the recurrences of their numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Any, List, Optional, SupportsIndex, Tuple, Union, overload

from . import _ktour
from ._board import leaper_moves, to_whole
from ._counting import to_numbers
from ._errors import InvalidInputError, short_repr
from ._progress import Progress, receiver
from ._results import Counts, Recurrence, SeriesCounts
from ._types import Kind, Leaper, Memory, Symmetry, Wrap


# What series() takes.
BOARDS = 'text such as "5x2..60", or a list of such texts, of sides and of tuples of two sides'


@overload
def series(
    boards: Union[str, Iterable[Union[str, SupportsIndex, Tuple[SupportsIndex, SupportsIndex]]]],
    kind: Kind,
    *,
    distinct: bool = ...,
    directed: bool = ...,
    symmetry: Optional[Symmetry] = ...,
    modulus: Optional[int] = ...,
    piece: Optional[str] = ...,
    leaper: Optional[Leaper] = ...,
    wrap: Optional[Wrap] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> SeriesCounts[int]: ...
@overload
def series(
    boards: Union[str, Iterable[Union[str, SupportsIndex, Tuple[SupportsIndex, SupportsIndex]]]],
    kind: None = ...,
    *,
    distinct: bool = ...,
    directed: bool = ...,
    symmetry: Optional[Symmetry] = ...,
    modulus: Optional[int] = ...,
    piece: Optional[str] = ...,
    leaper: Optional[Leaper] = ...,
    wrap: Optional[Wrap] = ...,
    memory: Optional[Memory] = ...,
    threads: Optional[int] = ...,
    progress: Optional[Progress] = ...,
    force: bool = ...,
) -> SeriesCounts[Counts]: ...
def series(
    boards: Union[str, Iterable[Union[str, SupportsIndex, Tuple[SupportsIndex, SupportsIndex]]]],
    kind: Optional[Kind] = None,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[Symmetry] = None,
    modulus: Optional[int] = None,
    piece: Optional[str] = None,
    leaper: Optional[Leaper] = None,
    wrap: Optional[Wrap] = None,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Union[SeriesCounts[int], SeriesCounts[Counts]]:
    """Count the tours of a series of boards. One sweep counts all boards of a range of lengths.

    Parameters
    ----------
    boards : str, or iterable of str, int or tuple of int
        A range such as "5x2..60", "2..60x5", "5..7x5..7" or "1..8" (squares), or a list of ranges and boards such
        as ``["5x6", "7x4..9"]`` or ``[(5, 6), 6]``.
    kind, distinct, directed, symmetry, modulus, memory, threads, progress, force
        As for `count`.
    piece, leaper, wrap
        As for `Board`.

    Returns
    -------
    SeriesCounts
        A dict from each board, such as "5x2", to its number, or without `kind` to its `Counts`. Ints beyond 2**63
        are plotted by their logarithms: ``[math.log10(n) for n in numbers.values() if n]``.

    Raises
    ------
    KtourError
        The exceptions of `count`. The attribute ``finished`` of an exception, also of KeyboardInterrupt, is a dict
        of the boards that were finished before.

    Examples
    --------
    >>> ktour.series("5x6..8", "closed")
    {'5x6': 8, '5x7': 0, '5x8': 44202}
    """
    if not isinstance(boards, Iterable) or isinstance(boards, (bytes, bytearray)):
        remedy = f"; use boards=[{boards}]" if isinstance(boards, int) else ""
        raise TypeError(f"boards takes {BOARDS}, not {short_repr(boards)}{remedy}")
    if isinstance(boards, tuple) and len(boards) == 2 and not any(isinstance(side, (str, tuple)) for side in boards):
        sides = ", ".join(map(short_repr, boards))
        raise InvalidInputError(f"boards=({sides}) may be one board or two; use [({sides})] or [{sides}]")
    ranges = [_as_range(board) for board in ([boards] if isinstance(boards, str) else boards)]
    if not ranges:
        raise InvalidInputError('boards=[] has no board; give at least one, as in ["5x6", "6x6"]')
    with receiver(progress, _title(ranges, kind, piece, leaper, wrap)) as report:
        rows, error = _ktour.series(
            ranges,
            kind,
            distinct,
            directed,
            symmetry,
            modulus,
            piece,
            leaper_moves(leaper),
            wrap or "none",
            memory,
            threads,
            report,
            force,
        )
    numbers = SeriesCounts((board, to_numbers(kind, row)) for board, row in rows)
    if error is not None:
        error.finished = numbers  # type: ignore[attr-defined]
        raise error
    return numbers


def _title(
    ranges: List[str], kind: Optional[Kind], piece: Optional[str], leaper: Optional[Leaper], wrap: Optional[Wrap]
) -> str:
    """Returns the title of a progress bar."""
    options = {"wrap": wrap, "piece": piece, "leaper": leaper}
    words = [f"{name}={value}" for name, value in options.items() if value is not None]
    return " ".join([*ranges, *words, kind or "tours"])


def _as_range(board: Union[str, SupportsIndex, Tuple[SupportsIndex, SupportsIndex]]) -> str:
    """Returns a range of boards. A single board is a range with one board."""
    if isinstance(board, str):
        text = board
    else:
        try:
            text = "x".join(str(to_whole(side)) for side in (board if isinstance(board, tuple) else (board,)))
        except TypeError:
            raise TypeError(f"boards takes {BOARDS}, not {short_repr(board)}") from None
    sides = text.lower().replace("×", "x").split("x")
    if len(sides) > 2 or not all(side.isdigit() for side in sides):
        # A range, or text that is refused as it is.
        return text
    return f"{sides[0]}x{sides[-1]}..{sides[-1]}"


def recurrence(
    boards: Union[str, Iterable[SupportsIndex]],
    kind: Kind = "paths",
    *,
    directed: bool = False,
    piece: Optional[str] = None,
    leaper: Optional[Leaper] = None,
    wrap: Optional[Wrap] = None,
    order: int = 200,
    memory: Optional[Memory] = None,
    threads: Optional[int] = None,
    progress: Optional[Progress] = None,
    force: bool = False,
) -> Recurrence:
    """Find the linear recurrence of the counts on a line of boards, or of given numbers.

    The terms of a line come from a transfer matrix, as many as are needed. The boards of the line itself are also
    counted by a sweep and compared. For other numbers, such as those of distinct tours, pass the numbers of
    `series`.

    Parameters
    ----------
    boards : str, or iterable of int
        A line such as "5x2..60", or the numbers a(1), a(2), ...
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours of a line. `kind`, `directed`, `piece`, `leaper` and `wrap` are not for numbers.
    directed, memory, threads, progress, force
        As for `count`.
    piece, leaper, wrap
        As for `Board`.
    order : int, default 200
        Highest order, 1 to 100000, of a line and of numbers.

    Returns
    -------
    Recurrence

    Raises
    ------
    KtourError
        If there is no recurrence up to that order, or if all numbers are 0. The message gives the proof, if there
        is one.

    Examples
    --------
    >>> ktour.recurrence("3x4..20", "closed")
    <recurrence of order 21, stride 2, growth 3.1194904567551, proved>
    >>> ktour.recurrence([1, 1, 2, 3, 5, 8, 13, 21]).coefficients
    (1, 1)
    """
    if not isinstance(boards, Iterable) or isinstance(boards, (Mapping, bytes, bytearray)):
        takes = 'a line such as "5x2..60", or a list of numbers'
        remedy = "; use the numbers of the dict, its values()" if isinstance(boards, Mapping) else ""
        raise TypeError(f"boards takes {takes}, not {short_repr(boards)}{remedy}")
    title = "recurrence"
    if isinstance(boards, str):
        title = f"recurrence {_title([boards], kind, piece, leaper, wrap)}"
    with receiver(progress, title) as report:
        if isinstance(boards, str):
            moves = leaper_moves(leaper)
            run = threads, report, force
            row = _ktour.recurrence_of_line(
                boards, kind, directed, piece, moves, wrap or "none", order, memory, *run
            )
        else:
            options = {"kind": kind != "paths", "directed": directed, "piece": piece, "leaper": leaper, "wrap": wrap}
            given = [f"{name}=" for name, value in options.items() if value not in (None, False)]
            if given:
                names = ", ".join(given)
                raise InvalidInputError(f'numbers have no {names}; use a line such as "5x2..60", or omit that')
            row = _ktour.recurrence_of_terms([_check_term(term) for term in boards], order, threads, report)
    fields: Any = (tuple(field) if isinstance(field, list) else field for field in row)
    return Recurrence(*fields)


def _check_term(term: Any) -> int:
    """Returns a term of a sequence as an int from 0."""
    try:
        whole = operator.index(term)
    except TypeError:
        raise TypeError(f"a term is a whole number, not {short_repr(term)}") from None
    if whole < 0:
        raise InvalidInputError(f"term {whole} is below 0; give terms from 0")
    return whole
