"""Exceptions. Every message is one line."""


class Error(Exception):
    """A failure. The message names the cause and a remedy."""


class UsageError(Error, ValueError):
    """Invalid arguments."""


class OutOfMemory(Error, MemoryError):
    """The run needs more memory or disk than is available."""


class TooLong(Error):
    """The run would take more than a year. force=True starts it anyway."""


class NoTour(Error, LookupError):
    """No tour exists. The message gives the reason."""


class GaveUp(Error):
    """No tour was found, though one may exist."""


class Stopped(Error):
    """The run was stopped before it was complete."""


for _class in (Error, UsageError, OutOfMemory, TooLong, NoTour, GaveUp, Stopped):
    _class.__module__ = "ktour"
del _class
