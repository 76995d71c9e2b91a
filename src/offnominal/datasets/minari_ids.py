"""Ids of Minari datasets, which are checked before they are used as paths."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from offnominal.core.errors import InvalidParameter
from offnominal.core.files import file_errors

ID = re.compile(r"(?:[-\w]+/)*[-\w]+-v\d{1,9}")
LONGEST = 200
NAMESPACE_FILE = "namespace_metadata.json"


def checked_id(id: Any) -> str:
    """Return the id of a Minari dataset; raise if it is invalid, such as an absolute path or ``..``.

    Example:
        >>> checked_id("sap/train-v0")
        'sap/train-v0'
        >>> checked_id("../../train-v0")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: '../../train-v0' is not an id of a Minari dataset; expected letters...
    """
    if not isinstance(id, str) or len(id) > LONGEST or not ID.fullmatch(id):
        raise InvalidParameter(
            f"{id!r} is not an id of a Minari dataset; expected letters, digits, - and _ with / between namespaces and "
            f"a version at the end, such as 'sap/train-v0', of at most {LONGEST} characters."
        )
    return id


def id_part(name: str) -> str:
    """Return a name with hyphens in place of characters that an id cannot have.

    Example:
        >>> id_part("action/noise@tiny")
        'action-noise-tiny'
    """
    return re.sub(r"[^-_0-9a-zA-Z]", "-", name)


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
