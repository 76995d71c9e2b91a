"""One rounding rule: halves away from zero, on the decimal number that people would write."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offnominal.alarms.guarantee_check import percent
from offnominal.core.rounding import fixed, grouped, signed, significant
from offnominal.evaluation.estimate import Estimate
from offnominal.reports.page_numbers import in_units, rounded
from offnominal.reports.tables import text


@given(st.integers(-(10**9), 10**9), st.integers(0, 4))
def test_a_decimal_number_is_rounded_as_on_paper(tenths, digits):
    value = Decimal(tenths).scaleb(-5)
    expected = value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    assert fixed(float(value), digits) == f"{expected if expected else abs(expected):f}"


def test_the_order_of_a_sum_does_not_change_what_is_shown():
    parts = [0.1] * 7 + [0.1275]
    total = reduce(add, parts)  # `sum` compensates for rounding from Python 3.12 on
    assert total != math.fsum(parts)
    assert fixed(total, 3) == fixed(math.fsum(parts), 3) == "0.828"


@pytest.mark.parametrize("value", [0.0, -0.0, -0.0004, 0.0004])
def test_zero_has_no_sign(value):
    assert fixed(value, 3) == "0.000"


def test_numbers_that_are_not_finite_stay_as_they_are():
    assert [fixed(math.inf, 3), significant(-math.inf), grouped(math.nan)] == ["inf", "-inf", "nan"]


def test_every_kind_of_text_follows_the_rule():
    assert str(Estimate(0.8125)) == "0.813"
    assert percent(1 / 32) == "3.13%"
    assert text(3.125) == "3.13"
    assert text(123.25) == "123.3"
    assert text(2500.5) == "2,501"
    assert signed(0.0625, 3) == "+0.063"


@given(st.floats(-2000, 2000))
def test_a_number_of_a_page_is_shown_as_the_exact_number(value):
    short = rounded(value)
    assert abs(short - value) <= 1.0001e-4
    for digits in range(4):
        assert fixed(short, digits) == fixed(value, digits)


@given(st.floats(-1, 1))
def test_a_difference_of_a_page_is_shown_and_signed_as_the_exact_one(value):
    units = in_units(value)
    assert fixed(units * 1e-4, 3) == fixed(value, 3)
    assert (units > 0, units < 0) == (value > 0, value < 0)
