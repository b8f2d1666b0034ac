"""Exceptions. Every message is one line: what is wrong with which value, and a remedy."""

from typing import Any, Tuple


class KtourError(Exception):
    """A failure; the parent of all exceptions of ktour."""


class InvalidInputError(KtourError, ValueError):
    """An argument, or a combination of arguments, that is not allowed."""


class OutOfMemoryError(KtourError, MemoryError):
    """A run that needs more memory or disk than is available. ``force=True`` starts it anyway."""


class TooLongError(KtourError):
    """A run that would take more than a year. ``force=True`` starts it anyway."""


class NoTourError(KtourError, LookupError):
    """The board has no such tour. The message gives the reason."""


class GaveUpError(KtourError):
    """`find` found no tour, though one may exist."""


class StoppedError(KtourError):
    """A run that was stopped before it was complete."""


class FileError(KtourError, OSError):
    """A file or folder that cannot be read or written, is damaged, or belongs to another run.

    ``filename`` is its path. ``errno`` is the error number of the system, or None.
    """

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""

    def __reduce__(self) -> Tuple[Any, ...]:
        # OSError keeps these attributes outside of its dict, and pickles them only with two arguments.
        return type(self), self.args, {**vars(self), "filename": self.filename, "errno": self.errno}


def short_repr(value: object) -> str:
    """Returns the repr of a value on one line, shortened to 60 characters."""
    line = " ".join(repr(value).split())
    return line if len(line) <= 60 else f"{line[:60]}..."
