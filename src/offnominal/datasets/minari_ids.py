"""Ids of Minari datasets, which are checked before they are used as paths."""

from __future__ import annotations

import re
from typing import Any

from offnominal.core.errors import InvalidParameter

ID = re.compile(r"(?:[-\w]+/)*[-\w]+-v\d{1,9}")
LONGEST = 200


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
