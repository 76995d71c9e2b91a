"""Online control of the false discovery rate: tests without end, of many monitors, each decided when it comes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from offnominal.core.checks import number_in
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray, IntArray

FORMAT = 1
ZETA = 2.285765665
"""Sum of j ** -1.6 over all j, the weights of SAFFRON before they are divided by it."""
CANDIDATE = 0.5
"""Largest p-value of a candidate of SAFFRON."""


class OnlineTest(ABC):
    """Decides tests one after the other, so that few of all rejections are false in the long run.

    With a threshold per robot, the false alarms of a fleet grow with the number of robots. Here all tests, such as one
    per robot and hour, are one sequence, and the expected share of false rejections among all is at most `level` at
    any time. Each rejection earns error budget for later tests.

    Args:
        level: Largest false discovery rate.

    Attributes:
        tests: Number of tests so far.
        rejections: Number of each rejected test, counted from 1.
    """

    id: ClassVar[str]
    takes: ClassVar[Literal["p-value", "e-value"]] = "p-value"
    assumption: ClassVar[str]

    def __init__(self, level: float = 0.05) -> None:
        self.level = number_in("level", level, 0.0, 1.0, open_low=True, open_high=True)
        self.tests = 0
        self.rejections: list[int] = []

    def test(self, value: float) -> bool:
        """Return whether the next hypothesis of nominal operation is rejected.

        Args:
            value: Its p-value, or e-value, as :attr:`takes` says.
        """
        given = self._checked(value)
        rejected = self._rejects(given)
        self.tests += 1
        if rejected:
            self.rejections.append(self.tests)
        self._count(given, rejected)
        return rejected

    @abstractmethod
    def threshold(self) -> float:
        """Return what the next value is compared with: a p-value must be at most, an e-value at least this."""

    def _rejects(self, value: float) -> bool:
        return value <= self.threshold() if self.takes == "p-value" else value >= self.threshold()

    def _checked(self, value: float) -> float:
        most = 1.0 if self.takes == "p-value" else np.inf
        if isinstance(value, int | float | np.number) and 0.0 <= value <= most:
            return float(value)
        return number_in(f"the {self.takes}", value, 0.0, most)

    def _count(self, value: float, rejected: bool) -> None:
        """Update further counts after a test."""

    def _counts(self) -> dict[str, Any]:
        """Return further counts as plain data."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data for :func:`online_test_from_dict`."""
        state = {"format": FORMAT, "test": self.id, "level": self.level, "tests": self.tests}
        return {**state, "rejections": list(self.rejections), **self._counts()}


class LordPlusPlus(OnlineTest):
    """LORD++ (Ramdas, Yang, Wainwright and Jordan, 2017): p-values, an error budget that rejections refill.

    Guaranteed:
        The false discovery rate is at most `level` at every time, if the p-values of nominal tests are independent of
        each other and of the others. If each is only valid whatever was rejected before, the ratio of the expected
        numbers of false and of all rejections is at most `level`.

    Not guaranteed:
        Anything if p-values of nominal tests are too small: after a drift, or if tests overlap in time. Detection:
        after many tests without a rejection the levels are very small, about 2e-6 after 500 at a level of 0.05.

    Example:
        >>> fleet = LordPlusPlus(level=0.05)
        >>> [fleet.test(p) for p in (0.4, 1e-5, 0.6, 0.0004, 0.9)]
        [False, True, False, True, False]
    """

    id = "LORD++"
    assumption = "p-values of nominal tests are independent and uniform, or larger"

    def threshold(self) -> float:
        """Return the level of the next test."""
        now, wealth = self.tests + 1, self.level / 2.0
        earned = lord_weights(now - np.array(self.rejections, np.int64))
        shares = np.full(len(earned), self.level)
        shares[:1] = self.level - wealth
        return float(wealth * lord_weights(np.array([now]))[0] + shares @ earned)


class Saffron(OnlineTest):
    """SAFFRON (Ramdas, Zrnic, Wainwright and Jordan, 2018): as LORD++, without cost for tests that look nominal.

    Only candidates, with p-values of at most 0.5, use up the error budget. It rejects more than LORD++ if many robots
    have faults.

    Guaranteed:
        As for :class:`LordPlusPlus`.

    Not guaranteed:
        As for :class:`LordPlusPlus`.

    Example:
        >>> fleet = Saffron(level=0.05)
        >>> [fleet.test(p) for p in (0.4, 1e-5, 0.6, 0.002, 0.9)]
        [False, True, False, True, False]
    """

    id = "SAFFRON"
    assumption = LordPlusPlus.assumption

    def __init__(self, level: float = 0.05) -> None:
        super().__init__(level)
        self.candidates = 0
        self._at_rejection: list[int] = []

    def threshold(self) -> float:
        """Return the level of the next test."""
        now, wealth = self.tests + 1, self.level / 2.0
        since = self.candidates - np.array(self._at_rejection, np.int64)
        earned = saffron_weights(now - np.array(self.rejections, np.int64) - since)
        shares = np.full(len(earned), self.level)
        shares[:1] = self.level - wealth
        start = wealth * saffron_weights(np.array([now - self.candidates]))[0]
        return min(CANDIDATE, (1.0 - CANDIDATE) * float(start + shares @ earned))

    def _count(self, value: float, rejected: bool) -> None:
        self.candidates += value <= CANDIDATE
        if rejected:
            self._at_rejection.append(self.candidates)

    def _counts(self) -> dict[str, Any]:
        return {"candidates": int(self.candidates), "at_rejection": [int(each) for each in self._at_rejection]}


