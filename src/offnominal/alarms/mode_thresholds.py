"""A threshold for each mode of operation, for agents whose nominal scores depend on what they do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike

from offnominal.alarms.alarm import Alarm, AlarmState
from offnominal.alarms.checks import checked_episodes, pooled_scores
from offnominal.alarms.conformal import LARGEST, TooFewEpisodes
from offnominal.alarms.guarantee import EXCHANGEABLE, Guarantee
from offnominal.alarms.ranks import conformal_rank, episodes_needed
from offnominal.core.checks import integer_in, number_in, numeric_array, one_of
from offnominal.core.errors import InvalidParameter, OffnominalError
from offnominal.core.printable import shown
from offnominal.core.types import BoolArray, FloatArray
from offnominal.detectors.observation_limits import MAX_SCORE

Unseen = Literal["error", "alarm", "largest"]
ALONE = "new nominal episodes of each mode are exchangeable with those of the calibration in this mode, and stay in it"


class UnseenMode(OffnominalError, ValueError):
    """There is no threshold for a mode, because the calibration did not have it."""


@dataclass(eq=False)
class ModeThresholds(Alarm):
    """Alarms above a conformal threshold of the mode that the agent is in.

    A mode is an integer per step or per episode: a column of the log, such as the task or the gait, or a mode of
    :class:`~offnominal.alarms.segmentation.Segmentation`. The largest scores of calibration episodes are
    ranked for each mode apart (Mondrian conformal prediction). One threshold for all modes is exceeded mostly in
    the mode with the largest scores, and hides faults in the others.

    Guaranteed:
        If each episode stays in one mode: P(any alarm in a new nominal episode) <= alpha in every mode, averaged over
        calibrations. If episodes change between k modes, each threshold is one for alpha / k, and P(any alarm in a new
        nominal episode) <= alpha over all modes.

    Not guaranteed:
        Anything in a mode that the calibration did not have. With `unseen` ``"error"`` that is an
        :class:`UnseenMode`, with ``"alarm"`` each step in it raises the alarm, and with ``"largest"`` the largest
        of all thresholds is used, without a guarantee.

    Args:
        alpha: Largest probability of a false alarm in a nominal episode.
        unseen: What happens in a mode that the calibration did not have.

    Attributes:
        modes_: Modes of the calibration, ascending.
        thresholds_: Threshold of each mode.
        n_ranked_: Number of calibration episodes that were in each mode.
        changing_: Whether an episode of the calibration was in more than one mode, 1 or 0.

    Example:
        >>> from offnominal.alarms import simulate_scores
        >>> loud = [5.0 * scores for scores in simulate_scores(50, seed=1)]
        >>> alarm = ModeThresholds(0.1).fit(simulate_scores(50) + loud, modes=[0] * 50 + [1] * 50)
        >>> dict(zip(alarm.modes_.tolist(), alarm.thresholds_.round(1).tolist()))
        {0.0: 5.0, 1.0: 32.3}
        >>> alarm.first_alarms([[9.0, 9.0], [9.0, 99.0]], modes=[0, 1])
        [0, 1]
        >>> state, raised = alarm.update(alarm.in_mode(alarm.start(2), [0, 1]), [9.0, 9.0])
        >>> raised
        array([ True, False])
    """

    alpha: float = 0.05
    unseen: Unseen = field(default="error", kw_only=True)
    modes_: FloatArray = field(init=False, repr=False)
    thresholds_: FloatArray = field(init=False, repr=False)
    n_ranked_: FloatArray = field(init=False, repr=False)
    changing_: int = field(init=False, repr=False)

    @property
    def guarantee(self) -> Guarantee:
        """At most a fraction alpha of nominal episodes has a false alarm."""
        self.require_unchanged()
        alone = self.fitted and not self.changing_
        return Guarantee("marginal", self.alpha, "episode", ALONE if alone else EXCHANGEABLE)

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""
        number_in("alpha", self.alpha, 0.0, 1.0, open_low=True, open_high=True)
        one_of("unseen", self.unseen, get_args(Unseen))

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` unless each mode has a threshold and enough episodes."""
        n = len(self.modes_)
        if any(each.shape != (n,) for each in (self.modes_, self.thresholds_, self.n_ranked_)):
            raise InvalidParameter(
                "modes_, thresholds_ and n_ranked_ have different shapes; expected one value per mode."
            )
        if (np.diff(self.modes_) <= 0.0).any() or (self.modes_ % 1.0 != 0.0).any():
            raise InvalidParameter(f"modes_ is {shown(self.modes_.tolist())}; expected ascending integers.")
        integer_in("changing_", self.changing_, 0, 1)
        if (self.n_ranked_ < episodes_needed(self._level(n))).any():
            raise InvalidParameter(f"n_ranked_ is {shown(self.n_ranked_.tolist())}, too few for alpha {self.alpha:g}.")
        if self.threshold_ != self.thresholds_[0]:
            raise InvalidParameter(f"threshold_ is {self.threshold_:g}; expected that of the first mode.")

    def _level(self, modes: int) -> float:
        return self.alpha / modes if self.changing_ else self.alpha

    def fit(self, nominal_scores: Sequence[ArrayLike], modes: Sequence[ArrayLike] | ArrayLike | None = None) -> Self:
        """Fit a threshold per mode on the scores of nominal episodes.

        Args:
            nominal_scores: One array of scores per episode; see :meth:`Alarm.fit`.
            modes: For each episode its mode, or its modes at all steps; None for one mode, 0.

        Raises:
            TooFewEpisodes: A mode has too few episodes for alpha.
        """
        self._given = modes
        try:
            return super().fit(nominal_scores)
        finally:
            del self._given

    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Rank the largest scores of the episodes in each mode."""
        pooled_scores(episodes)
        modes = checked_modes(vars(self).get("_given"), episodes)
        self.changing_ = int(any(len(np.unique(each)) > 1 for each in modes))
        self.modes_ = np.unique(np.concatenate(modes)).astype(np.float64)
        level = self._level(len(self.modes_))
        thresholds, counts = [], []
        for mode in self.modes_:
            parts = [scores[each == mode] for scores, each in zip(episodes, modes, strict=True)]
            maxima = np.sort([part.max() for part in parts if part.size])
            if (least := episodes_needed(level)) > len(maxima):
                raise TooFewEpisodes(
                    f"mode {int(mode)} is in {len(maxima)} nominal episodes, too few for alpha {self.alpha:g}"
                    + (f" over {len(self.modes_)} modes" if self.changing_ else "")
                    + f"; give {least} or more, choose a larger alpha, or join modes."
                )
            counts.append(float(len(maxima)))
            thresholds.append(float(maxima[conformal_rank(len(maxima), level) - 1]))
        self.thresholds_, self.n_ranked_ = np.array(thresholds), np.array(counts)
        self.threshold_ = thresholds[0]

    def recalibrate(
        self,
        nominal_scores: Sequence[ArrayLike],
        times: ArrayLike,
        *,
        since: float,
        modes: Sequence[ArrayLike] | ArrayLike | None = None,
    ) -> Self:
        """Return a copy that is fitted to the episodes since a time only; the modes are as for :meth:`fit`."""
        self._require_fitted()
        given = self._given_modes(modes, checked_episodes(nominal_scores))

        def fit(again: Self, episodes: list[FloatArray], chosen: list[int]) -> None:
            again.fit(episodes, [given[number] for number in chosen])

        return self._recalibrated(nominal_scores, times, since, fit)

    def start(self, n: int = 1) -> AlarmState:
        """Return the state of n episodes before their first score; :meth:`in_mode` says in which modes they are."""
        state = super().start(n)
        if self.fitted and not self.needs_modes:
            return state
        return replace(state, memory=np.full(n, np.nan))

    def in_mode(self, state: AlarmState, modes: ArrayLike) -> AlarmState:
        """Return the state of n episodes whose next scores are those of some modes.

        Args:
            state: State from :meth:`start` or :meth:`update`; it is not changed.
            modes: (n,) integers.

        Raises:
            UnseenMode: There is no threshold for a mode, and `unseen` is ``"error"``.
        """
        self._require_fitted()
        given = _integers("modes", modes)
        if given.shape != state.steps.shape:
            raise InvalidParameter(f"modes is {shown(modes)}; expected an integer for each of {len(state.steps)}.")
        self._thresholds(given)
        return replace(state, memory=given.astype(np.float64))

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Return the scores less the difference of the mode's threshold to that of the first mode."""
        if np.isnan(state.memory).any():
            raise InvalidParameter("no mode was given for an episode; give it by `in_mode` before `update`.")
        return state.after(), self._statistic(scores, self._thresholds(state.memory))

    def statistic(
        self, scores: Sequence[ArrayLike], modes: Sequence[ArrayLike] | ArrayLike | None = None
    ) -> list[FloatArray]:
        """Return the statistic at each step of each episode; the modes are as for :meth:`fit`."""
        self._require_fitted()
        episodes = checked_episodes(scores)
        given = self._given_modes(modes, episodes)
        return [self._statistic(each, self._thresholds(mode)) for each, mode in zip(episodes, given, strict=True)]

    def alarm(
        self, scores: Sequence[ArrayLike], modes: Sequence[ArrayLike] | ArrayLike | None = None
    ) -> list[BoolArray]:
        """Return whether the alarm is raised at each step of each episode; the modes are as for :meth:`fit`."""
        return [values > self.threshold_ for values in self.statistic(scores, modes)]

    def first_alarms(
        self, scores: Sequence[ArrayLike], modes: Sequence[ArrayLike] | ArrayLike | None = None
    ) -> list[int | None]:
        """Return the first step of each episode at which the alarm is raised, or None."""
        return [int(np.argmax(raised)) if raised.any() else None for raised in self.alarm(scores, modes)]

    def _given_modes(self, modes: Any, episodes: list[FloatArray]) -> list[FloatArray]:
        if modes is None and self.needs_modes:
            raise InvalidParameter("no modes were given; give the mode of each episode or step, as for `fit`.")
        return checked_modes(modes, episodes)

    @property
    def needs_modes(self) -> bool:
        """Whether modes must be given: there are several, or one that was given."""
        return not np.array_equal(self.modes_, [0.0])

    def _thresholds(self, modes: FloatArray) -> FloatArray:
        """Return the threshold of each mode; less than every score where an unseen mode raises the alarm."""
        place = np.minimum(np.searchsorted(self.modes_, modes), len(self.modes_) - 1)
        unseen = self.modes_[place] != modes
        if self.unseen == "error" and unseen.any():
            raise UnseenMode(
                f"the calibration did not have mode {int(modes[unseen][0])}; it had "
                f"{', '.join(str(int(mode)) for mode in self.modes_)}. Calibrate with it, or choose unseen='alarm' or "
                "'largest'."
            )
        other = -np.inf if self.unseen == "alarm" else float(self.thresholds_.max())
        return np.where(unseen, other, self.thresholds_[place])

    def _statistic(self, scores: FloatArray, thresholds: FloatArray) -> FloatArray:
        moved = np.clip(scores - (thresholds - self.threshold_), -LARGEST, LARGEST)
        return np.where(scores < MAX_SCORE, moved, LARGEST)


