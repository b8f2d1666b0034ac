"""How far a run is."""

from typing import NamedTuple, Optional


class Reading(NamedTuple):
    """A moment of a run.

    fraction: what is done of it, 0 to 1; seconds since it began, and seconds left by the rate or the estimate
    (None before anything is known); units of work done and in all; nodes visited in them; states and bytes of the
    layer of a sweep, 0 without one.
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
    """A bar of tqdm: `progress=True`."""

    def __init__(self, title):
        from tqdm.auto import tqdm

        form = "{l_bar}{bar}| {elapsed}<{remaining}{postfix}"
        self._bar = tqdm(total=1.0, desc=title, bar_format=form, leave=False)

    def __call__(self, reading):
        self._bar.n = reading.fraction
        if reading.states:
            self._bar.set_postfix_str(f"{reading.states:,} states", refresh=False)
        self._bar.refresh()

    def close(self):
        self._bar.close()
