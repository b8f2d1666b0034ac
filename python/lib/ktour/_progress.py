"""Progress of a run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Callable, Iterator, NamedTuple, Optional, Union

from ._errors import short_repr


class Reading(NamedTuple):
    """Progress of a run at one moment.

    Attributes
    ----------
    fraction : float
        Finished part, 0 to 1.
    seconds : float
        Time since the start.
    seconds_left : float or None
        Estimated time left, or None if it is unknown.
    units_done, units : int
        Finished units of work, and all; 0 until they are planned.
    nodes : int
        Nodes of the search tree visited so far.
    states, bytes : int
        Size of the current layer of a sweep; 0 without a sweep.
    """

    fraction: float
    seconds: float
    seconds_left: Optional[float]
    units_done: int
    units: int
    nodes: int
    states: int
    bytes: int


Progress = Union[bool, Callable[[Reading], object]]
"""True for a progress bar, or a function that receives readings."""


class Bar:
    """A tqdm progress bar."""

    def __init__(self, title: str) -> None:
        try:
            from tqdm.auto import tqdm
        except ModuleNotFoundError:
            raise ModuleNotFoundError("progress=True needs tqdm; use pip install 'ktour[all]'") from None
        layout = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        self._bar = tqdm(total=1.0, desc=title, bar_format=layout, leave=False)

    def __call__(self, reading: Reading) -> None:
        self._bar.n = reading.fraction
        if reading.states:
            self._bar.set_postfix_str(f"{reading.states:,} states", refresh=False)
        self._bar.refresh()

    def close(self) -> None:
        self._bar.close()


@contextmanager
def receiver(progress: Optional[Progress], title: str) -> Iterator[Optional[Callable[[Reading], object]]]:
    """Yields the function that receives the readings of a run, or None. Closes the bar at the end."""
    if progress is None or progress is False:
        yield None
    elif progress is True:
        bar = Bar(title)
        try:
            yield bar
        finally:
            bar.close()
    elif callable(progress):
        yield progress
    else:
        raise TypeError(f"progress is True, or a function that takes a Reading, not {short_repr(progress)}")
