"""Where data that can be made again is kept between runs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "OFFNOMINAL_DATA"


def data_home() -> Path:
    """Return the folder of the datasets: ``$OFFNOMINAL_DATA``, or ``offnominal`` in the user's cache folder.

    Nothing is created.

    Example:
        >>> from unittest.mock import patch
        >>> with patch.dict(os.environ, OFFNOMINAL_DATA="/data/episodes"):
        ...     data_home().as_posix()
        '/data/episodes'
    """
    chosen = os.environ.get(VARIABLE)
    return Path(chosen).expanduser() if chosen else _cache() / "offnominal"


def _cache() -> Path:
    """Return the folder in which the platform wants caches to be."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
