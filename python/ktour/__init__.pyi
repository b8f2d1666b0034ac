"""Types of ktour. The docstrings are in the module."""

import os
from typing import Any, Callable, Dict, Hashable, Iterable, Iterator, List, Literal, NamedTuple, Optional, Protocol
from typing import Sequence, Tuple, TypedDict, Union, final, overload

import networkx
import numpy
from numpy.typing import NDArray

__version__: str

_Kind = Literal["closed", "open", "paths"]
_Engine = Literal["auto", "backtrack", "multipath", "frontier"]
_Symmetry = Literal["rot180", "rot90", "axial", "diagonal", "eulerian", "bergholtian"]
_Palette = Literal["wood", "viridis", "mono"]
_Wrap = Literal["none", "cols", "rows", "torus", "mobius", "klein", "projective"]
_Rule = Literal[
    "auto",
    "warnsdorff",
    "warnsdorff-first",
    "pohl",
    "pohl-3",
    "pohl-4",
    "pohl-5",
    "pohl-6",
    "roth",
    "squirrel-cull",
    "w2",
    "w+",
]
_Leaper = Union[Tuple[int, int], List[Tuple[int, int]]]
_Square = Any
"""The name of a square, a str such as "a1". On a board made from a graph: a node, of any type."""

class _GraphLike(Protocol):
    """A graph, such as a networkx.Graph."""

    @property
    def nodes(self) -> Iterable[Hashable]: ...
    @property
    def edges(self) -> Iterable[Tuple[Any, ...]]: ...

_BoardLike = Union["Board", str, int, Sequence[int], _GraphLike]
"""A Board, "6x8", 8, (6, 8), or a graph of networkx."""
_Memory = Union[int, str, None]
"""Bytes, or text such as "8G"."""
_Progress = Union[bool, Callable[["Reading"], object], None]
_Path = Union[str, "os.PathLike[str]", None]

class _Search(TypedDict):
    nodes: float
    nodes_error: float
    tours: float
    tours_error: float
    seconds: Optional[float]

class _Sweep(TypedDict):
    seconds: Optional[float]
    memory_bytes: Optional[int]
    disk_bytes: int
    exact: bool

class _Estimate(TypedDict):
    board: str
    kind: _Kind
    search: Optional[_Search]
    sweep: Optional[_Sweep]
    cheaper: _Engine

class Error(Exception): ...
class UsageError(Error, ValueError): ...
class OutOfMemory(Error, MemoryError): ...
class TooLong(Error): ...
class NoTour(Error, LookupError): ...
class GaveUp(Error): ...
class Stopped(Error): ...

class Counts(NamedTuple):
    closed: Optional[int]
    open: Optional[int]
    paths: Optional[int]

class Reading(NamedTuple):
    fraction: float
    seconds: float
    seconds_left: Optional[float]
    units_done: int
    units: int
    nodes: int
    states: int
    bytes: int

class Recurrence(NamedTuple):
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

class Svg(str):
    def _repr_svg_(self) -> str: ...

@final
class Board(Sequence[_Square]):
    def __new__(
        cls,
        size: _BoardLike,
        *,
        piece: Optional[str] = None,
        leaper: Optional[_Leaper] = None,
        wrap: Optional[_Wrap] = None,
        remove: Union[str, Iterable[str], None] = None,
    ) -> Board: ...
    @staticmethod
    def from_shape(
        text: str,
        *,
        squares: Optional[str] = None,
        holes: Optional[str] = None,
        piece: Optional[str] = None,
        leaper: Optional[_Leaper] = None,
        wrap: Optional[_Wrap] = None,
        remove: Union[str, Iterable[str], None] = None,
    ) -> Board: ...
    @staticmethod
    def from_graph(text: str) -> Board: ...
    @staticmethod
    def from_graphs(text: str) -> list[Board]: ...
    @staticmethod
    def from_networkx(graph: _GraphLike) -> Board: ...
    def to_networkx(self) -> networkx.Graph: ...
    @property
    def squares(self) -> Tuple[_Square, ...]: ...
    @property
    def title(self) -> str: ...
    @property
    def symmetries(self) -> Optional[int]: ...
    def moves(self) -> List[Tuple[_Square, _Square]]: ...
    def neighbours(self, square: _Square) -> List[_Square]: ...
    def index(  # type: ignore[override]
        self, square: _Square, start: Optional[int] = None, stop: Optional[int] = None
    ) -> int: ...
    def count(self, square: _Square) -> int: ...  # type: ignore[override]
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, place: int, /) -> _Square: ...
    @overload
    def __getitem__(self, place: slice, /) -> List[_Square]: ...

