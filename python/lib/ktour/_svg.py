"""Pictures."""

from __future__ import annotations

import os
from typing import Union

from ._errors import FileError, InvalidInputError, short_repr

# Endings of files that an SVG picture must not have.
OTHER_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".pdf", ".webp")


class Svg(str):
    """SVG text, a str. Notebooks show it as a picture.

    Examples
    --------
    >>> picture = ktour.find("8x8", "closed", seed=7).svg()
    >>> picture.startswith("<svg")
    True
    """

    __slots__ = ()

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Write the text to a file.

        Parameters
        ----------
        path : str or os.PathLike
            Path of the file, such as "tour.svg".

        Raises
        ------
        InvalidInputError
            If the name of the file ends with that of another picture format, such as .png.
        FileError
            If the file cannot be written. It is an OSError.
        """
        try:
            ending = os.path.splitext(os.fspath(path))[1]
        except TypeError:
            raise TypeError(f"path: {short_repr(path)} is of type {type(path).__name__}; use a path") from None
        if ending.lower() in OTHER_PICTURES:
            raise InvalidInputError(f"pictures are SVG, not {ending}; use the ending .svg, or ktour draw for PNG")
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(str(self))
        except OSError as error:
            why = f"cannot write {os.fspath(path)!r}: {error.strerror}; use the path of a file in a writable folder"
            failure = FileError(why)
            failure.errno, failure.filename = error.errno, os.fspath(path)
            raise failure from None

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<SVG picture of {len(self):,} characters>"
