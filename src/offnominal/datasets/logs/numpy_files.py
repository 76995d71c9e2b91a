"""Arrays of NPY and NPZ files, whose sizes are checked before they are unpacked."""

from __future__ import annotations

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from offnominal.core.errors import InvalidLog
from offnominal.core.types import Array
from offnominal.datasets.logs.boundary import parsing, require_fits

ARCHIVE = b"PK"


def read_arrays(path: Path) -> Array | dict[str, Array]:
    """Return the array of an NPY file, or the arrays of an NPZ file by name; pickled objects are refused.

    Args:
        path: The file.

    Raises:
        InvalidLog: The content is damaged, or would take more memory than allowed.
    """
    with parsing(path, "arrays"):
        with path.open("rb") as file:
            if file.read(len(ARCHIVE)) == ARCHIVE:
                _check_archive(path)
            else:
                file.seek(0)
                _check_header(file, path.stat().st_size, f"{path}")
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            return {name: loaded[name] for name in loaded.files}


def _check_archive(path: Path) -> None:
    """Raise :class:`InvalidLog` if the arrays of an archive are larger than allowed, or larger than their members."""
    with zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        require_fits(path, sum(member.file_size for member in members), "its arrays")
        for member in members:
            with archive.open(member) as file:
                _check_header(file, member.file_size, f"{path}: {member.filename!r}")


def _check_header(file: Any, size: int, name: str) -> None:
    """Raise :class:`InvalidLog` if the header of an array announces more bytes than follow."""
    version = npy.read_magic(file)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, kind = read(file)
    announced = math.prod(shape) * kind.itemsize
    if announced > size and not kind.hasobject:
        raise InvalidLog(
            f"{name} announces an array of shape {shape} and type {kind}, {announced} bytes, and has {size} bytes; the "
            "file is damaged or truncated."
        )