@final
class Tour(Sequence[_Square]):
    def __new__(
        cls, board: _BoardLike, squares: Union[str, Iterable[_Square]], closed: Optional[bool] = None
    ) -> Tour: ...
    @property
    def board(self) -> Board: ...
    @property
    def kind(self) -> Literal["closed", "open", "re-entrant"]: ...
    @property
    def symmetry(self) -> Optional[str]: ...
    @property
    def vertices(self) -> Tuple[int, ...]: ...
    def canonical(self) -> Tour: ...
    def to_numpy(self) -> Union[NDArray[numpy.uint8], NDArray[numpy.uint32]]: ...
    def grid(self) -> List[List[int]]: ...
    def svg(
        self,
        *,
        cell: Optional[float] = None,
        numbers: Optional[bool] = None,
        palette: _Palette = "wood",
        animate: Optional[float] = None,
    ) -> str: ...
    def _repr_svg_(self) -> str: ...
    def index(  # type: ignore[override]
        self, square: _Square, start: Optional[int] = None, stop: Optional[int] = None
    ) -> int: ...
    def count(self, square: _Square) -> int: ...  # type: ignore[override]
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, place: int, /) -> _Square: ...
    @overload
    def __getitem__(self, place: slice, /) -> List[_Square]: ...

@final
class Tours(Iterator[Tour]):
    def __next__(self) -> Tour: ...
    def __enter__(self) -> Tours: ...
    def __exit__(self, _kind: object, _error: object, _trace: object) -> None: ...
    def to_numpy(self) -> NDArray[numpy.uint8]: ...
    def close(self) -> None: ...

@final
class Stats:
    @property
    def board(self) -> Board: ...
    @property
    def kind(self) -> _Kind: ...
    @property
    def total(self) -> int: ...
    @property
    def moves(self) -> Dict[Tuple[_Square, _Square], int]: ...
    @property
    def ends(self) -> Dict[_Square, int]: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...

@final
class Index:
    def __new__(
        cls,
        board: _BoardLike,
        kind: _Kind = "paths",
        *,
        start: _Square = None,
        end: _Square = None,
        folder: _Path = None,
        memory: _Memory = None,
        threads: Optional[int] = None,
        progress: _Progress = None,
        force: bool = False,
    ) -> Index: ...
    @property
    def board(self) -> Board: ...
    @property
    def total(self) -> int: ...
    @property
    def order(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    @overload
    def unrank(self, numbers: int, *, threads: Optional[int] = None, progress: _Progress = None) -> Tour: ...
    @overload
    def unrank(
        self, numbers: Iterable[int], *, threads: Optional[int] = None, progress: _Progress = None
    ) -> List[Tour]: ...
    @overload
    def rank(self, tours: Tour, *, threads: Optional[int] = None, progress: _Progress = None) -> int: ...
    @overload
    def rank(
        self, tours: Iterable[Tour], *, threads: Optional[int] = None, progress: _Progress = None
    ) -> List[int]: ...
    def sample(
        self,
        number: int = 1,
        *,
        seed: int = 0,
        distinct: bool = False,
        threads: Optional[int] = None,
        progress: _Progress = None,
    ) -> List[Tour]: ...
    def stats(self, *, threads: Optional[int] = None, progress: _Progress = None) -> Stats: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Tour]: ...
    def __reversed__(self) -> Iterator[Tour]: ...
    def __contains__(self, tour: object, /) -> bool: ...
    @overload
    def __getitem__(self, place: int, /) -> Tour: ...
    @overload
    def __getitem__(self, place: slice, /) -> List[Tour]: ...

