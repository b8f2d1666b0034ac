"""Exceptions: one line each, and the parents that callers expect."""


class Error(Exception):
    """Something went wrong: one line says what, where, and what helps."""


class UsageError(Error, ValueError):
    """What was asked for cannot be."""


class OutOfMemory(Error, MemoryError):
    """It does not fit into the memory that it may use."""


class TooLong(Error):
    """It would take years: force=True begins all the same."""


class NoTour(Error, LookupError):
    """There is no such tour, and why."""


class GaveUp(Error):
    """No tour was found, though there may be one."""


class Stopped(Error):
    """The run was ended before its end."""


for _class in (Error, UsageError, OutOfMemory, TooLong, NoTour, GaveUp, Stopped):
    _class.__module__ = "ktour"
del _class
