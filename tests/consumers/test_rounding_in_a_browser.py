"""A number is the same text on the page, on the server and in the terminal."""

from __future__ import annotations

import math

import numpy as np
import pytest

from offnominal.alarms.guarantee_check import percent
from offnominal.core.rounding import fixed, grouped, significant
from offnominal.evaluation.metrics import METRICS
from offnominal.reports.guarantees import guarantee_rows
from offnominal.reports.leaderboard import leaderboard_rows
from offnominal.reports.timings import TIMING, timing_rows
from offnominal.studies.guarantees import guarantees

from ..reports.synthetic import SKILL, run_results

pytestmark = pytest.mark.long


def many_values():
    """Return numbers around halves, fractions, sums that end beside a half, tiny and large numbers, of both signs."""
    rng = np.random.default_rng(0)
    halves = rng.integers(0, 20_000, 4000) * 5e-4
    near = np.nextafter(halves, rng.choice([-1.0, 9e9], 4000))
    fractions = rng.integers(0, 400, 4000) / rng.integers(1, 400, 4000)
    sums = np.array([sum([value / 7] * 7) for value in halves[:2000].tolist()])
    dyadic = rng.integers(1, 5000, 2000) / 2.0 ** rng.integers(0, 20, 2000)
    wide = 10.0 ** rng.uniform(-8, 9, 4000)
    found = np.concatenate([halves, near, fractions, sums, dyadic, wide, [0.0, 0.82747, 0.8275, 1 / 32, 99.95, 999.95]])
    return np.concatenate([found, -found]).tolist()


def in_python(value, digits):
    size = abs(value)
    shown = grouped(value) if size >= 1000 else fixed(value, min(digits, 1) if size >= 100 else digits)
    return [fixed(value, digits), significant(value), shown.replace("-", "−")]


@pytest.mark.parametrize("digits", [0, 1, 2, 3])
def test_python_and_javascript_round_alike(page, digits):
    part = many_values()[digits::8]
    assert len(part) > 4000
    assert not differently_rounded(page, part, digits)[:5]


@pytest.mark.slow
@pytest.mark.parametrize("digits", [0, 1, 2, 3])
def test_python_and_javascript_round_every_value_alike(page, digits):
    values = many_values()
    assert len(values) > 30_000
    assert not differently_rounded(page, values, digits)[:5]


def differently_rounded(page, values, digits):
    """Return values whose texts differ, with both."""
    found = page.evaluate(
        """([values, digits]) => {
            const { fixed, significant, shown } = module_rounding;
            return values.map((value) => [fixed(value, digits), significant(value), shown(value, digits)]);
        }""",
        [values, digits],
    )
    expected = [in_python(value, digits) for value in values]
    return [(value, one, other) for value, one, other in zip(values, found, expected, strict=True) if one != other]


def test_leaderboards_of_page_and_terminal_have_the_same_numbers(page):
    rows = {row["detector"]: row for row in leaderboard_rows(run_results(replicates=60))}
    checked = 0
    for label in page.locator("#metric option").all_inner_texts():
        metric = next(metric for metric in METRICS.values() if metric.label == label)
        if metric.unit:
            continue  # pages show one digit of numbers with a unit
        page.select_option("#metric", label=label)
        shown = page.eval_on_selector_all(
            "#leaderboard tbody tr", "rows => rows.map(row => [row.dataset.name, row.children[3].textContent.trim()])"
        )
        assert {name: text.replace("−", "-") for name, text in shown} == {name: rows[name][label] for name in rows}
        checked += len(shown)
    assert checked >= 5 * len(SKILL)


def test_timing_and_guarantees_of_page_and_tables_have_the_same_numbers(page):
    run = run_results(replicates=60)
    alarm = page.input_value("#alarm")
    kept = {row["detector"]: row for row in timing_rows(run.table) if row["alarm"] == alarm}
    heads = page.eval_on_selector_all("#timing-table thead th", "heads => heads.map(head => head.dataset.text)")
    shown = page.eval_on_selector_all(
        "#timing-table tbody tr",
        "rows => rows.map(row => [row.dataset.name, ...[...row.children].map(cell => cell.textContent)])",
    )
    for name, _, *texts in shown:
        for head, text in zip(heads[1:], texts, strict=True):
            value = kept[name][head]
            if head == TIMING["false_alarms"]:
                assert text == fixed(value, 2)
            elif "delay" not in head:
                assert text == f"{fixed(100 * value, 1)} %"
            elif math.isfinite(value):
                assert text == fixed(value, 1)
    rows = {
        row["detector"]: row for row in guarantee_rows(guarantees(run.table), list(SKILL))[0] if row["alarm"] == alarm
    }
    shares = page.eval_on_selector_all(
        "#guarantee-table tbody tr", "rows => rows.map(row => [row.dataset.name, row.children[3].textContent])"
    )
    assert dict(shares) == {name: rows[name]["measured"] for name in rows}
    assert percent(1 / 32) == page.evaluate("module_guarantees.percent(1 / 32)") == "3.13%"
