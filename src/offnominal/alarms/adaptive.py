"""Alarms whose threshold follows the scores: for nominal behaviour that changes with time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from offnominal.alarms.alarm import Alarm, AlarmState
from offnominal.alarms.checks import checked_episodes
from offnominal.alarms.conformal import LARGEST, TooFewEpisodes
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.ranks import conformal_rank, episodes_needed
from offnominal.core.checks import integer_in, number_in, numeric_array, one_of, positive_integer, require_shape
from offnominal.core.compilation import compiled_inline
from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.detectors.observation_limits import MAX_SCORE
from offnominal.detectors.states import chosen_rows

Feedback = Literal["always", "frozen", "confirmed"]
ANY_DATA = "none about the scores: they may drift, jump and depend on each other"
COUNTED = {
    "always": "",
    "frozen": " that it learns from (all but the later ones of a run of alarms)",
    "confirmed": " that are confirmed as nominal",
}
"""Which units the share of alarms is about, by the rule of feedback."""
MOST_RECENT, MOST_DELAY = 100_000, 100_000
UNKNOWN = -1.0
"""Whether an alarm was raised in a unit, before that is known."""
THRESHOLD, RUN, METHOD = 0, 1, 2
"""Where what was learned has the threshold, the number of units with an alarm in a row, and the parts of the method."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitHistory:
    """What an adaptive alarm did in the units of one stream.

    Args:
        maxima: (n,): largest score of each unit.
        thresholds: (n,): threshold of the score in each unit; infinite if nothing raises the alarm.
        raised: (n,): whether there was an alarm.
        learned: (n,): whether the threshold was changed by this unit.
    """

    maxima: FloatArray
    thresholds: FloatArray
    raised: BoolArray
    learned: BoolArray

    @property
    def share(self) -> float:
        """Share of alarms among the units that were learned from, which a guarantee in the long run is about."""
        return float(self.raised[self.learned].mean()) if self.learned.any() else 0.0