def checked_modes(modes: Any, episodes: list[FloatArray]) -> list[FloatArray]:
    """Return the mode at each step of each episode, from one per episode or one per step; 0 if None.

    Example:
        >>> [each.tolist() for each in checked_modes([3, 4], [np.zeros(2), np.zeros(1)])]
        [[3.0, 3.0], [4.0]]
    """
    if modes is None:
        return [np.zeros(len(each)) for each in episodes]
    if isinstance(modes, str | bytes) or not hasattr(modes, "__len__") or len(modes) != len(episodes):
        raise InvalidParameter(
            f"modes is {shown(modes)}; expected a mode, or an array of modes, for each of {len(episodes)} episodes."
        )
    found = []
    for number, (given, scores) in enumerate(zip(modes, episodes, strict=True)):
        values = _integers(f"modes of episode {number}", given)
        if values.shape not in ((), scores.shape):
            raise InvalidParameter(
                f"the modes of episode {number} have shape {values.shape}; expected one mode, or one for each of "
                f"{len(scores)} steps."
            )
        found.append(np.broadcast_to(values, scores.shape).astype(np.float64))
    return found


def _integers(name: str, values: Any) -> FloatArray:
    given = numeric_array(name, values)
    if given.dtype.kind not in "iu" and not (given.dtype.kind == "f" and (given % 1.0 == 0.0).all()):
        raise InvalidParameter(f"{name} is {shown(values)}; modes are integers, such as codes of tasks.")
    return given.astype(np.float64)
