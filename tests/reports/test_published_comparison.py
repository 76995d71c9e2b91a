"""Comparison with published results."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from offnominal.evaluation import Estimate
from offnominal.reports.comparison_terminal import comparison_terminal
from offnominal.reports.published_comparison import (
    NONE_OF_OURS,
    comparison_html,
    comparison_markdown,
    comparison_rows,
    verdict_line,
)
from offnominal.studies.published_comparison import PublishedComparison, Rule

pytestmark = pytest.mark.long
SHARE = Rule("measured", margin=0.05, close=0.02)


def measured(value):
    """Return an estimate with a narrow interval."""
    return Estimate(value, np.array([value - 0.01, value + 0.01]))


def test_how_many_published_values_are_reproduced_is_counted():
    lines = [PublishedComparison({}, measured(0.7), published, SHARE) for published in (0.7, 0.67, 0.2)]
    lines += [PublishedComparison({}, Estimate(0.7), 0.7, SHARE), PublishedComparison({}, measured(0.7), None)]
    assert verdict_line(lines) == (
        "Measured results: of 4 published values 2 are reproduced (1 closely), 1 differs, 1 of ours has no interval."
    )


def test_kinds_of_values_are_counted_for_themselves():
    lines = [PublishedComparison({}, Estimate(3.0), 3.0, Rule(kind, margin=0.0)) for kind in ("fact", "work", "fact")]
    assert verdict_line(lines) == (
        "Parameters and facts: of 2 published values 2 are reproduced. "
        "Counts of work done: of 1 published value 1 is reproduced."
    )


def test_a_table_without_published_numbers_says_so():
    said = "None of these numbers is published, as far as we know."
    assert verdict_line([PublishedComparison({}, Estimate(0.7), None)]) == said
    assert verdict_line([]) == said


def test_flawed_published_numbers_are_counted_apart():
    lines = [PublishedComparison({}, measured(0.7), 0.7, SHARE, flaw=flaw) for flaw in ("impossible", "artefact", "")]
    assert verdict_line(lines) == "Measured results: of 3 published values 1 is reproduced (1 closely), 2 are flawed."
    assert "⚠ published value is impossible" in comparison_markdown(lines)


def test_the_cause_of_a_difference_is_beside_the_verdict():
    caused = [
        PublishedComparison({"number": "AUROC"}, measured(0.5), 0.9, SHARE, cause=cause) for cause in ("code", "")
    ]
    same = PublishedComparison({"number": "AUPR"}, measured(0.9), 0.9, SHARE, cause="code")
    out = StringIO()
    Console(file=out, width=80).print(comparison_terminal("Table 1", [*caused, same]))
    for shown in (out.getvalue(), comparison_markdown([*caused, same]), comparison_html("Table 1", [*caused, same])):
        assert shown.count("✗ differs (code)") == 1
        assert "2 differ (1 explained)." in " ".join(shown.split())
    assert [row["cause"] for row in comparison_rows([*caused, same])] == ["code", "", ""]
    assert "cause" not in comparison_rows([same])[0]


def test_a_table_that_cannot_be_computed_says_why_in_place_of_a_verdict():
    out = StringIO()
    line = PublishedComparison({"number": "AUROC"}, Estimate(None), 0.9, SHARE)
    Console(file=out, width=80).print(comparison_terminal("Table 1: AUROC of robots", [line], "No robot here."))
    assert "0.900" in out.getvalue()
    assert "No robot here." in out.getvalue()
    assert NONE_OF_OURS not in out.getvalue()


def test_counts_have_no_decimals():
    line = PublishedComparison({}, Estimate(76000.0), 245600.0, Rule("fact", margin=0.0))
    assert comparison_rows([line])[0] | {"verdict": ""} == {
        "ours": "76,000",
        "published": "245,600",
        "difference": "-169,600",
        "verdict": "",
    }
    assert comparison_rows([PublishedComparison({}, Estimate(1.0), 1.0, SHARE)])[0]["published"] == "1.000"


def test_no_verdict_is_cut_off_at_the_smallest_width():
    settings = {"gravity 50": "0.718", "length of the pole 5": "0.673"}
    deviations = {
        setting: dict.fromkeys(("first agent", "± agents", "± trials", "± published"), value)
        for setting, value in settings.items()
    }
    rows = [{"method": "MC-Dropout", "setting": setting, **deviations[setting]} for setting in settings]
    table = comparison_terminal("Table 9", [PublishedComparison(row, measured(0.5), 0.9, SHARE) for row in rows])
    out = StringIO()
    Console(file=out, width=Console(width=1000).measure(table).minimum).print(table)
    assert out.getvalue().count("✗ differs") == 2
