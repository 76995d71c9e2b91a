"""Shared by the tests in a real browser."""

from __future__ import annotations

from itertools import count

import pytest

from offnominal.reports.fault_page import write_fault_page

from ..browsers import chromium
from ..reports.synthetic import run_results

OPENED = count()


@pytest.fixture(scope="module")
def browser():
    """A Chromium without a window."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Address of the page of a made-up run."""
    return write_fault_page(run_results(replicates=60), tmp_path_factory.mktemp("page") / "page.html").as_uri()


@pytest.fixture(scope="module")
def tab(browser):
    """A tab of the browser and what is wrong with it. To open one takes longer than to open a page in it again."""
    opened, complaints = browser.new_page(), []
    opened.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: complaints.append(request.url) if request.url[:5] != "file:" else None)
    yield opened, complaints
    opened.close()


@pytest.fixture
def page(tab, address):
    """The page, freshly opened; whatever it complains about or asks the network for fails the test."""
    opened, complaints = tab
    complaints.clear()
    opened.set_viewport_size({"width": 1280, "height": 900})
    opened.emulate_media(media="screen", color_scheme="light")
    # Another address each time, so that the browser restores neither its controls nor where it was scrolled.
    opened.goto(f"{address}?{next(OPENED)}")
    yield opened
    opened.evaluate("localStorage.clear(); sessionStorage.clear()")
    assert not complaints
