"""Adaptive conformal inference with several step sizes at once, weighted by how well each did lately."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.aci import RankedUnits
from offnominal.alarms.adaptive import METHOD, THRESHOLD, alarm_of_unit, learns
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.sliding_ranks import VALUES, append_value, conformal_p_value, value_at_level
from offnominal.core.checks import number_in, positive_integer, positive_number
from offnominal.core.compilation import compiled
from offnominal.core.types import BoolArray, FloatArray

GAMMAS = np.array([0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128])
"""Step sizes of the experts."""
LEVELS, WEIGHTS, RANKED = METHOD, METHOD + len(GAMMAS), METHOD + 2 * len(GAMMAS)
NO_BOUND = "no bound on the share of alarms is known for a fixed learning rate; it is near alpha in simulations"


@dataclass(eq=False)
class DtACI(RankedUnits):
    """Alarms above a conformal threshold whose level is a weighted mean of several adaptive levels.

    Dynamically tuned adaptive conformal inference (Gibbs and Candès, 2024): eight levels follow the alarms as in
    :class:`~offnominal.alarms.aci.ACI`, with step sizes from 0.001 to 0.128. The weight of each falls with its
    pinball loss, so that the step size need not be chosen. The level is their mean, without a random draw.

    Guaranteed:
        Nothing about the share of alarms. The regret is bounded: over any time, the loss is near that of the best
        sequence of levels in hindsight.

    Not guaranteed:
        The share of alarms: a bound is only known for learning rates that fall to zero, which stop adapting. Use
        :class:`~offnominal.alarms.aci.ACI` if you need one.

    Args:
        alpha: Share of units with an alarm that it aims at.
        learning_rate: How fast weights follow losses.
        sharing: Share of the weights that is spread evenly after each unit.
        window: Steps of a unit; None for episodes.
        feedback: Which units the threshold learns from; see :class:`~offnominal.alarms.adaptive.AdaptiveAlarm`.
        patience: Units of a run of alarms that are learned from with the feedback ``"frozen"``.
        delay: Largest number of units between two confirmations that are learned from.
        horizon: Not used: there is no guarantee.
        recent: Number of latest units that are ranked; None for those of the calibration for ever.

    Example:
        >>> random = np.random.default_rng(0)
        >>> alarm = DtACI(0.1, window=1).fit([random.normal(size=1000)])
        >>> print(alarm.guarantee)
        no guarantee
        >>> drift = np.linspace(0.0, 3.0, 20_000)
        >>> round(alarm.history([drift + random.normal(size=20_000)]).share, 3)
        0.1
    """

    learning_rate: float = field(default=2.72, kw_only=True)
    sharing: float = field(default=0.001, kw_only=True)

    @property
    def guarantee(self) -> Guarantee:
        """None: no bound is known."""
        self.require_unchanged()
        return Guarantee("none", None, "episode" if self.window is None else "window", NO_BOUND, window=self.window)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        positive_number("learning_rate", self.learning_rate)
        number_in("sharing", self.sharing, 0.0, 1.0)

    def deviation(self, units: int) -> float:
        """Return 1: nothing is guaranteed about the share of alarms."""
        positive_integer("units", units)
        return 1.0

    def _first_part(self) -> FloatArray:
        """Return the levels and weights of the experts, and the ranked units if they change."""
        experts = len(GAMMAS)
        return np.concatenate([np.full(experts, self.alpha), np.full(experts, 1.0 / experts), self._ranked_first()])

    def _learn(
        self, maxima: FloatArray, part: FloatArray, thresholds: FloatArray, raised: FloatArray, learned: BoolArray
    ) -> None:
        """Move the levels and weights of the experts after each unit."""
        most, always = self._most_in_a_row(), self._ranked_always()
        options = float(self.alpha), float(self.learning_rate), float(self.sharing)
        _learn_units(maxima, part, thresholds, raised, learned, self.threshold_, most, *options, GAMMAS, always)


@compiled
def _learn_units(
    maxima: FloatArray,
    part: FloatArray,
    thresholds: FloatArray,
    raised: FloatArray,
    learned: BoolArray,
    first: float,
    most: int,
    alpha: float,
    rate: float,
    sharing: float,
    gammas: FloatArray,
    always: FloatArray,
) -> None:
    """Learn from units: see :meth:`AdaptiveAlarm._learn`."""
    experts = len(gammas)
    for i in range(maxima.shape[1]):
        row = part[i]
        levels, weights = row[LEVELS:WEIGHTS], row[WEIGHTS:RANKED]
        ranked = always if len(always) > VALUES else row[RANKED:]
        for u in range(maxima.shape[0]):
            thresholds[u, i] = row[THRESHOLD]
            raised[u, i] = alarm_of_unit(raised[u, i], maxima[u, i], row[THRESHOLD], first)
            learned[u, i] = learns(row, maxima[u, i], raised[u, i], most)
            if not learned[u, i]:
                continue
            largest_level = conformal_p_value(ranked, maxima[u, i])
            total = 0.0
            for k in range(experts):
                loss = alpha * (largest_level - levels[k]) - min(0.0, largest_level - levels[k])
                weights[k] *= np.exp(-rate * loss)
                total += weights[k]
            mean = 0.0
            for k in range(experts):
                weights[k] = (1.0 - sharing) * weights[k] / total + sharing / experts
                levels[k] += gammas[k] * (alpha - (1.0 if levels[k] >= largest_level else 0.0))
                mean += weights[k] * levels[k]
            if len(always) == VALUES:
                append_value(ranked, maxima[u, i])
            row[THRESHOLD] = value_at_level(ranked, mean)
