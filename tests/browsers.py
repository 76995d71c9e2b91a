"""A Chromium without a window, as all tests in a real browser start it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-features=SpareRendererForSitePerProcess,HttpsUpgrades,PaintHolding"]
"""With spare processes the browser starts two for each page, which takes longer than most pages do. The other features
are off in Playwright, too, and would be on again."""


@contextmanager
def chromium() -> Iterator[Any]:
    """Start a browser. While it is open, nothing else in this process can start an event loop."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if PROGRAM is None:
        pytest.skip("no Chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=PROGRAM, args=FLAGS)
        yield started
        started.close()
