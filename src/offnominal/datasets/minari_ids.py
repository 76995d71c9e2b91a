"""Ids of Minari datasets: they become paths, so they are checked before anything is created."""

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
    """Return an id of a Minari dataset, or refuse it: absolute paths, ``..``, NUL and the like cannot pass.

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
    """Return a name with a hyphen for every character that an id cannot have.

    Example:
        >>> id_part("action/noise@tiny")
        'action-noise-tiny'
    """
    return re.sub(r"[^-_0-9a-zA-Z]", "-", name)


@contextmanager
def created_or_removed(places: Sequence[Path], root: Path) -> Iterator[None]:
    """Create Minari datasets in the block; if it fails, remove those folders, and namespaces that are new and empty.

    Args:
        places: Folders of the datasets, none of which exists yet.
        root: Folder of all Minari datasets.
    """
    namespaces = {parent for place in places for parent in place.parents if parent.is_relative_to(root)} - {root}
    fresh = sorted((each for each in namespaces if not each.exists()), reverse=True)
    try:
        with file_errors(root):
            yield
    except BaseException:
        for place in places:
            shutil.rmtree(place, ignore_errors=True)
        for namespace in fresh:
            with suppress(OSError):
                if [each.name for each in namespace.iterdir()] == [NAMESPACE_FILE]:
                    (namespace / NAMESPACE_FILE).unlink()
                namespace.rmdir()
        raise
