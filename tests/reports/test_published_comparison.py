"""Comparison with published results."""

from io import StringIO

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
from offnominal.studies.published_comparison import PublishedComparison

pytestmark = pytest.mark.long


def test_how_often_ours_and_published_agree_is_counted():
    lines = [PublishedComparison({}, Estimate(0.7), published) for published in (0.7, 0.67, 0.2, None)]
    assert verdict_line(lines) == "1 of 3 published numbers match, 1 is near, 1 differ."


def test_a_table_without_published_numbers_says_so():
    said = "None of these numbers is published, as far as we know."
    assert verdict_line([PublishedComparison({}, Estimate(0.7), None)]) == said
    assert verdict_line([]) == said


def test_flawed_published_numbers_are_counted_apart():
    flawed = [PublishedComparison({}, Estimate(0.7), 0.7, flaw=flaw) for flaw in ("impossible", "artefact", "artefact")]
    assert (
        verdict_line(flawed) == "None of these numbers is compared. Not compared: 1 is impossible and 2 are artefacts."
    )
    compared = [*flawed[:1], PublishedComparison({}, Estimate(0.7), 0.7)]
    assert verdict_line(compared).endswith("match, 0 are near, 0 differ. Not compared: 1 is impossible.")
    assert "⚠ published value is impossible" in comparison_markdown(compared)


def test_the_cause_of_a_difference_is_beside_the_verdict_and_explained_below():
    caused = [PublishedComparison({"number": "AUROC"}, Estimate(0.5), 0.9, cause=cause) for cause in ("defect", "")]
    near = PublishedComparison({"number": "AUPR"}, Estimate(0.88), 0.9, cause="scale")
    out = StringIO()
    Console(file=out, width=80).print(comparison_terminal("Table 1", [*caused, near]))
    for shown in (out.getvalue(), comparison_markdown([*caused, near]), comparison_html("Table 1", [*caused, near])):
        assert shown.count("✗ differs (their defect)") == 1
        assert "2 differ (1 explained)." in " ".join(shown.split())
        assert " ".join(shown.split()).count("Their defect: an error of the original") == 1
        assert "our scale" not in shown.lower()
    assert [row["cause"] for row in comparison_rows([*caused, near])] == ["defect", "", ""]
    assert "cause" not in comparison_rows([near])[0]


def test_a_table_that_cannot_be_computed_says_why_in_place_of_a_verdict():
    out = StringIO()
    line = PublishedComparison({"number": "AUROC"}, Estimate(None), 0.9)
    Console(file=out, width=80).print(comparison_terminal("Table 1: AUROC of robots", [line], "No robot here."))
    assert "0.900" in out.getvalue()
    assert "No robot here." in out.getvalue()
    assert NONE_OF_OURS not in out.getvalue()


def test_counts_have_no_decimals():
    line = PublishedComparison({}, Estimate(76000.0), 245600.0, match=0.0, near=0.0)
    assert comparison_rows([line])[0] | {"verdict": ""} == {
        "ours": "76,000",
        "published": "245,600",
        "difference": "-169,600",
        "verdict": "",
    }
    assert comparison_rows([PublishedComparison({}, Estimate(1.0), 1.0)])[0]["published"] == "1.000"


def test_no_verdict_is_cut_off_at_the_smallest_width():
    settings = {"gravity 50": "0.718", "length of the pole 5": "0.673"}
    deviations = {
        setting: dict.fromkeys(("first agent", "± agents", "± trials", "± published"), value)
        for setting, value in settings.items()
    }
    rows = [{"method": "MC-Dropout", "setting": setting, **deviations[setting]} for setting in settings]
    table = comparison_terminal("Table 9", [PublishedComparison(row, Estimate(0.5), 0.9) for row in rows])
    out = StringIO()
    Console(file=out, width=Console(width=1000).measure(table).minimum).print(table)
    assert out.getvalue().count("✗ differs") == 2
