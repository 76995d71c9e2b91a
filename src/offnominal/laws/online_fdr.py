"""Laws of online control of the false discovery rate."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from offnominal.alarms.online_fdr import OnlineTest, e_value, online_test_from_dict
from offnominal.core.checks import integer_in, number_in, positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray
from offnominal.laws.named_errors import require_named_error
from offnominal.laws.report import LawReport, check_laws
from offnominal.laws.require import require

STREAMS, TESTS = 150, 300
FAULTY = 0.2
SHIFT = 3.5
ERRORS = 3.0
"""Standard errors of the mean by which the measured rate may be above the level."""


def check_online_test(
    make: Callable[[float], OnlineTest], *, level: float = 0.1, streams: int = STREAMS, seed: int = 0
) -> LawReport:
    """Check the laws of a test that controls the false discovery rate.

    1. In simulated mixtures of independent tests, 20 % of which are of faults, the mean share of false rejections among
       all is at most the level, at the end of each stream and in the middle.
    2. It rejects some of the faults.
    3. A decision does not depend on later tests, and tests that are saved and restored go on alike.
    4. Invalid values are named errors, and change nothing.

    Args:
        make: Class or function that returns a new test for a level.
        level: Level to test.
        streams: Number of simulated streams.
        seed: Seed of the streams.

    Example:
        >>> from offnominal.alarms import LordPlusPlus
        >>> check_online_test(LordPlusPlus, streams=50).ok
        True
    """
    chosen = number_in("level", level, 0.0, 1.0, open_low=True, open_high=True)
    count, number = positive_integer("streams", streams), integer_in("seed", seed, 0)
    if not callable(make):
        raise InvalidParameter(f"make is {shown(make)}; expected a class or function that returns an OnlineTest.")
    first = make(chosen)
    if not isinstance(first, OnlineTest):
        raise InvalidParameter(f"make returns {shown(first)}; expected an OnlineTest.")
    case = _Case(make, chosen, count, number)
    return check_laws(
        first.id,
        {
            "the false discovery rate is within the level": case.rate_holds,
            "faults are rejected": case.rejects,
            "a restored test goes on alike": case.survives_saving,
            "invalid input is a named error": case.invalid_input,
        },
    )


class _Case:
    def __init__(self, make: Callable[[float], OnlineTest], level: float, streams: int, seed: int) -> None:
        self.make, self.level = make, level
        random = Stream.named(seed, 0, "tests").generator()
        self.faulty = random.random((streams, TESTS)) < FAULTY
        self.p_values = upper_tail(random.standard_normal((streams, TESTS)) + SHIFT * self.faulty)
        self._decisions: FloatArray | None = None

    def decisions(self) -> FloatArray:
        if self._decisions is None:
            self._decisions = np.array([self._decided(self.make(self.level), row) for row in self.p_values])
        return self._decisions

    def rate_holds(self) -> None:
        for end in (TESTS // 2, TESTS):
            decided = self.decisions()[:, :end]
            false = (decided * ~self.faulty[:, :end]).sum(axis=1) / np.maximum(decided.sum(axis=1), 1.0)
            mean, error = float(false.mean()), float(false.std(ddof=1) / np.sqrt(len(false)))
            require(
                mean <= self.level + ERRORS * error,
                f"{mean:.3g} of the rejections are false after {end} tests; the level is {self.level:g}",
            )

    def rejects(self) -> None:
        found = float((self.decisions() * self.faulty).sum())
        require(found > 0.0, f"none of {int(self.faulty.sum())} faults is rejected")

    def survives_saving(self) -> None:
        whole, half = self.make(self.level), TESTS // 2
        row = self.p_values[0]
        expected = self._decided(whole, row)
        part = self.make(self.level)
        first = self._decided(part, row[:half])
        restored = online_test_from_dict(part.to_dict())
        found = np.concatenate([first, self._decided(restored, row[half:])])
        require(np.array_equal(found, expected), "a test that was saved after half of a stream decides otherwise")

    def invalid_input(self) -> None:
        test = self.make(self.level)
        before = test.to_dict()
        for value in (-0.1, float("nan"), "0.5", None):
            require_named_error(f"a value of {value!r}", test.test, value)
        require(test.to_dict() == before, "an invalid value changed its state")
        for level in (0.0, 1.0, float("nan")):
            require_named_error(f"a level of {level}", self.make, level)

    @staticmethod
    def _decided(test: OnlineTest, p_values: FloatArray) -> FloatArray:
        as_p = test.takes == "p-value"
        return np.array([float(test.test(p if as_p else e_value(p))) for p in p_values])


def upper_tail(values: FloatArray) -> FloatArray:
    """Return the probability of larger values of a standard normal distribution.

    Example:
        >>> upper_tail(np.array([0.0, 1.96]))
        array([0.5  , 0.025])
    """
    from scipy.special import ndtr

    tail: FloatArray = ndtr(-values)
    return tail
