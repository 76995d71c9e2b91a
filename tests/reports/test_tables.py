"""Tables say the same to people, spreadsheets and documents."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from rich.console import Console

from offnominal.reports.tables import markdown, terminal_table, text, write_csv

pytestmark = pytest.mark.long

ROWS = [{"fault": "action/noise", "lost": 12.3456, "seen": None}, {"fault": "action/delay", "lost": 1e6, "seen": 3}]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0"),
        (1.23456, "1.23"),
        (123.456, "123.5"),
        (12345.6, "12,346"),
        (1234, "1,234"),
        (None, "–"),
        (True, "yes"),
    ],
)
def test_numbers_are_shown_as_people_read_them(value: object, shown: str) -> None:
    assert text(value) == shown


def test_csv_keeps_full_precision(tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", ROWS)
    with (tmp_path / "t.csv").open() as file:
        assert [float(row["lost"]) for row in csv.DictReader(file)] == [12.3456, 1e6]


def test_markdown_and_terminal_hold_every_row() -> None:
    assert markdown(ROWS).count("\n") == 3
    out = io.StringIO()
    Console(file=out, width=80).print(terminal_table("Title", ROWS))
    assert "action/noise" in out.getvalue()
    assert "1,000,000" in out.getvalue()
