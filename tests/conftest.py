"""Shared by all tests."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import offnominal

SOURCE = Path(offnominal.__file__).parent


def pytest_configure() -> None:
    """Drop compiled kernels that are older than any source: a kernel's cache does not see changes in what it calls."""
    newest = max(path.stat().st_mtime for path in SOURCE.rglob("*.py"))
    for cached in SOURCE.rglob("*.nb[ic]"):
        with suppress(FileNotFoundError):
            if cached.stat().st_mtime < newest:
                cached.unlink()
