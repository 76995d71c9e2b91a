"""Ours beside print."""

from offnominal.evaluation import Estimate
from offnominal.reports.published_comparison import verdict_line
from offnominal.studies.published_comparison import PublishedComparison


def test_how_often_ours_and_print_agree_is_counted():
    lines = [PublishedComparison({}, Estimate(0.7), published) for published in (0.7, 0.67, 0.2, None)]
    assert verdict_line(lines) == "Of 3 printed numbers 1 match, 1 is near and 1 differ."


def test_nothing_printed_is_said():
    assert verdict_line([PublishedComparison({}, Estimate(0.7), None)]) == "Of print we know none of these numbers."
    assert verdict_line([]) == "Of print we know none of these numbers."
