"""Values that users hand over are what they should be, or are named."""

import math
from decimal import Decimal

import numpy as np
import pytest

from offnominal.core.checks import (
    boolean,
    integer_in,
    number_in,
    numeric_array,
    one_of,
    positive_integer,
    positive_number,
)
from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.core.printable import shown


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3), np.array(3)[()]])
def test_integers_of_any_library_become_pythons(value):
    assert integer_in("k", value, 1, 5) == 3
    assert type(integer_in("k", value, 1, 5)) is int
    assert type(positive_integer("k", value)) is int


@pytest.mark.parametrize("value", [0, 6, 3.0, True, np.True_, "3", None, 10**400, [3], np.array([3])])
def test_what_is_no_integer_of_the_range_is_named(value):
    with pytest.raises(InvalidParameter, match=r"k is .*; expected an integer from 1 to 5"):
        integer_in("k", value, 1, 5)


@pytest.mark.parametrize(("value", "kind"), [(1, int), (0.5, float), (np.float32(0.5), float), (np.int64(1), int)])
def test_numbers_of_any_library_become_pythons(value, kind):
    assert number_in("nu", value, 0.0, 1.0) == value
    assert type(number_in("nu", value, 0.0, 1.0)) is kind


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, True, "0.5", None, 1j, Decimal("0.5"), 10**400])
def test_what_is_no_number_of_the_range_is_named(value):
    with pytest.raises(InvalidParameter, match=r"nu is .*; expected a number in \[0, 1\]"):
        number_in("nu", value, 0.0, 1.0)


def test_open_ends_are_excluded():
    for low, value in ((True, 0.0), (False, 1.0)):
        with pytest.raises(InvalidParameter):
            number_in("nu", value, 0.0, 1.0, open_low=low, open_high=not low)
    with pytest.raises(InvalidParameter, match="rate is 0; expected a positive number"):
        positive_number("rate", 0)


def test_options_are_compared_by_type_too():
    assert one_of("of", "votes", ("values", "votes")) == "votes"
    for value in (1, None, ["votes"], np.array(["votes", "values"])):
        with pytest.raises(InvalidParameter, match="expected one of 'values', 'votes'"):
            one_of("of", value, ("values", "votes"))


def test_a_truth_value_is_no_number():
    assert boolean("bootstrap", np.True_) is True
    for value in (1, 0, None, "yes"):
        with pytest.raises(InvalidParameter, match="expected True or False"):
            boolean("bootstrap", value)


def test_an_array_of_numbers_is_handed_on_as_it_is():
    values = np.ones((2, 3), np.float16)
    assert numeric_array("rows", values) is values


def test_masked_entries_are_missing():
    np.testing.assert_array_equal(numeric_array("rows", np.ma.array([1, 2], mask=[0, 1])), [1.0, np.nan])


@pytest.mark.parametrize("values", [["a"], [None], [[1], [1, 2]], {1: 2}, 1j, [10**400], np.zeros(2, "datetime64[s]")])
def test_what_is_no_array_of_numbers_is_named(values):
    with pytest.raises(InvalidScores, match="expected numbers"):
        numeric_array("scores", values, InvalidScores)


def test_errors_show_any_value_in_one_short_line():
    class Silent:
        def __repr__(self):
            raise RuntimeError

    assert shown(Silent()) == "a Silent"
    assert shown("a\nb") == "'a\\nb'"
    assert len(shown(list(range(1000)))) == 60
    assert "\n" not in shown(np.zeros((9, 9)))
