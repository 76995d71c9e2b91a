"""Ours beside print."""

from offnominal.evaluation import Estimate
from offnominal.reports.versus import verdict_line
from offnominal.studies.comparison import Comparison


def test_how_often_ours_and_print_agree_is_counted():
    lines = [Comparison({}, Estimate(0.7), printed) for printed in (0.7, 0.67, 0.2, None)]
    assert verdict_line(lines) == "Of 3 printed numbers 1 match, 1 is near and 1 differ."


def test_nothing_printed_is_said():
    assert verdict_line([Comparison({}, Estimate(0.7), None)]) == "Of print we know none of these numbers."
    assert verdict_line([]) == "Of print we know none of these numbers."