class ELond(OnlineTest):
    """e-LOND (Xu and Ramdas, 2024): e-values, under any dependence.

    An e-value is not negative and has a mean of at most 1 in nominal operation; see :func:`e_value`. The price of the
    generality is that it needs stronger evidence. The weights of tests are 1 / (t (t + 1)).

    Guaranteed:
        The false discovery rate is at most `level` at every time, however tests depend on each other: several windows
        of one robot, robots on one site, one calibration for all.

    Not guaranteed:
        Anything if e-values of nominal tests have a mean above 1, such as after a drift.

    Example:
        >>> fleet = ELond(level=0.05)
        >>> [fleet.test(e) for e in (1.0, 500.0, 2.0, 150.0, 0.1)]
        [False, True, False, False, False]
    """

    id = "e-LOND"
    takes = "e-value"
    assumption = "e-values of nominal tests have a mean of at most 1"

    def threshold(self) -> float:
        """Return the e-value that the next test needs."""
        now = self.tests + 1
        return now * (now + 1.0) / (self.level * (len(self.rejections) + 1.0))


RULES: Mapping[str, type[OnlineTest]] = {each.id: each for each in (LordPlusPlus, Saffron, ELond)}


def online_test_from_dict(data: Mapping[str, Any]) -> OnlineTest:
    """Return the tests that :meth:`OnlineTest.to_dict` described.

    Raises:
        InvalidParameter: It is not such a description.

    Example:
        >>> fleet = Saffron(0.1)
        >>> _ = fleet.test(0.001)
        >>> online_test_from_dict(fleet.to_dict()).threshold() == fleet.threshold()
        True
    """
    try:
        if data["format"] != FORMAT:
            raise InvalidParameter(f"the tests have format {data['format']!r}; this version reads format {FORMAT}.")
        made = RULES[data["test"]](data["level"])
        state = _State.from_dict({name: data[name] for name in data.keys() - {"format", "test", "level"}})
    except (AttributeError, KeyError, TypeError) as error:
        raise InvalidParameter(f"these are no tests ({type(error).__name__}: {error}); see `to_dict`.") from None
    state.require_possible()
    made.tests, made.rejections = state.tests, list(state.rejections)
    if isinstance(made, Saffron):
        made.candidates, made._at_rejection = state.candidates, list(state.at_rejection)
        if len(state.at_rejection) != len(state.rejections):
            raise InvalidParameter("at_rejection has another length than rejections; see `to_dict`.")
    return made


@dataclass(frozen=True)
class _State(Config):
    """Counts of tests as plain data."""

    tests: int
    rejections: tuple[int, ...]
    candidates: int = 0
    at_rejection: tuple[int, ...] = ()

    def require_possible(self) -> None:
        """Raise :class:`InvalidParameter` unless the counts can be those of tests."""
        numbers = (0, *self.rejections, self.tests + 1)
        rising = all(first < second for first, second in pairwise(numbers))
        if not rising or not 0 <= self.candidates <= self.tests:
            raise InvalidParameter(f"rejections {self.rejections} and candidates are not those of {self.tests} tests.")


def e_value(p: float) -> float:
    """Return an e-value of a p-value: 1 / (2 √p), which has a mean of at most 1 in nominal operation.

    Example:
        >>> e_value(0.0001), e_value(0.25)
        (50.0, 1.0)
    """
    return 0.5 / float(np.sqrt(number_in("the p-value", p, 0.0, 1.0, open_low=True)))


def lord_weights(j: IntArray) -> FloatArray:
    """Return the weights of LORD++, whose sum over all j from 1 on is below 1.

    Example:
        >>> lord_weights(np.array([1, 2]))
        array([0.0500..., 0.0108...])
    """
    return _table("lord", _size(j))[j - 1]


def saffron_weights(j: IntArray) -> FloatArray:
    """Return the weights of SAFFRON, whose sum over all j from 1 on is 1.

    Example:
        >>> saffron_weights(np.array([1, 2]))
        array([0.437..., 0.144...])
    """
    return _table("saffron", _size(j))[j - 1]


def _size(j: IntArray) -> int:
    """Return the size of a table with these entries: a power of two, so that few are made."""
    return 1 << max(10, int(j.max(initial=1)).bit_length())


@lru_cache(maxsize=4)
def _table(name: Literal["lord", "saffron"], size: int) -> FloatArray:
    j = np.arange(1.0, size + 1.0)
    found: FloatArray = j**-1.6 / ZETA
    if name == "lord":
        found = 0.0722 * np.log(np.maximum(j, 2.0)) / (j * np.exp(np.sqrt(np.log(j))))
    found.setflags(write=False)
    return found
