"""Comparison with published results."""

from offnominal.evaluation import Estimate
from offnominal.reports.published_comparison import comparison_markdown, verdict_line
from offnominal.studies.published_comparison import PublishedComparison


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
