"""Platform directories: the folder for datasets, downloads and other data that can be regenerated."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from offnominal.core.errors import InaccessibleFile

DATA_VARIABLE = "OFFNOMINAL_DATA"


def data_home() -> Path:
    """Return the data home: ``$OFFNOMINAL_DATA``, or ``offnominal`` in the user's cache folder.

    The folder is not created.

    Raises:
        InaccessibleFile: The variable is not set and the user has no home directory.

    Example:
        >>> from unittest.mock import patch
        >>> with patch.dict(os.environ, OFFNOMINAL_DATA="/data/episodes"):
        ...     data_home().as_posix()
        '/data/episodes'
    """
    chosen = os.environ.get(DATA_VARIABLE)
    try:
        return Path(chosen).expanduser() if chosen else _cache() / "offnominal"
    except RuntimeError:
        raise InaccessibleFile(
            f"there is no home directory to keep data in; set ${DATA_VARIABLE} to the path of a folder."
        ) from None


def find_data_home() -> Path | None:
    """Return the data home, or None if there is none; see :func:`data_home`."""
    try:
        return data_home()
    except InaccessibleFile:
        return None


def _cache() -> Path:
    """Return the platform's cache folder."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
