"""Types of ktour. What things do is in their docstrings."""

import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Literal, NamedTuple, Optional, Sequence, Tuple, Union
from typing import overload

__version__: str

Kind = Literal["closed", "open", "paths"]
Engine = Literal["auto", "backtrack", "multipath", "frontier"]
Symmetry = Literal["rot180", "rot90", "axial", "diagonal", "eulerian", "bergholtian"]
Palette = Literal["wood", "viridis", "mono"]
Wrap = Literal["none", "cols", "rows", "torus", "mobius", "klein", "projective"]
Leaper = Union[Tuple[int, int], List[Tuple[int, int]]]
Size = Union[str, int, Sequence[int]]
Square = Any
"""The name of a square, such as "a1"; on a board made from a graph, a node."""
BoardLike = Union["Board", str, int, Sequence[int], Any]
"""A Board, "6x8", 8, (6, 8), or a graph of networkx."""
Memory = Union[int, str, None]
"""Bytes, or text such as "8G"."""
Progress = Union[bool, Callable[["Reading"], Any], None]
Path = Union[str, "os.PathLike[str]", None]

class Error(Exception): ...
class UsageError(Error, ValueError): ...
class OutOfMemory(Error, MemoryError): ...
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
    proved: bool

class Svg(str):
    def _repr_svg_(self) -> str: ...

class Board(Sequence[Square]):
    def __init__(
        self,
        size: Size,
        *,
        piece: Optional[str] = None,
        leaper: Optional[Leaper] = None,
        wrap: Optional[Wrap] = None,
        remove: Union[str, Iterable[str], None] = None,
    ) -> None: ...
    @staticmethod
    def from_shape(
        text: str,
        *,
        piece: Optional[str] = None,
        leaper: Optional[Leaper] = None,
        wrap: Optional[Wrap] = None,
        remove: Union[str, Iterable[str], None] = None,
    ) -> Board: ...
    @staticmethod
    def from_graph(text: str) -> Board: ...
    @staticmethod
    def from_networkx(graph: Any) -> Board: ...
    def to_networkx(self) -> Any: ...
    @property
    def squares(self) -> Tuple[Square, ...]: ...
    @property
    def title(self) -> str: ...
    @property
    def symmetries(self) -> Optional[int]: ...
    def moves(self) -> List[Tuple[Square, Square]]: ...
    def neighbours(self, square: Square) -> List[Square]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, place: Any) -> Any: ...

class Tour(Sequence[Square]):
    def __init__(self, board: BoardLike, squares: Union[str, Iterable[Square]], closed: Optional[bool] = None) -> None: ...
    @property
    def board(self) -> Board: ...
    @property
    def kind(self) -> Literal["closed", "open", "re-entrant"]: ...
    @property
    def symmetry(self) -> Optional[str]: ...
    @property
    def vertices(self) -> Tuple[int, ...]: ...
    def canonical(self) -> Tour: ...
    def to_numpy(self) -> Any: ...
    def grid(self) -> List[List[int]]: ...
    def svg(
        self,
        *,
        cell: Optional[float] = None,
        numbers: Optional[bool] = None,
        palette: Palette = "wood",
        animate: Optional[float] = None,
    ) -> str: ...
    def _repr_svg_(self) -> str: ...
    def index(self, square: Square) -> int: ...  # type: ignore[override]
    def count(self, square: Square) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, place: Any) -> Any: ...

class Tours(Iterator[Tour]):
    def __next__(self) -> Tour: ...
    def __enter__(self) -> Tours: ...
    def __exit__(self, *error: Any) -> None: ...
    def to_numpy(self) -> Any: ...
    def close(self) -> None: ...

class Stats:
    @property
    def board(self) -> Board: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def total(self) -> int: ...
    @property
    def moves(self) -> Dict[Tuple[Square, Square], int]: ...
    @property
    def ends(self) -> Dict[Square, int]: ...
    def svg(self) -> str: ...
    def _repr_svg_(self) -> str: ...

