"""Tables of the program: no word is broken, and no value is cut off, however narrow the terminal is."""

from io import StringIO
from itertools import takewhile

import pytest
from rich.console import Console

from offnominal.cli import output
from offnominal.evaluation.metrics import LEADERBOARD as METRICS
from offnominal.reports.tables import text

LEADERBOARD = [
    {"rank": rank, "detector": name, "ties": "a"} | {each.label: "0.800 [0.790, 0.800]" for each in METRICS.values()}
    for rank, name in enumerate(("Mahalanobis", "PE-DM untrained", "IsolationForest"), 1)
]
CHANNELS = [
    {"column": name, "role": "observation", "low": 0.1, "high": 1000.2, "constant": False, "missing": 0}
    | {"remark": "looks like a label; name it with --label to use it"}
    for name in ("pressure_outlet", "fault")
]


@pytest.fixture
def printed(monkeypatch):
    """Print rows on a terminal of some width, or into a file, and return the lines."""

    def show(rows, width, *, terminal=True):
        file = StringIO()
        monkeypatch.setattr(output, "out", Console(file=file, width=width, force_terminal=terminal, color_system=None))
        monkeypatch.setattr(output, "Console", lambda width: Console(file=file, width=width, color_system=None))
        output.print_table("Rows", rows)
        return file.getvalue().splitlines()

    return show


def words(texts):
    """Return the words of some texts."""
    return {word for each in texts for word in each.split()}


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("rows", [LEADERBOARD, CHANNELS], ids=["leaderboard", "channels"])
def test_a_table_fits_the_terminal_without_a_broken_word(printed, rows, width):
    lines = printed(rows, width)
    assert max(map(len, lines)) <= width
    table = [line for line in takewhile(lambda line: " more column" not in line, lines) if "──" not in line]
    known = words(text(each) for row in rows for pair in row.items() for each in pair)
    assert words(table) <= known | {"Rows"}
    assert words(text(each) for row in rows for each in list(row.values())[:2]) <= words(table)


def test_the_header_of_a_leaderboard_is_one_line_and_what_does_not_fit_is_named(printed):
    lines = printed(LEADERBOARD, 120)
    assert lines[2].split()[:3] == ["rank", "detector", "ties"]
    assert "Time-matched AUROC" in lines[2]
    assert lines[3].lstrip().startswith("─")
    left = "AUROC, Excess AUROC, Average precision, FPR at 95 % TPR"
    said = " ".join(" ".join(lines).partition("4 more columns need")[2].split())
    assert said == f"a wider terminal, or --json: {left}."


def test_a_file_gets_all_columns(printed):
    lines = printed(LEADERBOARD, 80, terminal=False)
    assert all(each.label in lines[2] for each in METRICS.values())
    assert lines[4].count("0.800 [0.790, 0.800]") == len(METRICS)
