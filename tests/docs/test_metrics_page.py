"""Every metric on the page has a formula, a range with its unit, an interval and a coverage."""

import re

import pytest

from offnominal.evaluation.metrics import METRICS

from .test_docs import ROOT, script

intervals = script("metric_intervals")
PAGE = (ROOT / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("metric", METRICS.values(), ids=lambda metric: metric.name)
def test_a_statistician_finds_formula_range_interval_and_coverage(metric):
    (part,) = re.findall(rf"{{ #{metric.name} }}\n(.*?)(?=\n###? |\Z)", PAGE, re.DOTALL)
    facts = dict(re.findall(r"^- \*\*(\w+):\*\* (.*)$", part, re.MULTILINE))
    assert {"Formula", "Range", "Use", "Interval", "Column"} <= set(facts)
    assert ("Coverage" in facts) == (facts["Interval"] != "none.")
    unit = intervals.UNITS.get(metric.name, metric.unit)
    assert unit in facts["Range"]
    assert f"`{metric.name}`" in facts["Column"]


def test_shares_and_pairs_are_those_of_the_table_of_metrics():
    assert {metric.name for metric in METRICS.values() if metric.share} <= intervals.SHARES
    assert set(METRICS) >= intervals.SHARES | intervals.PAIRED | intervals.NOMINAL | intervals.NONE
    assert not intervals.PAIRED & intervals.NOMINAL