class Index:
    def __init__(
        self,
        board: BoardLike,
        kind: Kind = "paths",
        *,
        start: Square = None,
        end: Square = None,
        folder: Path = None,
        memory: Memory = None,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> None: ...
    @property
    def board(self) -> Board: ...
    @property
    def total(self) -> int: ...
    @property
    def order(self) -> str: ...
    @property
    def bytes(self) -> int: ...
    @overload
    def unrank(self, numbers: int) -> Tour: ...
    @overload
    def unrank(self, numbers: Iterable[int]) -> List[Tour]: ...
    @overload
    def rank(self, tours: Tour) -> int: ...
    @overload
    def rank(self, tours: Sequence[Tour]) -> List[int]: ...
    def sample(
        self,
        number: int = 1,
        *,
        seed: int = 0,
        distinct: bool = False,
        threads: Optional[int] = None,
        progress: Progress = None,
    ) -> List[Tour]: ...
    def stats(self, *, threads: Optional[int] = None, progress: Progress = None) -> Stats: ...
    def __getitem__(self, place: Any) -> Any: ...

def count(
    board: BoardLike,
    kind: Optional[Kind] = None,
    *,
    distinct: bool = False,
    directed: bool = False,
    symmetry: Optional[Symmetry] = None,
    start: Square = None,
    end: Square = None,
    per_start: bool = False,
    engine: Engine = "auto",
    memory: Memory = None,
    threads: Optional[int] = None,
    checkpoint: Path = None,
    progress: Progress = None,
) -> Any: ...
def classes(
    board: BoardLike,
    kind: Kind = "closed",
    *,
    memory: Memory = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Dict[str, Tuple[int, int]]: ...
def estimate(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    start: Square = None,
    end: Square = None,
    memory: Memory = None,
    probes: int = 32,
    seed: int = 0,
    threads: Optional[int] = None,
) -> Dict[str, Any]: ...
def find(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    start: Square = None,
    end: Square = None,
    seed: int = 0,
    rule: str = "auto",
    attempts: int = 1000,
    threads: Optional[int] = None,
) -> Tour: ...
def tours(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    directed: bool = False,
    distinct: bool = False,
    symmetry: Optional[Symmetry] = None,
    start: Square = None,
    end: Square = None,
    limit: Optional[int] = None,
    moves: Optional[str] = None,
    threads: Optional[int] = None,
) -> Tours: ...
def series(
    boards: str,
    kind: Optional[Kind] = None,
    *,
    piece: Optional[str] = None,
    leaper: Optional[Leaper] = None,
    wrap: Optional[Wrap] = None,
    memory: Memory = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Dict[str, Any]: ...
def recurrence(
    boards: Union[str, Iterable[int]],
    kind: Kind = "closed",
    *,
    piece: Optional[str] = None,
    leaper: Optional[Leaper] = None,
    wrap: Optional[Wrap] = None,
    order: int = 200,
    threads: Optional[int] = None,
) -> Recurrence: ...
def sample(
    board: BoardLike,
    number: int = 1,
    kind: Kind = "paths",
    *,
    seed: int = 0,
    distinct: bool = False,
    start: Square = None,
    end: Square = None,
    index: Path = None,
    memory: Memory = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> List[Tour]: ...
def unrank(
    board: BoardLike,
    numbers: Union[int, Iterable[int]],
    kind: Kind = "paths",
    *,
    start: Square = None,
    end: Square = None,
    index: Path = None,
    memory: Memory = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Any: ...
def rank(
    tours: Union[Tour, Iterable[Tour]],
    *,
    start: Square = None,
    end: Square = None,
    index: Path = None,
    memory: Memory = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Any: ...
def stats(
    board: BoardLike,
    kind: Kind = "paths",
    *,
    start: Square = None,
    end: Square = None,
    index: Path = None,
    memory: Memory = None,
    threads: Optional[int] = None,
    progress: Progress = None,
) -> Stats: ...
def sheet(
    tours: Iterable[Tour],
    *,
    columns: Optional[int] = None,
    cell: Optional[float] = None,
    numbers: Optional[bool] = None,
    palette: Palette = "wood",
) -> Svg: ...
