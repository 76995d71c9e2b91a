"""Counts of the attacks: how many cases each file of this folder tries, and how many of them hold."""

from __future__ import annotations

import ast
import csv
import os
from pathlib import Path

import pytest

COUNTS_VARIABLE = "OFFNOMINAL_ATTACK_COUNTS"
"""Environment variable with the file that the counts of a run are written to."""
WRITTEN = os.environ.pop(COUNTS_VARIABLE, "")
"""That file. Tests that run pytest do not pass it on."""
COLUMNS = ("attack", "file", "tried", "held")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write the counts of all tests of this folder that ran."""
    if not WRITTEN:
        return
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    rows = counted([each for each in reports if each.when == "call"], config.rootpath)
    with Path(WRITTEN).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerows([COLUMNS, *rows])


def counted(reports: list[pytest.TestReport], root: Path) -> list[tuple[str, str, int, int]]:
    """Return title, name, cases tried and cases held of each file of this folder."""
    counts: dict[Path, tuple[int, int]] = {}
    for report in reports:
        path = root / report.location[0]
        if path.parent != Path(__file__).parent:
            continue
        properties = dict(report.user_properties)
        tried = properties.get("tried", 1)
        failed = 0 if report.passed else properties.get("failed") or tried
        before = counts.get(path, (0, 0))
        counts[path] = before[0] + tried, before[1] + tried - failed
    return [(title(path), path.name, *counts[path]) for path in sorted(counts)]


def title(path: Path) -> str:
    """Return the first line of the docstring of a file of tests."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or path.stem
    return text.splitlines()[0].rstrip(".")
