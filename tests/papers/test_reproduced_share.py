"""The share of reproduced values and its interval."""

import numpy as np
import pytest

from offnominal.papers.reproduced_share import JudgedValue, reproduced_share


def test_values_that_cannot_be_judged_are_left_out():
    found = reproduced_share(
        [
            ("1", "A", "reproduced"),
            ("1", "B", "differs"),
            ("1", "C", "no interval"),
            ("1", "D", "flawed"),
            ("1", "E", None),
        ]
    )
    assert found is not None
    assert (found.share, found.judged, found.groups) == (0.5, 2, 2)
    assert reproduced_share([("1", "A", "not run")]) is None


def test_values_of_one_method_count_as_one_sample():
    together = [
        ("1", str(method), "reproduced" if method % 2 else "differs") for method in range(10) for _ in range(20)
    ]
    apart = [("1", str(value), "reproduced" if value % 2 else "differs") for value in range(200)]
    wide, narrow = reproduced_share(together), reproduced_share(apart)
    assert wide.share == narrow.share == 0.5
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


def test_a_share_of_zero_has_an_interval():
    found = reproduced_share([("1", str(method), "differs") for method in range(10)])
    assert (found.low, found.share) == (0.0, 0.0)
    assert found.high == pytest.approx(0.308, abs=0.001)


def test_the_interval_covers_the_true_share_of_dependent_values():
    generator = np.random.default_rng(0)
    covered = 0
    for _ in range(300):
        shares = generator.beta(0.6, 1.4, size=40)
        found = reproduced_share(
            ("1", str(method), "reproduced" if generator.random() < share else "differs")
            for method, share in enumerate(shares)
            for _ in range(12)
        )
        covered += found.low <= 0.3 <= found.high
    assert covered >= 0.93 * 300


def test_a_value_that_is_printed_twice_is_one_sample():
    def values(*numbers):
        outcomes = ("reproduced", "differs") * 10
        return [
            JudgedValue(table, str(place), each, (*numbers, table)[:1])
            for table in ("IV", "V")
            for place, each in enumerate(outcomes)
        ]

    twice, apart = reproduced_share(values("0.5")), reproduced_share(values())
    assert (twice.judged, twice.groups) == (40, 20)
    assert (apart.judged, apart.groups) == (40, 40)
    assert twice.high - twice.low > 1.2 * (apart.high - apart.low)
