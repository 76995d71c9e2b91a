"""The generalised likelihood ratio of a shift of the scores that began at an unknown step, which it also estimates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from offnominal.alarms.alarm import AlarmState
from offnominal.alarms.charts import StandardisedChart
from offnominal.alarms.checks import checked_episodes
from offnominal.core.checks import integer_in, require_shape
from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray

LONGEST = 10_000


@dataclass(eq=False)
class EpisodeGlr(StandardisedChart):
    """Alarms when a shift of the mean score that began at any of the last steps is much more likely than none.

    The statistic is the largest log-likelihood ratio, over all onsets in the window, of a rise of the mean to what it
    was since then, for independent scores with the nominal deviation: S² / (2 k) for a sum S > 0 of the last k
    standardised scores (Lorden, 1971; Willsky and Jones, 1976). Unlike a cumulative sum it needs no size of the shift,
    and the best onset is an estimate of when it began: :meth:`onsets`. Its threshold is conformal, so that the
    guarantee does not need independence.

    Guaranteed:
        For exchangeable nominal episodes, P(any alarm in a new nominal episode) <= alpha, averaged over calibrations;
        with `confidence`, for this calibration with that confidence.

    Not guaranteed:
        Anything after the policy, the task or the nominal conditions have changed, nor in episodes that are
        longer than the calibration episodes. The error of the estimated onset.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        window: Steps up to which an onset is looked for; it bounds the time per step.
        confidence: As for :class:`EpisodeMaximum`.
        fit_fraction: Fraction of the calibration episodes for mean and standard deviation.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> alarm = EpisodeGlr(alpha=0.05).fit(simulate_scores(100, seed=0))
        >>> faulty = [[1.0] * 20 + [8.0] * 20]
        >>> alarm.first_alarms(faulty), alarm.onsets(faulty)
        ([24], [20])
    """

    window: int = 100

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        super().check()
        integer_in("window", self.window, 1, LONGEST)

    def start(self, n: int = 1) -> AlarmState:
        """Return the state of n episodes before their first score: the last standardised scores, the newest first."""
        state = super().start(n)
        return AlarmState(state.steps, np.zeros((len(state.steps), int(self.window))))

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Return the largest ratio after one more score."""
        require_shape("scores", scores, len(state.steps))
        memory = np.empty_like(state.memory)
        memory[:, 1:] = state.memory[:, :-1]
        memory[:, 0] = self.standardised(scores)
        found = np.empty(len(scores))
        known = np.minimum(state.steps + 1, int(self.window))
        for row in range(len(scores)):
            found[row], _ = _largest_ratio(memory[row], int(known[row]))
        return state.after(memory), found

    def run_statistic(self, scores: FloatArray) -> FloatArray:
        """Return the largest ratios of whole episodes."""
        return self._ratios(scores)[0]

    def onsets(self, scores: Sequence[ArrayLike]) -> list[int | None]:
        """Return for each episode the step at which the shift began that raised the first alarm, or None."""
        self._require_fitted()
        found: list[int | None] = []
        for episode in checked_episodes(scores):
            ratios, begins = self._ratios(episode[:, None])
            raised = ratios[:, 0] > self.threshold_
            found.append(int(begins[np.argmax(raised), 0]) if raised.any() else None)
        return found

    def _ratios(self, scores: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return (steps, n) ratios and the steps at which their shifts begin."""
        require_shape("scores", scores, "steps", "n")
        ratios, begins = np.empty_like(scores), np.zeros(scores.shape, np.int64)
        _run(self.standardised(scores), int(self.window), ratios, begins)
        return ratios, begins


@compiled
def _largest_ratio(newest: FloatArray, known: int) -> tuple[float, int]:
    """Return the largest ratio over sums of the newest scores, and how many of them have it."""
    total, largest, length = 0.0, 0.0, 1
    for k in range(known):
        total += newest[k]
        ratio = total * total / (2.0 * (k + 1)) if total > 0.0 else 0.0
        if ratio > largest:
            largest, length = ratio, k + 1
    return largest, length


@compiled
def _run(values: FloatArray, window: int, ratios: FloatArray, begins: IntArray) -> None:
    """Write the ratio and the begin of the shift of each step of (steps, n) standardised scores."""
    for row in range(values.shape[1]):
        for t in range(values.shape[0]):
            newest = values[max(t + 1 - window, 0) : t + 1, row][::-1]
            ratios[t, row], length = _largest_ratio(newest, len(newest))
            begins[t, row] = t + 1 - length