@overload
def count(
    board: _BoardLike,
    kind: _Kind,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[_Symmetry] = None,
    start: _Square = None,
    end: _Square = None,
    per_start: Literal[False] = False,
    engine: _Engine = "auto",
    modulus: Optional[int] = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    checkpoint: _Path = None,
    progress: _Progress = None,
    force: bool = False,
) -> int: ...
@overload
def count(
    board: _BoardLike,
    kind: None = None,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[_Symmetry] = None,
    start: _Square = None,
    end: _Square = None,
    per_start: Literal[False] = False,
    engine: _Engine = "auto",
    modulus: Optional[int] = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    checkpoint: _Path = None,
    progress: _Progress = None,
    force: bool = False,
) -> Counts: ...
@overload
def count(
    board: _BoardLike,
    kind: _Kind,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[_Symmetry] = None,
    start: _Square = None,
    end: _Square = None,
    per_start: Literal[True],
    engine: _Engine = "auto",
    modulus: Optional[int] = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    checkpoint: _Path = None,
    progress: _Progress = None,
    force: bool = False,
) -> Dict[_Square, int]: ...
@overload
def count(
    board: _BoardLike,
    kind: None = None,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[_Symmetry] = None,
    start: _Square = None,
    end: _Square = None,
    per_start: Literal[True],
    engine: _Engine = "auto",
    modulus: Optional[int] = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    checkpoint: _Path = None,
    progress: _Progress = None,
    force: bool = False,
) -> Dict[_Square, Counts]: ...
def classes(
    board: _BoardLike,
    kind: _Kind = "closed",
    *,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> Dict[str, Tuple[int, int]]: ...
def estimate(
    board: _BoardLike,
    kind: _Kind = "paths",
    *,
    start: _Square = None,
    end: _Square = None,
    memory: _Memory = None,
    probes: int = 32,
    seed: int = 0,
    threads: Optional[int] = None,
    progress: _Progress = None,
) -> _Estimate: ...
def find(
    board: _BoardLike,
    kind: _Kind = "paths",
    *,
    start: _Square = None,
    end: _Square = None,
    seed: int = 0,
    rule: _Rule = "auto",
    attempts: int = 1000,
    threads: Optional[int] = None,
    progress: _Progress = None,
) -> Tour: ...
def read_tours(
    path: Union[str, os.PathLike[str]],
    *,
    board: Optional[_BoardLike] = None,
    kind: Optional[_Kind] = None,
    coordinates: Optional[Literal["row,column", "x,y"]] = None,
    mixed: bool = False,
) -> List[Tour]: ...
def tours(
    board: _BoardLike,
    kind: _Kind = "paths",
    *,
    directed: bool = False,
    distinct: bool = False,
    symmetry: Optional[_Symmetry] = None,
    start: _Square = None,
    end: _Square = None,
    limit: Optional[int] = None,
    moves: Optional[str] = None,
    threads: Optional[int] = None,
) -> Tours: ...
@overload
def series(
    boards: Union[str, Iterable[str]],
    kind: _Kind,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[_Symmetry] = None,
    modulus: Optional[int] = None,
    piece: Optional[str] = None,
    leaper: Optional[_Leaper] = None,
    wrap: Optional[_Wrap] = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> Dict[str, int]: ...
@overload
def series(
    boards: Union[str, Iterable[str]],
    kind: None = None,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[_Symmetry] = None,
    modulus: Optional[int] = None,
    piece: Optional[str] = None,
    leaper: Optional[_Leaper] = None,
    wrap: Optional[_Wrap] = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> Dict[str, Counts]: ...
def recurrence(
    boards: Union[str, Iterable[int]],
    kind: _Kind = "closed",
    *,
    directed: bool = False,
    piece: Optional[str] = None,
    leaper: Optional[_Leaper] = None,
    wrap: Optional[_Wrap] = None,
    order: int = 200,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> Recurrence: ...
def sample(
    board: _BoardLike,
    number: int = 1,
    kind: _Kind = "paths",
    *,
    seed: int = 0,
    distinct: bool = False,
    start: _Square = None,
    end: _Square = None,
    index: _Path = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> List[Tour]: ...
@overload
def unrank(
    board: _BoardLike,
    numbers: int,
    kind: _Kind = "paths",
    *,
    start: _Square = None,
    end: _Square = None,
    index: _Path = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> Tour: ...
@overload
def unrank(
    board: _BoardLike,
    numbers: Iterable[int],
    kind: _Kind = "paths",
    *,
    start: _Square = None,
    end: _Square = None,
    index: _Path = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> List[Tour]: ...
@overload
def rank(
    tours: Tour,
    *,
    start: _Square = None,
    end: _Square = None,
    index: _Path = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> int: ...
@overload
def rank(
    tours: Iterable[Tour],
    *,
    start: _Square = None,
    end: _Square = None,
    index: _Path = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> List[int]: ...
def stats(
    board: _BoardLike,
    kind: _Kind = "paths",
    *,
    start: _Square = None,
    end: _Square = None,
    index: _Path = None,
    memory: _Memory = None,
    threads: Optional[int] = None,
    progress: _Progress = None,
    force: bool = False,
) -> Stats: ...
def sheet(
    tours: Iterable[Tour],
    *,
    columns: Optional[int] = None,
    cell: Optional[float] = None,
    numbers: Optional[bool] = None,
    palette: _Palette = "wood",
) -> Svg: ...
