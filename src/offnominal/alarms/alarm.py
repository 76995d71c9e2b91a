"""The contract of an alarm: a statistic of the scores so far, a threshold and a guarantee."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from offnominal.alarms.checks import checked_episodes, checked_row, require_valid_readings
from offnominal.alarms.guarantee import Guarantee
from offnominal.alarms.recalibration import Recalibration
from offnominal.core.checks import integer_in, number_in, numeric_array
from offnominal.core.errors import (
    InvalidParameter,
    InvalidScores,
    InvalidState,
    NotFitted,
    OffnominalError,
    UnsupportedExport,
)
from offnominal.core.printable import shown
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.detectors.states import MOST_EPISODES, chosen_rows

if TYPE_CHECKING:
    from torch import Tensor

FORMAT = 1


@dataclass(frozen=True, slots=True)
class AlarmState:
    """The state of an alarm in n episodes.

    Args:
        steps: (n,): number of scores so far.
        memory: (n, ...): values that the statistic needs at the next step.
    """

    steps: IntArray
    memory: FloatArray

    def after(self, memory: FloatArray | None = None) -> AlarmState:
        """Return the state one step later, with the given memory if it is not None."""
        return AlarmState(self.steps + 1, self.memory if memory is None else memory)


@dataclass(eq=False)
class Alarm(ABC):
    """Compares a statistic of the anomaly scores with a threshold at each step of an episode.

    The alarm is raised while the statistic is above `threshold_`, so it can clear again. The statistic at a step
    depends on the scores up to that step, and on no other episode.

    The score of an invalid reading, :data:`~offnominal.detectors.observation_limits.MAX_SCORE`, raises every alarm of
    this package, and the statistic stays finite. A moving average or a cumulative sum may stay above the threshold for
    the rest of the episode.

    A subclass is a dataclass. Its constructor only stores its arguments; :meth:`check` validates them;
    :meth:`fit_threshold` sets the fields that end in ``_`` (declared with ``init=False``), each a number or an array. A
    statistic other than the score itself is implemented by :meth:`update_statistic`, and by :meth:`start` if it does
    not start at zero. Where a loop over steps is slow, :meth:`run_statistic` computes whole episodes.

    An argument that is changed after the fit is refused until the next fit. :attr:`guarantee` calls
    :meth:`require_unchanged` for that if the guarantee depends on an argument.

    Attributes:
        id: Name in the registry; the name of the class by default.
        threshold_: Value that the statistic must exceed to raise the alarm.

    Example:
        >>> from offnominal.alarms import EpisodeMaximum, simulate_scores
        >>> alarm = EpisodeMaximum(alpha=0.05).fit(simulate_scores(100, seed=0))
        >>> alarm.first_alarms([[1.0, 2.0, 99.0, 3.0], [1.0, 2.0]])
        [2, None]
        >>> state = alarm.start(2)
        >>> state, raised = alarm.update(state, [1.0, 99.0])
        >>> raised
        array([False,  True])
    """

    id: ClassVar[str]
    threshold_: float = field(init=False, repr=False)

    def __init_subclass__(cls) -> None:
        cls.id = vars(cls).get("id", cls.__name__)

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """The guarantee about false alarms."""

    @property
    def rate_distribution(self) -> tuple[float, float] | None:
        """Parameters (a, b) of the beta distribution of the false-alarm rate over calibrations; None if unknown."""
        return None

    def check(self) -> None:
        """Raise :class:`InvalidParameter` if an argument is invalid."""

    def check_fitted(self) -> None:
        """Raise :class:`InvalidParameter` if fitted values that were read from a file are invalid."""

    @abstractmethod
    def fit_threshold(self, episodes: list[FloatArray]) -> None:
        """Set `threshold_` and the other fitted fields from checked scores of at least one episode."""

    def update_statistic(self, state: AlarmState, scores: FloatArray) -> tuple[AlarmState, FloatArray]:
        """Return the state and the statistics of n episodes after one more step; has no side effects."""
        return state.after(), scores

    def run_statistic(self, scores: FloatArray) -> FloatArray:
        """Return the statistics of n whole episodes: those of :meth:`update_statistic`, with the same bits, but faster.

        It is used only if the same class defines `update_statistic`.

        Args:
            scores: (steps, n) scores; those after the end of an episode are zero.
        """
        return scores

    def torch_statistic(self, steps: Tensor, memory: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Return the next memory and the statistics, by torch operators that :meth:`Detector.export` records.

        Args:
            steps: (n,) number of scores so far.
            memory: Memory of the state.
            scores: (n,) double scores.
        """
        if type(self).update_statistic is not Alarm.update_statistic:
            raise UnsupportedExport(f"{self.id} has no ONNX form: it does not implement `torch_statistic`.")
        return memory, scores

    def start(self, n: int = 1) -> AlarmState:
        """Return the state of n episodes before their first score."""
        rows = integer_in("the number of episodes", n, 1, MOST_EPISODES)
        return AlarmState(np.zeros(rows, np.int64), np.zeros(rows))

    def restart(self, state: AlarmState, rows: Array) -> AlarmState:
        """Return the state with some rows, given by indices or a mask, at the start of a new episode."""
        rows = chosen_rows(rows, len(_checked_state(state).steps))
        fresh, steps, memory = self.start(len(state.steps)), state.steps.copy(), state.memory.copy()
        steps[rows], memory[rows] = fresh.steps[rows], fresh.memory[rows]
        return replace(state, steps=steps, memory=memory)

    def update(self, state: AlarmState, scores: ArrayLike) -> tuple[AlarmState, BoolArray]:
        """Process the next score of each of n episodes.

        Args:
            state: State from :meth:`start` or the previous call; it is not changed.
            scores: (n,): one score per episode.

        Returns:
            The state for the next call, and (n,): whether the alarm is raised at this step.
        """
        self._require_fitted()
        state, statistic = self.update_statistic(state, checked_row(scores, len(_checked_state(state).steps)))
        return state, statistic > self.threshold_

    def fit(self, nominal_scores: Sequence[ArrayLike]) -> Self:
        """Fit the threshold on the scores of nominal episodes.

        Args:
            nominal_scores: One array of scores per episode, higher is more anomalous. The detector must not have been
                trained on these episodes: their scores would be too low.

        Raises:
            InvalidScores: There is no episode, an empty one, or a score that is not finite.
            InvalidParameter: An argument of the alarm is invalid.
        """
        self.check()
        episodes = checked_episodes(nominal_scores)
        if not episodes:
            raise InvalidScores("no episode was given; fit needs the scores of nominal episodes.")
        require_valid_readings(episodes)
        fitted = copy(self)
        with np.errstate(over="ignore", invalid="ignore"):
            fitted.fit_threshold(episodes)
        for name in self.fitted_names():
            if not np.isfinite(getattr(fitted, name)).all():
                raise InvalidScores(f"{name} is not finite, because the scores are too large to be summed; scale them.")
        vars(self).update(vars(fitted))
        self.keep_arguments()
        self._recalibrations: tuple[Recalibration, ...] = ()
        return self

    @property
    def recalibrations(self) -> tuple[Recalibration, ...]:
        """Which calibrations were made again by :meth:`recalibrate`, the first one first."""
        made: tuple[Recalibration, ...] = vars(self).get("_recalibrations", ())
        return made

    def recalibrate(self, nominal_scores: Sequence[ArrayLike], times: ArrayLike, *, since: float) -> Self:
        """Return a copy that is fitted to the episodes since a time only, such as that of the last maintenance.

        The guarantee is that of the new calibration: it needs as many episodes as the first one. The file of the alarm
        keeps the record.

        Args:
            nominal_scores: One array of scores per nominal episode, as for :meth:`fit`.
            times: (episodes,): when each episode began, such as seconds since 1970; they need not be sorted.
            since: Episodes that began at this time or later are used.

        Raises:
            InvalidScores: There is no such episode, or as for :meth:`fit`.
            TooFewEpisodes: There are too few for the guarantee.

        Example:
            >>> from offnominal.alarms import EpisodeMaximum, simulate_scores
            >>> scores = simulate_scores(100, seed=0)
            >>> repaired = scores[:60] + [0.5 * episode for episode in scores[60:]]
            >>> alarm = EpisodeMaximum(0.05).fit(repaired[:60])
            >>> again = alarm.recalibrate(repaired, times=range(100), since=60)
            >>> print(*again.recalibrations)
            since 60: threshold 3.89724 instead of 7.01344, from 40 episodes; 60 earlier ones left out
        """
        return self._recalibrated(nominal_scores, times, since, lambda again, episodes, _: again.fit(episodes))

    def _recalibrated(
        self,
        nominal_scores: Sequence[ArrayLike],
        times: ArrayLike,
        since: float,
        fit: Callable[[Self, list[FloatArray], list[int]], object],
    ) -> Self:
        """Return a copy that a function fits to the episodes since a time, whose numbers it gets, too."""
        self._require_fitted()
        episodes, began = checked_episodes(nominal_scores), numeric_array("times", times)
        first = number_in("since", since)
        if began.shape != (len(episodes),) or not np.isfinite(began).all():
            raise InvalidParameter(f"times is {shown(times)}; expected a finite number for each of {len(episodes)}.")
        chosen = np.flatnonzero(began >= first).tolist()
        said = f"of {len(episodes)} episodes, {len(chosen)} began at {first:.15g} or later"
        if not chosen:
            raise InvalidScores(f"{said}; choose an earlier time, or give later episodes.")
        again = copy(self)
        try:
            fit(again, [episodes[number] for number in chosen], chosen)
        except OffnominalError as error:
            raise type(error)(f"{said}: {error}") from None
        change = (float(self.threshold_), float(again.threshold_))
        made = Recalibration(first, len(chosen), len(episodes) - len(chosen), *change, str(again.guarantee))
        again._recalibrations = (*self.recalibrations, made)
        return again

    def keep_arguments(self) -> None:
        """Remember the arguments to which the fitted values belong."""
        self._arguments = {each.name: copy(getattr(self, each.name)) for each in fields(self) if each.init}

    def statistic(self, scores: Sequence[ArrayLike]) -> list[FloatArray]:
        """Return the statistic at each step of each episode."""
        self._require_fitted()
        return self._run(checked_episodes(scores))

    def alarm(self, scores: Sequence[ArrayLike]) -> list[BoolArray]:
        """Return whether the alarm is raised (statistic above threshold) at each step of each episode."""
        return [values > self.threshold_ for values in self.statistic(scores)]

    def first_alarms(self, scores: Sequence[ArrayLike]) -> list[int | None]:
        """Return the first step of each episode at which the alarm is raised, or None."""
        return [int(np.argmax(raised)) if raised.any() else None for raised in self.alarm(scores)]

    def _run(self, episodes: list[FloatArray]) -> list[FloatArray]:
        """Return the statistics of checked episodes, computed for all episodes at once."""
        if not episodes:
            return []
        scores = np.zeros((max(map(len, episodes)), len(episodes)))
        for column, episode in enumerate(episodes):
            scores[: len(episode), column] = episode
        values = self.run_statistic(scores) if self._runs_at_once() else self._run_stepwise(scores)
        return [values[: len(episode), column].copy() for column, episode in enumerate(episodes)]

    def _runs_at_once(self) -> bool:
        """Return whether the class that defines the statistic computes it for whole episodes, too."""
        return next("run_statistic" in vars(kind) for kind in type(self).__mro__ if "update_statistic" in vars(kind))

    def _run_stepwise(self, scores: FloatArray) -> FloatArray:
        values = np.empty_like(scores)
        state = self.start(scores.shape[1])
        for t in range(len(scores)):
            state, values[t] = self.update_statistic(state, scores[t])
        return values

    @property
    def fitted(self) -> bool:
        """Whether the alarm was fitted."""
        return all(name in vars(self) for name in self.fitted_names())

    def _require_fitted(self) -> None:
        # Those that were fitted or loaded have their arguments kept, which is quicker to see.
        if "_arguments" not in vars(self) and not self.fitted:
            raise NotFitted(f"{self!r} is not fitted; call fit with scores of nominal episodes first.")
        self.require_unchanged()

    def require_unchanged(self) -> None:
        """Raise :class:`InvalidState` if the alarm was fitted with other arguments.

        Example:
            >>> from offnominal.alarms import EpisodeEwma, simulate_scores
            >>> alarm = EpisodeEwma(weight=0.1).fit(simulate_scores(100))
            >>> alarm.weight = 0.5
            >>> alarm.require_unchanged()
            Traceback (most recent call last):
                ...
            offnominal.core.errors.InvalidState: weight was changed from 0.1 to 0.5 after the fit. Call fit again.
        """
        for name, value in vars(self).get("_arguments", {}).items():
            if getattr(self, name) != value:
                raise InvalidState(
                    f"{name} was changed from {shown(value)} to {shown(getattr(self, name))} after the fit. Call fit "
                    "again."
                )

    @classmethod
    def fitted_names(cls) -> list[str]:
        """Return the names of the fields that `fit` sets."""
        return [each.name for each in fields(cls) if not each.init]

    def to_dict(self) -> dict[str, Any]:
        """Return the arguments and fitted values as plain data for :func:`alarm_from_dict`."""
        self._require_fitted()
        names = {True: "options", False: "learned"}
        data: dict[str, Any] = {"format": FORMAT, "alarm": self.id, "options": {}, "learned": {}}
        for each in fields(self):
            value = getattr(self, each.name)
            data[names[each.init]][each.name] = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        if self.recalibrations:
            data["recalibrations"] = [each.to_dict() for each in self.recalibrations]
        return data


def _checked_state(state: Any) -> AlarmState:
    if not isinstance(state, AlarmState):
        raise InvalidParameter(f"the state is {shown(state)}; expected one from `start` or `update`.")
    return state
