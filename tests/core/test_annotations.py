"""Whether a value is of an annotated type, for annotations that the package uses."""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
import pytest
from typing_extensions import TypeAliasType

from offnominal.core.annotations import is_of_type

Scalar = TypeVar("Scalar", bound=np.generic)
Numbers = TypeAliasType("Numbers", np.ndarray[tuple[Any, ...], np.dtype[Scalar]], type_params=(Scalar,))
FloatNumbers = TypeAliasType("FloatNumbers", Numbers[np.float64])


@pytest.mark.parametrize("hint", [Numbers[np.float64], FloatNumbers, FloatNumbers | None])
def test_aliases_such_as_those_of_numpy_2_5_are_decided(hint):
    assert is_of_type(np.zeros(2), hint)
    assert not is_of_type("text", hint)
    assert not is_of_type(np.array(["word"]), hint)


class Maker(Protocol):
    def __call__(self, n: int) -> str: ...


def test_a_protocol_of_calls_asks_for_something_that_can_be_called():
    assert is_of_type(str, Maker)
    assert not is_of_type({1, 2}, Maker)


def test_a_value_that_takes_more_calls_than_are_left_is_not_called_wrong():
    class Endless(Mapping):
        def __getitem__(self, key):
            return self[key]

        def __iter__(self):
            return iter(("key",))

        def __len__(self):
            return 1

    assert is_of_type(Endless(), Mapping[str, int])
