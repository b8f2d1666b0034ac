"""Tours by number: the class Index."""

from __future__ import annotations

import operator
import os
import random
from collections.abc import Iterable, Sequence
from typing import Any, Dict, Iterator, List, Optional, SupportsIndex, Tuple, TypeVar, Union, final, overload

from . import _ktour
from ._board import Board, BoardLike, positions_between, to_board, to_number
from ._errors import InvalidInputError, short_repr
from ._ktour import Tour
from ._progress import Progress, receiver
from ._results import Stats, kind_plural, make_stats
from ._types import Kind, Memory, Path, Square

# Tours are fetched in batches of this size, which is faster than one by one.
BATCH_TOURS = 256

AnyPath = TypeVar("AnyPath", bound=Optional[Path])


def choose_seed(seed: Optional[int]) -> int:
    """Returns the seed, or a random one from the module `random`."""
    return random.getrandbits(64) if seed is None else seed


def check_path(path: AnyPath, argument: str) -> AnyPath:
    """Returns an optional path. The error names the argument."""
    if isinstance(path, str) and not path:
        raise InvalidInputError(f'{argument}="" is empty; use a path')
    return path


@final
class Index(Sequence[Tour]):
    """All tours of a board by number, from 0 to one less than their count; a sequence of tours.

    A sweep builds the index in about twice the time of a count. The tours themselves are never enumerated.
    ``index[k]`` is tour number k, an int of any size, or a list of tours for a slice. The numbering has no meaning.
    It is fixed as long as `order` is equal. Open tours have no numbers, but can be sampled. An index that is stored
    in a folder is picklable.

    Parameters
    ----------
    board : Board, str, int, tuple of int, or graph
        The board, as for `Board`.
    kind : {"paths", "closed", "open"}, default "paths"
        Kind of the tours.
    start, end : square, optional
        First and last square of the tours, which are then directed.
    folder : path, optional
        Folder that stores the layers of the index. A later call loads them from there. Default: in memory.
    memory : int or str, optional
        Memory limit in bytes, or as text such as "8G". Default: the available memory.
    threads : int, optional
        Number of threads, 1 to 1024. Default: one for each core.
    progress : bool or callable, optional
        True for a progress bar (needs tqdm), or a function that is called with a `Reading` about 10 times a
        second.
    force : bool, default False
        True to start even if the estimate exceeds memory, disk or a year.

    Raises
    ------
    InvalidInputError
        If an argument is not allowed.
    OutOfMemoryError, TooLongError
        If the estimate exceeds memory or disk, or a year.
    FileError
        If the folder cannot be used.

    Examples
    --------
    >>> index = ktour.Index("6x8", "closed")
    >>> index.total
    55488142
    >>> index.rank(index[12345678])
    12345678
    """

    __slots__ = ("_core", "_arguments")

    def __init__(
        self,
        board: BoardLike,
        kind: Kind = "paths",
        *,
        start: Square = None,
        end: Square = None,
        folder: Optional[Path] = None,
        memory: Optional[Memory] = None,
        threads: Optional[int] = None,
        progress: Optional[Progress] = None,
        force: bool = False,
    ) -> None:
        board = to_board(board)
        ends = to_number(board, start, "start"), to_number(board, end, "end")
        folder = check_path(folder, "folder")
        with receiver(progress, f"{board.title} {kind}") as report:
            self._core = _ktour.IndexCore(board, kind, *ends, folder, memory, threads, report, force)
        # A pickle may be loaded in another working folder.
        self._arguments = board, kind, start, end, None if folder is None else os.path.abspath(folder), memory

    @property
    def board(self) -> Board:
        """Board of the tours."""
        return self._arguments[0]

    @property
    def kind(self) -> Kind:
        """Kind of the tours."""
        return self._arguments[1]

    @property
    def total(self) -> int:
        """Number of tours in the index. For open tours: the number of paths."""
        return self._core.total

    @property
    def order(self) -> str:
        """Name of the order of the numbers. Indexes with another order number the tours differently."""
        return self._core.order

    @property
    def bytes(self) -> int:
        """Size of the stored layers in bytes."""
        return self._core.bytes

    @overload
    def unrank(
        self, numbers: Iterable[SupportsIndex], *, threads: Optional[int] = ..., progress: Optional[Progress] = ...
    ) -> List[Tour]: ...
    @overload
    def unrank(
        self, numbers: SupportsIndex, *, threads: Optional[int] = ..., progress: Optional[Progress] = ...
    ) -> Tour: ...
    def unrank(
        self,
        numbers: Union[SupportsIndex, Iterable[SupportsIndex]],
        *,
        threads: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> Union[Tour, List[Tour]]:
        """Return the tour with a number, or the tours with several numbers.

        Takes some milliseconds per tour. One call for many numbers is faster than many calls.

        Parameters
        ----------
        numbers : int, or iterable of int
            Numbers from 0.
        threads, progress
            As for `Index`.

        Returns
        -------
        Tour, or list of Tour

        Raises
        ------
        IndexError
            If no tour has the number.
        OutOfMemoryError
            If the list would exceed the available memory.

        Examples
        --------
        >>> index = ktour.Index("5x6", "closed")
        >>> len(index.unrank([3, 5]))
        2
        """
        # Iterables come first, because an array of numpy may also pass as an integer.
        try:
            several = None if isinstance(numbers, (str, bytes, bytearray)) else iter(numbers)  # type: ignore[arg-type]
        except TypeError:
            several = None
        if several is not None and hasattr(numbers, "__len__"):
            # Ranges may be longer than the largest value of len().
            self._core.check_list_memory(range_length(numbers))
        checked = [self._check_number(number) for number in (several if several is not None else [numbers])]
        with receiver(progress, "unrank") as report:
            tours = self._core.unrank(checked, threads, report)
        return tours[0] if several is None else tours

    def _check_number(self, number: Any) -> int:
        """Returns a number of a tour as an int from 0."""
        try:
            whole = operator.index(number)
        except TypeError:
            raise TypeError(f"numbers takes the number of a tour, or several, not {short_repr(number)}") from None
        if whole < 0:
            remedy = f"; use a number from 0 to {self.total - 1}" if self.total else ""
            raise IndexError(f"there is no tour {whole}{remedy}")
        return whole

    @overload
    def rank(self, tours: Tour, *, threads: Optional[int] = ..., progress: Optional[Progress] = ...) -> int: ...
    @overload
    def rank(
        self, tours: Iterable[Tour], *, threads: Optional[int] = ..., progress: Optional[Progress] = ...
    ) -> List[int]: ...
    def rank(
        self,
        tours: Union[Tour, Iterable[Tour]],
        *,
        threads: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> Union[int, List[int]]:
        """Return the number of a tour, or the numbers of several tours.

        Parameters
        ----------
        tours : Tour, or iterable of Tour
            Tours of the board and kind of the index.
        threads, progress
            As for `Index`.

        Returns
        -------
        int, or list of int

        Raises
        ------
        InvalidInputError
            For a tour without a number: a path in an index of closed tours, or a closed tour in an index of paths.

        Examples
        --------
        >>> index = ktour.Index("5x6", "closed")
        >>> index.rank(index[3])
        3
        """
        with receiver(progress, "rank") as report:
            if isinstance(tours, Tour):
                return self._core.rank([tours], threads, report)[0]
            return self._core.rank(tours, threads, report)

    def sample(
        self,
        number: int = 1,
        *,
        distinct: bool = False,
        seed: Optional[int] = None,
        threads: Optional[int] = None,
        progress: Optional[Progress] = None,
    ) -> List[Tour]:
        """Draw tours uniformly and independently.

        Parameters
        ----------
        number : int, default 1
            Number of tours.
        distinct : bool, default False
            True to make every class under the symmetries of the board equally likely.
        seed : int, optional
            Seed from 0 to 2**64 - 1. Equal seeds give equal tours, for any number of threads. Default: a random
            seed from the module `random`; each tour has it as ``tour.seed``.
        threads, progress
            As for `Index`.

        Returns
        -------
        list of Tour

        Raises
        ------
        NoTourError
            If the board has no tour.

        Examples
        --------
        >>> index = ktour.Index("5x6", "closed")
        >>> index.rank(index.sample(3, seed=1))
        [0, 6, 4]
        """
        with receiver(progress, "sample") as report:
            return self._core.sample(number, choose_seed(seed), distinct, threads, report)

    def stats(self, *, threads: Optional[int] = None, progress: Optional[Progress] = None) -> Stats:
        """Count the uses of each move and the ends on each square, over all tours, exactly.

        Parameters
        ----------
        threads, progress
            As for `Index`.

        Returns
        -------
        Stats

        Examples
        --------
        >>> ktour.Index("5x6", "closed").stats().total
        8
        """
        with receiver(progress, "stats") as report:
            return make_stats(self.board, self.kind, *self._core.stats(threads, report))

    def __bool__(self) -> bool:
        # The number of tours may exceed the limit of len().
        return self.total > 0

    def __len__(self) -> int:
        if self.kind == "open":
            raise InvalidInputError("open tours have no numbers; use kind=\"paths\", or sample open tours")
        try:
            return len(range(self.total))
        except OverflowError:
            raise OverflowError("the number of tours exceeds the limit of len(); use index.total") from None

    @overload
    def __getitem__(self, position: SupportsIndex) -> Tour: ...
    @overload
    def __getitem__(self, position: slice) -> List[Tour]: ...
    def __getitem__(self, position: Any) -> Union[Tour, List[Tour]]:
        if isinstance(position, slice):
            return self.unrank(range(*position.indices(self.total)))
        try:
            whole = operator.index(position)
        except TypeError:
            raise TypeError(f"an index is the number of a tour, or a slice, not {short_repr(position)}") from None
        # Negative numbers count from the end.
        return self.unrank(whole + self.total if -self.total <= whole < 0 else whole)

    def __iter__(self) -> Iterator[Tour]:
        return self._batches(range(self.total))

    def __reversed__(self) -> Iterator[Tour]:
        return self._batches(range(self.total - 1, -1, -1))

    def _batches(self, numbers: range) -> Iterator[Tour]:
        while numbers:
            yield from self.unrank(numbers[:BATCH_TOURS])
            numbers = numbers[BATCH_TOURS:]

    def index(self, tour: Tour, start: int = 0, stop: Optional[int] = None) -> int:
        """Return the number of a tour, as `rank` does.

        Parameters
        ----------
        tour : Tour
            Tour of the board and kind of the index.
        start, stop : int, optional
            Numbers between which the number of the tour must lie, as for ``list.index``.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If the tour has no number, or its number is not between `start` and `stop`.

        Examples
        --------
        >>> index = ktour.Index("5x6", "closed")
        >>> index.index(index[3])
        3
        """
        if not isinstance(tour, Tour):
            raise TypeError(f"tour takes a Tour, not {short_repr(tour)}; use rank for several tours")
        between = positions_between(start, stop, self.total)
        number = self.rank(tour)
        if number in between:
            return number
        raise ValueError(f"tour {number} is not between start and stop")

    def count(self, tour: object) -> int:
        """Return 1 for a tour of the index, and 0 for any other value.

        Parameters
        ----------
        tour : object
            Any value.

        Returns
        -------
        int
        """
        return int(tour in self)

    def __contains__(self, tour: object) -> bool:
        return isinstance(tour, Tour) and self._core.contains(tour)

    def __copy__(self) -> Index:
        # An index cannot be changed.
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> Index:
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        if self._arguments[4] is None:
            raise TypeError("an index in memory cannot be pickled; store it in a folder, with folder=")
        return _load_index, self._arguments

    def __repr__(self) -> str:
        if self.kind == "open":
            return f"<index for samples of open tours, among {self.total} paths of {self.board.title}>"
        return f"<index of {self.total} {kind_plural(self.kind)} of {self.board.title}>"


def _load_index(board: Board, kind: Kind, start: Square, end: Square, folder: Path, memory: Memory) -> Index:
    return Index(board, kind, start=start, end=end, folder=folder, memory=memory)


def range_length(numbers: Any) -> int:
    """Returns the length of a sequence, also of a range that exceeds the limit of len()."""
    try:
        return len(numbers)
    except OverflowError:
        return 2**64
