"""Small files with a checksum of their content, so that no damaged file is read as a valid one.

A JSON object carries it in the entry ``checksum``, a table in its first line ``# checksum: ...``. The checksum of a
JSON object is that of its entries, whatever their order and the white space between them; that of a table is that of
its bytes. Version 0.2 wrote some files without one: they are read with the warning :class:`NoChecksum`.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from offnominal.core.errors import DamagedFile
from offnominal.core.files import read_json, read_text, sha256_of, write_json, write_text

T = TypeVar("T")
KEY = "checksum"
LINE = f"# {KEY}: "


class NoChecksum(UserWarning):
    """A file has no checksum, as those of early versions; damage to it cannot be noticed."""


def write_checked_json(path: Path, data: Mapping[str, Any], *, staging: Path | None = None) -> None:
    """Write plain data as a JSON object with a checksum, atomically.

    Args:
        path: File to write.
        data: Its entries, without the checksum.
        staging: As for :func:`~offnominal.core.files.atomic_write`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "card.json"
        ...     write_checked_json(path, {"seed": 3})
        ...     read_json(path), read_checked_json(path)
        ({'checksum': '4d687b64...', 'seed': 3}, {'seed': 3})
    """
    write_json(path, with_checksum(data), staging=staging)


def read_checked_json(path: Path) -> dict[str, Any]:
    """Return the entries of a JSON object, without its checksum.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: It is not a JSON object, or its entries do not have the checksum that it states.
    """
    return without_checksum(read_json(path), path)


def with_checksum(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of a JSON object with their checksum as the first entry."""
    return {KEY: _checksum(json.loads(json.dumps(data))), **data}


def without_checksum(data: Mapping[str, Any], where: Path | str) -> dict[str, Any]:
    """Return the entries of a JSON object without the checksum, which is compared with them.

    Args:
        data: The object as it was read.
        where: Its file, for the messages.

    Raises:
        DamagedFile: The entries do not have the checksum.
    """
    content = {name: value for name, value in data.items() if name != KEY}
    if KEY not in data and not get_close_matches(KEY, data, cutoff=0.8):
        warn_of_missing_checksum(where)
    elif data.get(KEY) != _checksum(content, where):
        raise DamagedFile(
            f"{where} was changed: its content does not have the checksum that it states; get the file again, or "
            f"remove the entry {KEY!r} if the change is intended (`offnominal verify --renew` writes a new one)."
        )
    return content


def write_checked_text(path: Path, text: str) -> None:
    """Write text below a line with its checksum, atomically."""
    write_text(path, f"{LINE}{sha256_of(text)}\n{text}")


def read_checked_text(path: Path, parse: Callable[[str], T]) -> T:
    """Return what the text below the line with its checksum means.

    Args:
        path: File to read.
        parse: Returns the meaning of the text. A file of another kind is its error, without a warning before it.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: It is not text in UTF-8, or the text does not have the checksum that it states.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder) / "table.csv"
        ...     write_checked_text(path, "name,value")
        ...     read_text(path).splitlines()[0], read_checked_text(path, str.split)
        ('# checksum: 3ee40b8c...', ['name,value'])
    """
    text = read_text(path)
    line, _, content = text.partition("\n")
    if not line.startswith("#") and LINE[1:] not in line:
        meaning = parse(text)
        warn_of_missing_checksum(path)
        return meaning
    if line != f"{LINE}{sha256_of(content)}":
        raise DamagedFile(
            f"{path} was changed: its content does not have the checksum in its first line; get the file again, or "
            "remove this line if the change is intended (`offnominal verify --renew` writes a new one)."
        )
    return parse(content)


def renew_checksum_of_json(path: Path) -> None:
    """Write the checksum of the present entries into a JSON object."""
    write_checked_json(path, {name: value for name, value in read_json(path).items() if name != KEY})


def renew_checksum_of_text(path: Path) -> None:
    """Write the checksum of the present text into its first line."""
    line, _, content = (text := read_text(path)).partition("\n")
    write_checked_text(path, content if line.startswith(LINE.rstrip()) else text)


def warn_of_missing_checksum(where: Path | str) -> None:
    """Warn that damage to a file cannot be noticed."""
    warnings.warn(
        f"{where} has no checksum, as files of version 0.2: damage to it cannot be noticed. Save it again, "
        "or run `offnominal verify --renew`.",
        NoChecksum,
        stacklevel=3,
    )


def _checksum(content: Mapping[str, Any], where: Path | str = "the data") -> str:
    """Return the SHA-256 of plain data, which does not depend on the order of entries."""
    try:
        return sha256_of(json.dumps(content, sort_keys=True, separators=(",", ":")))
    except RecursionError:
        raise DamagedFile(f"{where} is nested too deeply.") from None
