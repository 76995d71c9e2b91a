"""Opens HDF5 files that hold their own data: links and storage in other files are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from offnominal.core.errors import InvalidLog, MissingDependency
from offnominal.core.files import file_errors
from offnominal.datasets.logs.boundary import parsing

Version = tuple[int, int, int]
"""What changes when a file is replaced or written to: inode, size and time of the last change in nanoseconds."""


def version_of(path: Path) -> Version:
    """Return the version of a file; raise :class:`MissingFile` if there is none."""
    with file_errors(path):
        about = path.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns


@contextmanager
def opened_hdf5(path: Path, *, checked: Version | None = None) -> Iterator[Any]:
    """Open a file for reading, after :func:`refuse_other_files`.

    Args:
        path: The file.
        checked: Version that was checked before and is not checked again: it takes 0.2 ms per dataset of the file.

    Yields:
        The file, an ``h5py.File``.

    Raises:
        MissingDependency: The package ``h5py`` is not installed.
        MissingFile: There is no such file.
        InvalidLog: The file is no HDF5 file, or reads other files; errors of the block, too.
    """
    try:
        import h5py
    except ImportError:
        raise MissingDependency("HDF5 files need h5py; install it with `pip install offnominal[hdf5]`.") from None
    found = version_of(path)
    with parsing(path, "an HDF5 file"), h5py.File(path, "r") as file:
        if found != checked:
            refuse_other_files(file, path)
        yield file


def refuse_other_files(file: Any, path: Path) -> None:
    """Raise :class:`InvalidLog` if a file names another one that HDF5 would read in its place.

    These are external links, raw data in external files and virtual datasets. A file could copy any readable file of
    the machine into a dataset with them. No link is followed.

    Args:
        file: The open file.
        path: Its path, for the error message.
    """
    import h5py

    links: list[tuple[bytes, int]] = []
    datasets: list[bytes] = []

    def add_link(name: bytes, info: Any) -> None:
        if info.type not in (h5py.h5l.TYPE_HARD, h5py.h5l.TYPE_SOFT):
            links.append((name, info.type))

    def add_dataset(name: bytes, info: Any) -> None:
        if info.type == h5py.h5o.TYPE_DATASET:
            datasets.append(name)

    file.id.links.visit(add_link, info=True)
    for name, kind in links:
        known = kind == h5py.h5l.TYPE_EXTERNAL
        _refuse(path, name, "is a link to", file.id.links.get_val(name)[0] if known else b"of an unknown kind")
    h5py.h5o.visit(file.id, add_dataset, info=True)
    for name in datasets:
        layout = h5py.h5d.open(file.id, name).get_create_plist()
        if layout.get_layout() == h5py.h5d.VIRTUAL:
            source = layout.get_virtual_filename(0).encode() if layout.get_virtual_count() else b""
            _refuse(path, name, "is a virtual dataset over", source)
        if layout.get_external_count():
            _refuse(path, name, "has its data in", layout.get_external(0)[0])


def _refuse(path: Path, name: bytes, how: str, other: bytes) -> None:
    shown, named = (each.decode("utf-8", "backslashreplace") for each in (name, other))
    raise InvalidLog(f"{path}: {shown!r} {how} the file {named!r}. Only files with their own data are read; copy it.")
