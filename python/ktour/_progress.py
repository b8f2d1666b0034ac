"""Progress of a run."""

from typing import NamedTuple, Optional


class Reading(NamedTuple):
    """Progress of a run at one moment.

    - fraction: finished part, 0 to 1.
    - seconds: time since the start.
    - seconds_left: estimated time left, or None if it is unknown.
    - units_done, units: finished units of work, and all.
    - nodes: nodes of the search tree visited so far.
    - states, bytes: size of the current layer of a sweep; 0 without a sweep.
    """

    fraction: float
    seconds: float
    seconds_left: Optional[float]
    units_done: int
    units: int
    nodes: int
    states: int
    bytes: int


Reading.__module__ = "ktour"


class Bar:
    """A tqdm progress bar, for `progress=True`."""

    def __init__(self, title):
        from tqdm.auto import tqdm

        layout = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        self._bar = tqdm(total=1.0, desc=title, bar_format=layout, leave=False)

    def __call__(self, reading):
        self._bar.n = reading.fraction
        if reading.states:
            self._bar.set_postfix_str(f"{reading.states:,} states", refresh=False)
        self._bar.refresh()

    def close(self):
        self._bar.close()
