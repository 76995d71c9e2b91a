"""The folder of all Minari datasets: new ones are written into a hidden folder in it, and moved to their places."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from offnominal.core.files import file_errors

NAMESPACE_FILE = "namespace_metadata.json"
ROOT_VARIABLE = "MINARI_DATASETS_PATH"
"""Where Minari looks for the folder, at every call."""
PREFIX, SUFFIX, LOCK = ".offnominal-", ".unfinished", ".lock"
"""Minari does not look into folders whose name begins with a dot."""


@contextmanager
def hidden_folder(root: Path) -> Iterator[Path]:
    """Create a hidden folder in that of all datasets for the block; remove those that killed writers left there.

    A writer holds a lock, which the system releases with the process.

    Args:
        root: Folder of all Minari datasets.

    Yields:
        The hidden folder.
    """
    for left in root.glob(f"{PREFIX}*{SUFFIX}"):
        _remove_if_left(left)
    hidden = Path(tempfile.mkdtemp(SUFFIX, PREFIX, root))
    try:
        with (hidden / LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield hidden
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def _remove_if_left(hidden: Path) -> None:
    with suppress(OSError), (hidden / LOCK).open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(hidden, ignore_errors=True)


@contextmanager
def minari_writes_to(folder: Path) -> Iterator[None]:
    """Let Minari take another folder for that of all datasets in the block."""
    before = os.environ.get(ROOT_VARIABLE)
    os.environ[ROOT_VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[ROOT_VARIABLE]
        else:
            os.environ[ROOT_VARIABLE] = before


@contextmanager
def created_or_removed(folders: Sequence[Path], root: Path) -> Iterator[None]:
    """Remove the folders of new datasets, and new empty namespaces, if the block fails.

    Args:
        folders: Folders of the datasets, none of which exists.
        root: Folder of all Minari datasets.
    """
    namespaces = {parent for folder in folders for parent in folder.parents if parent.is_relative_to(root)} - {root}
    fresh = sorted((namespace for namespace in namespaces if not namespace.exists()), reverse=True)
    try:
        with file_errors(root):
            yield
    except BaseException:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
        for namespace in fresh:
            with suppress(OSError):
                if [path.name for path in namespace.iterdir()] == [NAMESPACE_FILE]:
                    (namespace / NAMESPACE_FILE).unlink()
                namespace.rmdir()
        raise