@dataclass(eq=False)
class AdaptiveAlarm(Alarm):
    """An alarm whose threshold is changed after each unit, by whether there was an alarm in it.

    A unit is a window of steps, or an episode if `window` is None. The alarm is raised while a score is above the
    threshold of its unit. What was learned is part of the state: the alarm itself does not change. `threshold_` is the
    threshold of the first unit, and the statistic is the score less the changes of the threshold since then.

    :meth:`start` forgets what was learned; :meth:`restart` begins a new episode with it. An episode is a unit that
    :meth:`restart` ends.

    A threshold that follows the scores also follows a fault. Which units it learns from is the argument `feedback`:

    ``"always"``
        All units. The promise about the share of alarms needs no assumption; a fault that lasts is learned
        as nominal, and the alarm falls silent.
    ``"frozen"``
        All but the units after the first `patience` of a run of alarms: a fault that lasts keeps its alarm. The promise
        is about the units that are learned from: if nominal operation itself has jumped, the alarm stays raised until
        :meth:`start` or a new fit. If the first alarms of a fault make the threshold infinite, it falls silent.
    ``"confirmed"``
        Units that :meth:`confirm` declares nominal, at most `delay` at once. The promise is about these units: it is
        the share of false alarms. Without confirmations, the threshold stays as it is.

    Units with an invalid reading raise the alarm, are never learned from and do not count.

    Args:
        alpha: Share of units with an alarm in the long run.
        window: Steps of a unit; None for episodes.
        feedback: Which units the threshold learns from.
        patience: Units of a run of alarms that are learned from with ``"frozen"``.
        delay: Largest number of units between two confirmations that are learned from, with ``"confirmed"``.
        horizon: Number of units for which the guarantee states its error.

    Attributes:
        n_units_: Number of calibration units.
    """

    alpha: float = 0.05
    window: int | None = field(default=None, kw_only=True)
    feedback: Feedback = field(default="always", kw_only=True)
    patience: int = field(default=3, kw_only=True)
    delay: int = field(default=1, kw_only=True)
    horizon: int = field(default=10_000, kw_only=True)
    n_units_: int = field(init=False, repr=False)

    assumption: ClassVar[str] = ANY_DATA

    @property
    def guarantee(self) -> Guarantee:
        """The share of units with an alarm in the long run, and how far it may be away over `horizon` units."""
        self.require_unchanged()
        error = self.deviation(self.horizon)
        return Guarantee(
            "long run",
            None,
            "episode" if self.window is None else "window",
            self.assumption,
            window=self.window,
            share=self.alpha,
            error=error,
            horizon=self.horizon,
            counted=COUNTED[self.feedback],
        )

    @abstractmethod
    def deviation(self, units: int) -> float:
        """Return the largest distance between `alpha` and the share of alarms in the first units that are counted."""

    @abstractmethod
    def _fit_method(self, maxima: FloatArray) -> None:
        """Set the fitted fields of the method from the largest scores of the calibration units, in their order."""

    @abstractmethod
    def _first_part(self) -> FloatArray:
        """Return the values that the method remembers, before the first unit."""

    @abstractmethod
    def _learn(
        self, maxima: FloatArray, part: FloatArray, thresholds: FloatArray, raised: FloatArray, learned: BoolArray
    ) -> None:
        """Learn from (units, n) units one after the other, in compiled code.

        Args:
            maxima: (units, n) largest scores.
            part: (n, ...) what was learned before, which is changed: the threshold, the number of units with an alarm
                in a row, and the values of :meth:`_first_part`.
            thresholds: (units, n) thresholds of the units, which are written.
            raised: (units, n) whether there was an alarm, 1 or 0; where it is negative it is written.
            learned: (units, n) whether the unit was learned from, which is written.
        """

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        number_in("alpha", self.alpha, 0.0, 1.0, open_low=True, open_high=True)
        if self.window is not None:
            positive_integer("window", self.window)
        one_of("feedback", self.feedback, get_args(Feedback))
        positive_integer("patience", self.patience)
        integer_in("delay", self.delay, 1, MOST_DELAY)
        positive_integer("horizon", self.horizon)

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` if there were too few calibration units."""
        integer_in("n_units_", self.n_units_, self.units_needed())

    def units_needed(self) -> int:
        """Return the smallest number of calibration units."""
        return episodes_needed(self.alpha)

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Rank the largest scores of the calibration units: the threshold of the first unit is conformal."""
        self._width: int | None = None
        maxima = self._maxima(episodes)
        self._require_enough(len(maxima), sum(map(len, episodes)))
        self.n_units_ = len(maxima)
        self.threshold_ = float(np.sort(maxima)[conformal_rank(len(maxima), self.alpha) - 1])
        self._fit_method(maxima)

    def _maxima(self, episodes: list[FloatArray]) -> FloatArray:
        """Return the largest score of each unit, in the order of time."""
        if self.window is None:
            return np.array([scores.max() for scores in episodes])
        size = int(self.window)
        whole = [scores[: len(scores) // size * size].reshape(-1, size).max(axis=1) for scores in episodes]
        return np.concatenate([np.empty(0), *whole])

    def _require_enough(self, given: int, steps: int) -> None:
        least = self.units_needed()
        if given >= least:
            return
        if self.window is None:
            raise TooFewEpisodes(
                f"{given} nominal episodes are too few for alpha {self.alpha:g}; give {least} or more, or choose a "
                "larger alpha."
            )
        raise TooFewEpisodes(
            f"{steps:,} nominal steps have {given} windows of {self.window:,} steps, too few for alpha "
            f"{self.alpha:g}; give {least * self.window:,} steps or more, or choose a larger alpha or a shorter window."
        )

    def start(self, n: int = 1) -> AlarmState:
        """Return the state of n streams before their first score, with nothing learned."""
        state = super().start(n)
        if not self.fitted:
            return state
        memory = np.concatenate([[-np.inf], np.zeros(self._slots()), self._start_part()])
        return AlarmState(state.steps, np.tile(memory, (n, 1)))

    def _checked(self, state: AlarmState) -> AlarmState:
        """Return a state with the memory of this alarm: compiled code trusts its shape."""
        if vars(self).get("_width") is None:
            self._width = 1 + self._slots() + len(self._start_part())
        if not isinstance(state, AlarmState) or state.memory.shape != (len(state.steps), self._width):
            raise InvalidParameter(
                f"the state is {shown(state)}; expected one of this alarm, from `start` or `update`."
            )
        return state

    def _start_part(self) -> FloatArray:
        return np.concatenate([[self.threshold_, 0.0], self._first_part()])

    def _slots(self) -> int:
        """Return the size of the memory for units that are not confirmed yet: their number, maxima and alarms."""
        return 1 + 2 * self.delay if self.feedback == "confirmed" else 0

    def restart(self, state: AlarmState, rows: Array) -> AlarmState:
        """Return the state with some rows at the start of a new episode; what was learned is kept.

        If episodes are the units, the episode that ends is learned from; else an unfinished window is not.
        """
        chosen = chosen_rows(rows, len(self._checked(state).steps))
        steps, memory = state.steps.copy(), state.memory.copy()
        # An episode without a score, as one of which all transitions were lost, is no unit.
        if self.window is None and len(ended := chosen[memory[chosen, 0] > -np.inf]):
            memory[ended] = self._ended(memory[ended])
        steps[chosen], memory[chosen, 0] = 0, -np.inf
        return replace(state, steps=steps, memory=memory)

    def confirm(self, state: AlarmState, nominal: ArrayLike) -> AlarmState:
        """Return the state after the units since the last confirmation were declared nominal or not.

        Args:
            state: State of n streams; it is not changed.
            nominal: (n,): whether the units that have ended since the last confirmation, at most the last `delay` of
                them, are nominal: only then the threshold learns from them. An unfinished window is not
                among them.

        Raises:
            InvalidParameter: The alarm does not learn from confirmations.

        Example:
            >>> from offnominal.alarms import ACI, simulate_scores
            >>> alarm = ACI(0.05, feedback="confirmed").fit(simulate_scores(100))
            >>> state, _ = alarm.update(alarm.start(), [99.0])
            >>> state = alarm.confirm(alarm.restart(state, [0]), [True])
            >>> alarm.thresholds(state) > alarm.threshold_
            array([ True])
        """
        self._require_fitted()
        if self.feedback != "confirmed":
            raise InvalidParameter(
                f"feedback is {self.feedback!r}, so nothing is confirmed; make the alarm with feedback='confirmed'."
            )
        given = numeric_array("nominal", nominal)
        if given.dtype != np.bool_ or given.shape != self._checked(state).steps.shape:
            raise InvalidParameter(f"nominal is {shown(nominal)}; expected a boolean for each of {len(state.steps)}.")
        memory, first = state.memory.copy(), 1 + self._slots()
        for row in range(len(memory)):
            count = _count(memory[row, 1], self.delay)
            if given[row] and count:
                maxima = memory[row, 2 : 2 + count, None].copy()
                raised = memory[row, 2 + self.delay : 2 + self.delay + count, None].copy()
                part = memory[row : row + 1, first:].copy()
                self._learn(maxima, part, np.empty_like(maxima), raised, np.empty(maxima.shape, np.bool_))
                memory[row, first:] = part[0]
        memory[:, 1:first] = 0.0
        return replace(state, memory=memory)

    def waiting(self, state: AlarmState) -> IntArray:
        """Return (n,): how many units of each stream would be learned from if they were confirmed now.

        Example:
            >>> from offnominal.alarms import ACI, simulate_scores
            >>> alarm = ACI(0.05, feedback="confirmed", delay=3).fit(simulate_scores(100))
            >>> state, _ = alarm.update(alarm.start(), [1.0])
            >>> alarm.waiting(state), alarm.waiting(alarm.restart(state, [0]))
            (array([0]), array([1]))
        """
        self._require_fitted()
        memory = self._checked(state).memory
        if self.feedback != "confirmed":
            return np.zeros(len(memory), np.int64)
        return np.array([_count(number, self.delay) for number in memory[:, 1]], np.int64)

    def thresholds(self, state: AlarmState) -> FloatArray:
        """Return the threshold of the score in the present unit of each stream; infinite if no score can exceed it."""
        self._require_fitted()
        found: FloatArray = self._checked(state).memory[:, 1 + self._slots() + THRESHOLD].copy()
        return found

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Return the scores less the changes of the threshold; a unit that ends is learned from."""
        require_shape("scores", scores, len(self._checked(state).steps))
        memory = state.memory.copy()
        statistic = self._statistic(scores, memory[:, 1 + self._slots() + THRESHOLD])
        memory[:, 0] = np.maximum(memory[:, 0], scores)
        if self.window is not None:
            ends = (state.steps + 1) % self.window == 0
            if ends.any():
                memory[ends] = self._ended(memory[ends])
        return state.after(memory), statistic

    def run_statistic(self, scores: FloatArray) -> FloatArray:
        """Return the statistics of whole streams, computed for all units at once."""
        require_shape("scores", scores, "steps", "n")
        steps, n = scores.shape
        size = steps if self.window is None else int(self.window)
        units = steps // size
        part = np.tile(self._start_part(), (n, 1))
        thresholds = np.empty((units + 1, n))
        if self.feedback != "confirmed":
            maxima = scores[: units * size].reshape(units, size, n).max(axis=1)
            unknown, learned = np.full((units, n), UNKNOWN), np.empty((units, n), np.bool_)
            self._learn(maxima, part, thresholds[:units], unknown, learned)
        else:
            thresholds[:units] = self.threshold_
        thresholds[units] = part[:, THRESHOLD]
        return self._statistic(scores, np.repeat(thresholds, size, axis=0)[:steps])

    def history(self, scores: Sequence[ArrayLike], nominal: ArrayLike | None = None) -> UnitHistory:
        """Return what the alarm does in one stream: in the windows of one log, or in episodes in the order of time.

        Args:
            scores: Episodes of scores in the order of time; windows do not go over the end of an episode.
            nominal: (units,): whether each unit is confirmed as nominal as soon as it has ended, for the feedback
                ``"confirmed"``; all if None.

        Example:
            >>> from offnominal.alarms import ACI, simulate_scores
            >>> alarm = ACI(0.05).fit(simulate_scores(100, seed=0))
            >>> worn = [1.002**day * episode for day, episode in enumerate(simulate_scores(500, seed=1))]
            >>> found = alarm.history(worn)
            >>> round(found.share, 2), alarm.deviation(500) > abs(found.share - 0.05)
            (0.06, True)
        """
        self._require_fitted()
        episodes = checked_episodes(scores)
        maxima = self._maxima(episodes)[:, None]
        thresholds, raised = np.empty_like(maxima), np.full_like(maxima, UNKNOWN)
        learned = np.empty(maxima.shape, np.bool_)
        part = self._start_part()[None].copy()
        if self.feedback != "confirmed" or nominal is None:
            self._learn(maxima, part, thresholds, raised, learned)
        else:
            self._learn_confirmed(maxima, part, thresholds, raised, learned, self._confirmed(nominal, len(maxima)))
        return UnitHistory(maxima[:, 0], thresholds[:, 0], raised[:, 0] > 0.0, learned[:, 0])

    def _confirmed(self, nominal: ArrayLike, units: int) -> BoolArray:
        given = numeric_array("nominal", nominal)
        if given.dtype != np.bool_ or given.shape != (units,):
            raise InvalidParameter(f"nominal is {shown(nominal)}; expected a boolean for each of {units} units.")
        return given

    def _learn_confirmed(
        self,
        maxima: FloatArray,
        part: FloatArray,
        thresholds: FloatArray,
        raised: FloatArray,
        learned: BoolArray,
        nominal: BoolArray,
    ) -> None:
        """Learn from the units that are nominal; the others have the threshold of the next one that is."""
        found = thresholds[nominal], raised[nominal], learned[nominal]
        self._learn(maxima[nominal], part, *found)
        thresholds[nominal], raised[nominal], learned[nominal] = found
        following = np.append(found[0][:, 0], part[0, THRESHOLD])[np.cumsum(nominal) - nominal]
        others = ~nominal
        thresholds[others, 0], learned[others, 0] = following[others], False
        raised[others, 0] = self._statistic(maxima[others, 0], following[others]) > self.threshold_

    def _ended(self, memory: FloatArray) -> FloatArray:
        """Return the memory of streams whose units end: it learns, or waits for a confirmation."""
        memory, first = memory.copy(), 1 + self._slots()
        if self.feedback == "confirmed":
            raised = self._statistic(memory[:, 0], memory[:, first + THRESHOLD]) > self.threshold_
            for row, alarmed in zip(memory, raised, strict=True):
                self._wait(row, float(alarmed))
        else:
            maxima, part = memory[None, :, 0].copy(), memory[:, first:].copy()
            unknown = np.full_like(maxima, UNKNOWN)
            self._learn(maxima, part, np.empty_like(maxima), unknown, np.empty(maxima.shape, np.bool_))
            memory[:, first:] = part
        memory[:, 0] = -np.inf
        return memory

    def _wait(self, row: FloatArray, raised: float) -> None:
        """Remember a unit until it is confirmed; the oldest goes if there are more than `delay`."""
        count = _count(row[1], self.delay)
        maxima, alarms = row[2 : 2 + self.delay], row[2 + self.delay : 2 + 2 * self.delay]
        if count == self.delay:
            maxima[:-1], alarms[:-1] = maxima[1:].copy(), alarms[1:].copy()
            count -= 1
        maxima[count], alarms[count], row[1] = row[0], raised, count + 1

    def _statistic(self, scores: FloatArray, thresholds: FloatArray) -> FloatArray:
        moved = np.clip(scores - (thresholds - self.threshold_), -LARGEST, LARGEST)
        return np.where(scores < MAX_SCORE, moved, LARGEST)

    def _most_in_a_row(self) -> int:
        """Return how many units of a run of alarms are learned from."""
        return self.patience if self.feedback == "frozen" else np.iinfo(np.int64).max


def _count(value: float, most: int) -> int:
    return int(min(max(value, 0.0), most)) if np.isfinite(value) else 0


@compiled_inline
def alarm_of_unit(raised: float, largest: float, threshold: float, first: float) -> float:
    """Return whether there was an alarm in a unit, 1 or 0, if that is not yet known."""
    if raised >= 0.0:
        return raised
    return 1.0 if largest >= MAX_SCORE or largest - (threshold - first) > first else 0.0


@compiled_inline
def learns(part: FloatArray, largest: float, raised: float, most: int) -> bool:
    """Count a unit in its run of alarms, and return whether it is learned from."""
    if largest >= MAX_SCORE:
        return False
    part[RUN] = part[RUN] + 1.0 if raised > 0.0 else 0.0
    return bool(part[RUN] <= most)
