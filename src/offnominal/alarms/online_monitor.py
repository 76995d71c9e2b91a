"""A detector and an alarm for any control loop, without Gymnasium."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.core.checks import integer_in, numeric_array
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, NotFitted
from offnominal.core.files import file_errors
from offnominal.core.printable import shown
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray
from offnominal.detectors.detector import Detector, Step, checked_step
from offnominal.detectors.states import MOST_EPISODES, chosen_rows

RECENT = 20
LOGGER = logging.getLogger("offnominal.alarms")


@dataclass(frozen=True, slots=True)
class MonitorOutput:
    """Result of one transition of each row.

    Args:
        scores: (n,): anomaly scores; NaN in ignored rows.
        raised: (n,): whether the alarm is raised at this step.
        alarmed: (n,): whether the alarm was raised at any step of this episode.
        invalid: (n,): whether a reading is not finite or beyond 1e30; its score is
            :data:`~offnominal.detectors.observation_limits.MAX_SCORE`.
    """

    scores: FloatArray
    raised: BoolArray
    alarmed: BoolArray
    invalid: BoolArray


@dataclass(frozen=True)
class AlarmEvidence(Config):
    """Why an alarm was raised.

    Args:
        row: Index of the row.
        episode: Number of earlier episodes in this row.
        step: Transition at which the alarm was first raised in this episode.
        score: Anomaly score of this transition.
        statistic_threshold: Threshold of the alarm's statistic.
        detector: Class of the detector.
        alarm: Id of the alarm.
        recent: The last scores including this one, at most 20.
        observation: Observation before the action; None for values that are not finite.
        action: Commanded action.
        next_observation: Observation after the action; None for values that are not finite.
        invalid_reading: Whether a reading is not finite or beyond 1e30.
    """

    row: int
    episode: int
    step: int
    score: float
    statistic_threshold: float
    detector: str
    alarm: str
    recent: tuple[float, ...] = ()
    observation: tuple[float | None, ...] = ()
    action: tuple[float | None, ...] = ()
    next_observation: tuple[float | None, ...] = ()
    invalid_reading: bool = False


@dataclass
class OnlineMonitor:
    """Scores transitions online and raises the alarm.

    An invalid reading (not finite or beyond 1e30) gets the largest score: it raises the alarm and never stops the loop.
    The first invalid reading of an episode is logged as a warning of the logger ``offnominal.alarms``.

    Args:
        detector: A fitted detector.
        alarm: Alarm fitted on scores of the detector.
        n: Number of parallel episodes.
        on_alarm: Called with the :class:`AlarmEvidence` when the alarm is first raised in an episode.
        log: File to which the evidence is appended, one JSON object per line.

    Example:
        >>> from offnominal.agents import expert
        >>> from offnominal.alarms import EpisodeMaximum
        >>> from offnominal.anomalies import Fault
        >>> from offnominal.detectors import make_detector
        >>> from offnominal.rollouts import collect
        >>> policy = expert("SAP-Goal0-v0")
        >>> detector = make_detector("KNN").fit(collect("SAP-Goal0-v0", policy, 50))
        >>> alarm = EpisodeMaximum(0.1).fit(detector.score(collect("SAP-Goal0-v0", policy, 50, seed=100)))
        >>> fault = Fault("observation/offset", 2.0, 3)
        >>> (episode,) = collect("SAP-Goal0-v0", policy, 1, faults=fault, seed=200)
        >>> monitor = OnlineMonitor(detector, alarm)
        >>> for o, a, after in zip(episode.observations, episode.actions, episode.observations[1:]):
        ...     if monitor.update(o[None], a[None], after[None]).raised[0]:
        ...         break
        >>> monitor.steps[0] - 1
        np.int64(3)
    """

    detector: Detector
    alarm: Alarm
    n: int = 1
    on_alarm: Callable[[AlarmEvidence], Any] | None = None
    log: Path | str | None = None
    steps: IntArray = field(init=False, repr=False)
    alarmed: BoolArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.detector, Detector) or not isinstance(self.alarm, Alarm):
            given = f"{shown(self.detector)} and {shown(self.alarm)}"
            raise InvalidParameter(f"detector and alarm are {given}; expected a fitted Detector and a fitted Alarm.")
        if self.on_alarm is not None and not callable(self.on_alarm):
            raise InvalidParameter(f"on_alarm is {shown(self.on_alarm)}; expected a function of the evidence.")
        if self.log is not None and not isinstance(self.log, str | os.PathLike):
            raise InvalidParameter(f"log is {shown(self.log)}; expected the path of a file.")
        if not self.alarm.fitted:
            raise NotFitted(f"{self.alarm!r} is not fitted; call fit with scores of nominal episodes first.")
        self.n = integer_in("n", self.n, 1, MOST_EPISODES)
        self._warned = np.zeros(self.n, np.bool_)
        self._episodes = np.full(self.n, -1)
        self._recent: list[list[float]] = [[] for _ in range(self.n)]
        self.steps, self.alarmed = np.zeros(self.n, np.int64), np.zeros(self.n, np.bool_)
        self._detector_state, self._alarm_state = self.detector.start(self.n), self.alarm.start(self.n)
        self.reset()

    def reset(self, rows: Array | None = None) -> None:
        """Start new episodes in the given rows, or in all rows if None."""
        chosen = np.arange(self.n) if rows is None else chosen_rows(rows, self.n)
        self._detector_state = self.detector.restart(self._detector_state, chosen)
        self._alarm_state = self.alarm.restart(self._alarm_state, chosen)
        self.steps[chosen], self.alarmed[chosen], self._warned[chosen] = 0, False, False
        self._episodes[chosen] += 1
        for row in chosen.tolist():
            self._recent[row] = []

    def update(
        self, observation: Array, action: Array, next_observation: Array, *, ignore: BoolArray | None = None
    ) -> MonitorOutput:
        """Process one transition of every row.

        Args:
            observation: (n, ...): observations before the action.
            action: (n, ...): commanded actions.
            next_observation: (n, ...): observations after the action.
            ignore: (n,): rows in which the environment was reset; call :meth:`reset` for them.

        Raises:
            InvalidParameter: The arrays are not numeric, or their shapes differ from those of the training episodes.
        """
        step = checked_step(Step(observation, action, next_observation))
        self._detector_state, scores = self.detector.update(self._detector_state, step)
        self._alarm_state, raised = self.alarm.update(self._alarm_state, scores)
        invalid = step.invalid_rows()
        if ignore is not None and (left_out := _mask(ignore, self.n)).any():
            scores, raised, invalid = np.where(left_out, np.nan, scores), raised & ~left_out, invalid & ~left_out
        self._warn(invalid)
        for row, score in enumerate(scores.tolist()):
            if not math.isnan(score):
                self._recent[row] = [*self._recent[row][-RECENT + 1 :], score]
        first = raised & ~self.alarmed
        self.alarmed = self.alarmed | raised
        for row in np.flatnonzero(first).tolist():
            self._report(self._evidence(row, step, bool(invalid[row])))
        self.steps = self.steps + 1
        return MonitorOutput(scores, raised, self.alarmed.copy(), invalid)

    def save(self, folder: Path | str) -> None:
        """Write detector, alarm and the state of every episode into a folder, to go on after a restart.

        Each file is written atomically, the state last; it says which detector and alarm it belongs to.

        Args:
            folder: Folder of the files; it is created if it is missing.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> from offnominal.agents import expert
            >>> from offnominal.alarms import EpisodeMaximum
            >>> from offnominal.detectors import make_detector
            >>> from offnominal.rollouts import collect
            >>> episodes = collect("SAP-Goal0-v0", expert("SAP-Goal0-v0"), 20)
            >>> detector = make_detector("KNN").fit(episodes[:10])
            >>> monitor = OnlineMonitor(detector, EpisodeMaximum(0.1).fit(detector.score(episodes[10:])))
            >>> o, a = episodes[0].observations, episodes[0].actions
            >>> _ = monitor.update(o[:1], a[:1], o[1:2])
            >>> folder = TemporaryDirectory()
            >>> monitor.save(folder.name)
            >>> restarted = OnlineMonitor.load(folder.name)
            >>> restarted.update(o[1:2], a[1:2], o[2:3]).scores == monitor.update(o[1:2], a[1:2], o[2:3]).scores
            array([ True])
        """
        from offnominal.alarms.monitor_files import save_monitor

        save_monitor(folder, self)

    @classmethod
    def load(
        cls,
        folder: Path | str,
        *,
        on_alarm: Callable[[AlarmEvidence], Any] | None = None,
        log: Path | str | None = None,
    ) -> Self:
        """Return the monitor that :meth:`save` wrote; its next score is that of the saved one.

        Args:
            folder: Folder of the files.
            on_alarm: As for the constructor.
            log: As for the constructor.

        Raises:
            MissingFile: A file does not exist.
            DamagedFile: A file was changed, or the state is that of another detector or alarm.
        """
        from offnominal.alarms.monitor_files import load_monitor

        return load_monitor(cls, folder, on_alarm=on_alarm, log=log)

    def _warn(self, invalid: BoolArray) -> None:
        """Log the first invalid reading of each episode."""
        for row in np.flatnonzero(invalid & ~self._warned).tolist():
            LOGGER.warning(
                "invalid reading in row %d, episode %d, step %d: a value is not finite or beyond 1e30",
                row,
                int(self._episodes[row]),
                int(self.steps[row]),
            )
        self._warned = self._warned | invalid

    def _evidence(self, row: int, step: Step, invalid: bool) -> AlarmEvidence:
        def plain(values: Array) -> tuple[float | None, ...]:
            numbers = np.asarray(values[row], np.float64).ravel().tolist()
            return tuple(number if math.isfinite(number) else None for number in numbers)

        return AlarmEvidence(
            row=row,
            episode=int(self._episodes[row]),
            step=int(self.steps[row]),
            score=self._recent[row][-1],
            statistic_threshold=float(self.alarm.threshold_),
            detector=self.detector.name,
            alarm=self.alarm.id,
            recent=tuple(self._recent[row]),
            observation=plain(step.observation),
            action=plain(step.action),
            next_observation=plain(step.next_observation),
            invalid_reading=invalid,
        )

    def _report(self, evidence: AlarmEvidence) -> None:
        if self.log is not None:
            with file_errors(self.log), Path(self.log).open("a", encoding="utf-8") as file:
                file.write(json.dumps(evidence.to_dict(), allow_nan=False) + "\n")
        if self.on_alarm is not None:
            self.on_alarm(evidence)


def _mask(rows: Any, n: int) -> BoolArray:
    given = numeric_array("rows to ignore", rows)
    if given.dtype != np.bool_ or given.shape != (n,):
        raise InvalidParameter(f"the rows to ignore are {shown(rows)}; expected a boolean for each of {n} rows.")
    return given
