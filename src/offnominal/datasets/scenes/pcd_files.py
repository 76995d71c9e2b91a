"""Point clouds in files of the Point Cloud Library, ``.pcd``: as text or as bytes, without compression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import DamagedFile, UnsupportedFormat
from offnominal.core.files import content_errors, read_bytes
from offnominal.core.types import Array

COLOURS = ("rgb", "rgba")
KINDS = {"F": "f", "I": "i", "U": "u"}
MOST_HEADER_LINES = 64


def read_pcd(path: Path) -> tuple[NDArray[np.float32], NDArray[np.uint8] | None]:
    """Read the points (n, 3) of a file, and their colours (n, 3) if it has any.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: It is no such file, or is cut off.
        UnsupportedFormat: Its points are compressed.
    """
    with content_errors(path, "a point cloud (.pcd)"):
        content = read_bytes(path)
        header, start = _header(content, path)
        rows = _rows(header, content[start:], path)
        for name in "xyz":
            if name not in (rows.dtype.names or ()):
                raise DamagedFile(f"{path} has no field {name!r}; it has {' '.join(rows.dtype.names or ())}.")
        points = np.stack([rows[name].astype(np.float32) for name in "xyz"], axis=1)
        return points, _colours(rows)


def _header(content: bytes, path: Path) -> tuple[dict[str, list[str]], int]:
    """Return the entries of the header, and where the points begin."""
    found: dict[str, list[str]] = {}
    start = 0
    for _ in range(MOST_HEADER_LINES):
        end = content.find(b"\n", start)
        if end < 0:
            break
        name, *values = content[start:end].decode("ascii", "replace").split() or ["#"]
        start = end + 1
        if not name.startswith("#"):
            found[name] = values
        if name == "DATA":
            return found, start
    raise DamagedFile(f"{path} is not a point cloud: it has no line DATA in its header.")


def _rows(header: dict[str, list[str]], content: bytes, path: Path) -> Array:
    """Return the points as rows with named fields."""
    n = int(header["POINTS"][0])
    counts = [int(each) for each in header.get("COUNT", ["1"] * len(header["FIELDS"]))]
    fields = zip(header["FIELDS"], header["SIZE"], header["TYPE"], counts, strict=True)
    kind = np.dtype(
        [(name if name != "_" else f"_{k}", f"<{KINDS[letter]}{size}", (count,) if count > 1 else ())
         for k, (name, size, letter, count) in enumerate(fields)]
    )  # fmt: skip
    storage = header["DATA"][0]
    if storage == "binary":
        if len(content) < n * kind.itemsize:
            raise DamagedFile(f"{path} ends after {len(content) // kind.itemsize} of {n} points.")
        return np.frombuffer(content, kind, n)
    if storage != "ascii":
        raise UnsupportedFormat(f"{path} stores its points as {storage!r}; expected ascii or binary.")
    lines = content.split(b"\n")[:n]
    rows = np.zeros(n, kind)
    if len(lines) < n or (n and not lines[-1].strip()):
        raise DamagedFile(f"{path} ends before its last of {n} points.")
    for k, line in enumerate(lines):
        values = iter(line.split())
        for name, count in zip(kind.names or (), counts, strict=True):
            own = [kind[name].base.type(next(values)) for _ in range(count)]
            rows[name][k] = own if count > 1 else own[0]
    return rows


def _colours(rows: Array) -> NDArray[np.uint8] | None:
    """Return red, green and blue, which share 32 bits of a number."""
    name = next((each for each in COLOURS if each in (rows.dtype.names or ())), None)
    if name is None:
        return None
    bits = np.ascontiguousarray(rows[name]).view("<u4")
    return np.stack([bits >> 16 & 255, bits >> 8 & 255, bits & 255], axis=1).astype(np.uint8)
