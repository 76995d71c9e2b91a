"""A made-up run to report on."""

from __future__ import annotations

import json
import re

import pytest

from offnominal.reports.report import write_report

from .synthetic import run_results


@pytest.fixture(scope="session")
def made_up():
    """A made-up run that no test changes."""
    return run_results(replicates=60)


@pytest.fixture(scope="session")
def folder(made_up, tmp_path_factory):
    """The report of the made-up run."""
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    place = tmp_path_factory.mktemp("report")
    assert write_report(made_up, place) == place / "page.html"
    return place


@pytest.fixture(scope="session")
def page_data(folder):
    """What the page of the made-up run holds for its scripts."""
    text = (folder / "page.html").read_text(encoding="utf-8")
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
