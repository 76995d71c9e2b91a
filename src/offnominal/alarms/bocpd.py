"""Bayesian online change-point detection: the baseline of the field for changes in streams."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from offnominal.alarms.alarm import Alarm, AlarmState
from offnominal.alarms.checks import pooled_scores
from offnominal.alarms.conformal import standardised
from offnominal.alarms.guarantee import Guarantee
from offnominal.core.checks import integer_in, number_in, require_shape
from offnominal.core.compilation import compiled
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE

LONGEST = 10_000
FIELDS = 2
"""Numbers of the state per run length: its probability and the sum of its scores."""


@dataclass(eq=False)
class Bocpd(Alarm):
    """Alarms when the posterior probability of a change in the last steps is high; a baseline without a guarantee.

    Bayesian online change-point detection (Adams and MacKay, 2007): scores are standardised by the nominal mean and
    deviation; between changes they are independent and normal with deviation 1, around a mean that is drawn from a
    standard normal distribution at each change. A change comes at each step with the probability `hazard`. The
    statistic is the probability that the last change was in the last `recent` steps. Runs of `longest` or more
    steps are treated as one. The start of an episode is no change; a fall of the scores is one.

    Guaranteed:
        Nothing.

    Not guaranteed:
        A rate of false alarms: `probability` is that of a model, and scores of detectors are skewed and correlated, so
        that nominal outliers look like changes.

    Args:
        probability: Probability of a change above which the alarm is raised.
        hazard: Probability of a change per step.
        recent: Steps up to which a change counts.
        longest: Longest run length that is told from longer ones, more than `recent`.

    Attributes:
        mean_: Mean nominal score.
        deviation_: Standard deviation of the nominal scores; 1 if they are constant.

    Example:
        >>> random = np.random.default_rng(0)
        >>> alarm = Bocpd().fit([random.normal(size=1000)])
        >>> alarm.first_alarms([np.concatenate([random.normal(size=50), random.normal(4.0, size=20)])])
        [50]
    """

    probability: float = 0.5
    hazard: float = field(default=0.004, kw_only=True)
    recent: int = field(default=10, kw_only=True)
    longest: int = field(default=200, kw_only=True)
    mean_: float = field(init=False, repr=False)
    deviation_: float = field(init=False, repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """No guarantee."""
        return Guarantee("none", None, "step", "no guarantee, so no assumption")

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        number_in("probability", self.probability, 0.0, 1.0, open_low=True, open_high=True)
        number_in("hazard", self.hazard, 0.0, 1.0, open_low=True, open_high=True)
        integer_in("longest", self.longest, integer_in("recent", self.recent, 1, LONGEST - 1) + 1, LONGEST)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` unless the threshold is the probability, and the deviation positive."""
        number_in("deviation_", self.deviation_, 0.0, open_low=True)
        if self.threshold_ != self.probability:
            raise InvalidParameter(f"threshold_ is {self.threshold_:g}; expected {self.probability:g}.")

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Fit mean and deviation; the threshold is the given probability."""
        pooled = pooled_scores(episodes)
        self.mean_ = float(np.mean(pooled))
        self.deviation_ = float(np.std(pooled)) or 1.0
        self.threshold_ = float(self.probability)

    def start(self, n: int = 1) -> AlarmState:
        """Return the state of n episodes before their first score: a run of no steps."""
        state = super().start(n)
        memory = np.zeros((len(state.steps), FIELDS, int(self.longest) + 1))
        memory[:, 0, 0] = 1.0
        return AlarmState(state.steps, memory)

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Return the probability of a recent change after one more score."""
        require_shape("scores", scores, len(state.steps))
        memory, found = state.memory.copy(), np.empty(len(scores))
        values = standardised(scores, self.mean_, self.deviation_)
        for row in range(len(scores)):
            found[row] = _step(memory[row], values[row], int(state.steps[row]), float(self.hazard), int(self.recent))
        return state.after(memory), np.where(scores < MAX_SCORE, found, 1.0)

    def run_statistic(self, scores: FloatArray) -> FloatArray:
        """Return the probabilities of a recent change of whole episodes."""
        require_shape("scores", scores, "steps", "n")
        memory, found = self.start(scores.shape[1]).memory, np.empty_like(scores)
        _run(memory, standardised(scores, self.mean_, self.deviation_), float(self.hazard), int(self.recent), found)
        return np.where(scores < MAX_SCORE, found, 1.0)

    def run_lengths(self, state: AlarmState) -> FloatArray:
        """Return (n, longest + 1) posterior probabilities of the number of steps since the last change.

        Example:
            >>> alarm = Bocpd(hazard=0.01).fit([[-1.0, 1.0]])
            >>> state, _ = alarm.update(alarm.start(), [0.0])
            >>> alarm.run_lengths(state)[0, :2]
            array([0.01, 0.99])
        """
        return state.memory[:, 0].copy()


@compiled
def _step(memory: FloatArray, value: float, steps: int, hazard: float, recent: int) -> float:
    """Add a score to the runs of one episode, and return the probability that the last change is recent.

    Args:
        memory: (2, longest + 1): probability and sum of the scores of each run length; overwritten.
        value: Standardised score.
        steps: Number of scores before it.
        hazard: Probability of a change.
        recent: Steps up to which a change counts.
    """
    shares, sums = memory[0], memory[1]
    longest = len(shares) - 1
    last = min(steps, longest)
    largest = -np.inf
    for r in range(last + 1):
        # The mean of a run of r scores has the variance 1 / (1 + r) around their sum over 1 + r.
        spread = 1.0 / (1.0 + r)
        error = value - sums[r] * spread
        shares[r] = np.log(shares[r]) - 0.5 * error * error / (1.0 + spread) - 0.5 * np.log(1.0 + spread)
        largest = max(largest, shares[r])
    total = 0.0
    for r in range(last + 1):
        shares[r] = np.exp(shares[r] - largest)
        total += shares[r]
    if last == longest:
        # Runs of the longest length and of one step less become one, with the mean of their sums.
        joined = shares[longest] + shares[longest - 1]
        weight = shares[longest] / joined if joined > 0.0 else 0.5
        sums[longest - 1] = weight * sums[longest] * ((longest - 1.0) / longest) + (1.0 - weight) * sums[longest - 1]
        shares[longest - 1] = joined
        last = longest - 1
    for r in range(last, -1, -1):
        shares[r + 1], sums[r + 1] = shares[r] / total * (1.0 - hazard), sums[r] + value
    shares[0], sums[0] = hazard, 0.0
    found = 0.0
    for r in range(min(recent, steps) + 1):
        found += shares[r]
    return found


@compiled
def _run(memory: FloatArray, values: FloatArray, hazard: float, recent: int, found: FloatArray) -> None:
    """Write the probabilities of (steps, n) standardised scores."""
    for row in range(values.shape[1]):
        for t in range(values.shape[0]):
            found[t, row] = _step(memory[row], values[t, row], t, hazard, recent)
