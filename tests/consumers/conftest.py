"""Shared by the tests in a real browser."""

from __future__ import annotations

import shutil

import pytest

from offnominal.reports.fault_page import write_fault_page

from ..reports.synthetic import run_results

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    """A Chromium without a window."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no Chromium on this machine")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Address of the page of a made-up run."""
    return write_fault_page(run_results(replicates=60), tmp_path_factory.mktemp("page") / "page.html").as_uri()


@pytest.fixture
def page(browser, address):
    """The page, freshly opened; whatever it complains about or asks the network for fails the test."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    error_info = []
    opened.on(
        "console", lambda message: error_info.append(message.text) if message.type in ("error", "warning") else None
    )
    opened.on("pageerror", lambda error: error_info.append(str(error)))
    opened.on(
        "request", lambda request: error_info.append(request.url) if not request.url.startswith("file:") else None
    )
    opened.goto(address)
    yield opened
    opened.close()
    assert not error_info
