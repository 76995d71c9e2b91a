"""Tests of windows of many robots as one sequence, so that a large fleet has no more false discoveries than a small."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from offnominal.alarms.checks import checked_episodes, require_valid_readings
from offnominal.alarms.conformal import TooFewEpisodes
from offnominal.alarms.online_fdr import LordPlusPlus, OnlineTest, e_value
from offnominal.alarms.window_maximum import cut_windows
from offnominal.core.checks import number_in, positive_integer
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown

LEAST = 20


@dataclass(frozen=True)
class WindowTest:
    """The test of one window of one robot.

    Args:
        robot: Name of the robot.
        window: Number of the window of this robot, counted from 0.
        p: Conformal p-value: share of calibration windows with so large a score, the window itself counted.
        rejected: Whether nominal operation is rejected: a discovery.
    """

    robot: str
    window: int
    p: float
    rejected: bool


class FleetTests:
    """Tests the windows of many robots, with a bound on the share of false discoveries among all.

    The largest score of each window of each robot gets a conformal p-value, or the e-value of it, and goes to an
    :class:`~offnominal.alarms.online_fdr.OnlineTest` in the order in which windows end.

    Guaranteed:
        What the test guarantees, under its assumption. Windows must be exchangeable with those of the calibration.
        p-values that share a calibration are not independent: LORD++ and SAFFRON are then approximate, and exact
        in the limit of a long calibration; :class:`~offnominal.alarms.online_fdr.ELond` is valid.

    Not guaranteed:
        Detection: no p-value is below 1 / (calibration windows + 1), and the more tests without a rejection there are,
        the smaller it must be. See :attr:`blind`.

    Args:
        nominal_scores: Scores of nominal episodes that the detector was not trained on.
        window: Steps of a window.
        test: The test; LORD++ at 5 % if None.

    Example:
        >>> random = np.random.default_rng(0)
        >>> tests = FleetTests([random.normal(size=50_000)], window=10)
        >>> scores = {"left": random.normal(size=40), "right": random.normal(9.0, size=40)}
        >>> found = [tests.take(robot, s) for pair in zip(*scores.values()) for robot, s in zip(scores, pair)]
        >>> [(each.robot, each.window) for each in found if each and each.rejected]
        [('right', 0), ('right', 1), ('right', 2), ('right', 3)]
    """

    def __init__(self, nominal_scores: Sequence[ArrayLike], *, window: int, test: OnlineTest | None = None) -> None:
        self.window = positive_integer("window", window)
        self.test = LordPlusPlus() if test is None else test
        if not isinstance(self.test, OnlineTest):
            raise InvalidParameter(f"test is {shown(test)}; expected an OnlineTest, such as LordPlusPlus().")
        episodes = checked_episodes(nominal_scores)
        require_valid_readings(episodes)
        self._maxima = sorted(float(each.max()) for each in cut_windows(episodes, self.window))
        if len(self._maxima) < LEAST:
            raise TooFewEpisodes(
                f"{sum(map(len, episodes)):,} nominal steps have {len(self._maxima)} windows of {self.window:,} steps; "
                f"give {LEAST * self.window:,} steps or more, or choose a shorter window."
            )
        self._open: dict[str, tuple[int, int, float]] = {}

    @property
    def smallest_p(self) -> float:
        """Smallest p-value that the calibration allows."""
        return 1.0 / (len(self._maxima) + 1)

    @property
    def blind(self) -> bool:
        """Whether no score whatever can be rejected now: too many tests for so short a calibration."""
        least = self.test.threshold()
        return self.smallest_p > least if self.test.takes == "p-value" else e_value(self.smallest_p) < least

    def take(self, robot: str, score: float | None) -> WindowTest | None:
        """Take the next score of a robot, and return the test of its window if that is over.

        Args:
            robot: Name of the robot.
            score: Its score; None for a sample without one, which is left out.
        """
        if score is None:
            return None
        given = number_in(f"the score of {shown(robot)}", score)
        number, steps, largest = self._open.get(robot, (0, 0, -np.inf))
        steps, largest = steps + 1, max(largest, given)
        if steps < self.window:
            self._open[robot] = (number, steps, largest)
            return None
        self._open[robot] = (number + 1, 0, -np.inf)
        above = len(self._maxima) - bisect_left(self._maxima, largest)
        p = (1.0 + above) * self.smallest_p
        value = p if self.test.takes == "p-value" else e_value(p)
        return WindowTest(robot, number, p, self.test.test(value))
