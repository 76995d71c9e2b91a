"""Scores one transition after the other with a deployable folder: the detector by onnxruntime, the alarm by NumPy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from offnominal.alarms.adaptive import AdaptiveAlarm
from offnominal.alarms.alarm import Alarm, AlarmState
from offnominal.core.array_text import array_from_plain, array_to_plain
from offnominal.core.checks import number_in
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.files import sha256_of
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.observation_limits import MAX_READING
from offnominal.watch.deployment import Deployment

MOST_EVIDENCE = 5
"""Channels that an event names."""


@dataclass(frozen=True, slots=True)
class ScorerState:
    """Where an episode is.

    Args:
        detector: State of the detector by the names of the inputs of the file.
        alarm: State of the alarm.
    """

    detector: Mapping[str, Array]
    alarm: AlarmState

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {
            "detector": {name: array_to_plain(values) for name, values in self.detector.items()},
            "steps": array_to_plain(self.alarm.steps),
            "memory": array_to_plain(self.alarm.memory),
        }


@dataclass(frozen=True, slots=True)
class Transition:
    """One transition of one robot: (1, width) observations and action."""

    before: Array
    action: Array
    after: Array


class Scorer:
    """The detector and the alarm of a deployable folder, shared by all robots.

    Args:
        deployment: The folder.
        threshold: Threshold of the statistic instead of that of the alarm; None for that of the alarm, which alone has
            the guarantee.
        alarm: Alarm of one robot that was fitted again; None for that of the folder.
    """

    def __init__(self, deployment: Deployment, threshold: float | None = None, alarm: Alarm | None = None) -> None:
        self.deployment = deployment
        self.own_alarm = alarm
        self.alarm = deployment.alarm if alarm is None else alarm
        self.digest = deployment.manifest.model_digest
        if alarm is not None:
            self.digest += f"+{sha256_of(json.dumps(alarm.to_dict(), sort_keys=True))[:6]}"
        self.chosen = None if threshold is None else number_in("threshold", threshold)
        self.threshold = float(self.alarm.threshold_) if self.chosen is None else self.chosen
        checks = deployment.checks
        self.observation_means = np.array([[each.mean for each in checks.observation]])
        self.action_means = np.array([[each.mean for each in checks.action]])

    @property
    def guarantee(self) -> str:
        """The guarantee in words."""
        if self.chosen is not None:
            return "none: the threshold was set by hand"
        if self.own_alarm is None:
            return self.deployment.manifest.guarantee
        return f"{self.own_alarm.guarantee}; assumption: {self.own_alarm.guarantee.assumption}"

    def with_alarm(self, alarm: Alarm | None) -> Scorer:
        """Return the scorer of a robot with an alarm of its own; this one if that is None."""
        return self if alarm is self.own_alarm else Scorer(self.deployment, self.chosen, alarm)

    def start(self) -> ScorerState:
        """Return the state before the first transition of an episode."""
        return ScorerState(self.deployment.model.start(), self.alarm.start(1))

    def next_episode(self, state: ScorerState) -> ScorerState:
        """Return the state before the first transition of the next episode; an adaptive alarm keeps what it learned."""
        return ScorerState(self.deployment.model.start(), self.alarm.restart(state.alarm, np.array([0])))

    def continued(self, state: ScorerState, before: Scorer) -> ScorerState:
        """Return a state of another folder for this one; what an adaptive alarm learned belongs to its calibration."""
        same = self.alarm is before.alarm or self.alarm.to_dict() == before.alarm.to_dict()
        if isinstance(self.alarm, AdaptiveAlarm) and not same:
            return replace(state, alarm=self.alarm.start(1))
        return state

    def recalibrated(self, state: ScorerState) -> ScorerState:
        """Return a state for an alarm that was fitted again: its statistic begins anew, in the step of the episode."""
        return replace(state, alarm=replace(self.alarm.start(1), steps=state.alarm.steps))

    def confirm(self, state: ScorerState, nominal: bool) -> tuple[ScorerState, int]:
        """Declare the units that ended since the last time as nominal or not; return how many they were.

        Raises:
            InvalidParameter: The alarm does not learn from confirmations.
        """
        if not isinstance(self.alarm, AdaptiveAlarm):
            raise InvalidParameter(
                f"{self.alarm.id} has a fixed threshold, so nothing is confirmed; use a folder with an adaptive alarm "
                "that was fitted with feedback='confirmed', or recalibrate."
            )
        units = int(self.alarm.waiting(state.alarm)[0])
        return replace(state, alarm=self.alarm.confirm(state.alarm, [nominal])), units

    def waiting(self, state: ScorerState) -> int | None:
        """Return how many units wait for a confirmation; None if the alarm learns from none."""
        if isinstance(self.alarm, AdaptiveAlarm) and self.alarm.feedback == "confirmed":
            return int(self.alarm.waiting(state.alarm)[0])
        return None

    def score_threshold(self, state: ScorerState) -> float | None:
        """Return the threshold of the score of an adaptive alarm; None if it is infinite, or the alarm fixed."""
        if not isinstance(self.alarm, AdaptiveAlarm):
            return None
        found = float(self.alarm.thresholds(state.alarm)[0])
        return found if np.isfinite(found) else None

    def score(self, state: ScorerState, step: Transition) -> tuple[ScorerState, float, float]:
        """Return the next state, the score and the statistic of a transition."""
        detector, outputs = self.deployment.model.step(state.detector, step.before, step.action, step.after)
        scores: FloatArray = np.asarray(outputs["score"], np.float64)
        alarm, statistic = self.alarm.update_statistic(state.alarm, scores)
        return ScorerState(detector, alarm), float(scores[0]), float(statistic[0])

    def skip(self, state: ScorerState, n: int) -> ScorerState:
        """Return the state after n transitions that were lost: only the step count of the alarm goes on."""
        return replace(state, alarm=replace(state.alarm, steps=state.alarm.steps + n))

    def evidence(self, state: ScorerState, step: Transition, score: float) -> dict[str, float]:
        """Return by channel how much the score falls if the channel has its nominal mean at this step; largest first.

        Args:
            state: State before the step.
            step: The step.
            score: Its score.
        """
        manifest, found = self.deployment.manifest, {}
        invalid = ~(np.abs(step.after) <= MAX_READING) | ~(np.abs(step.before) <= MAX_READING)
        if invalid.any():
            return {manifest.observations[index]: score for index in np.flatnonzero(invalid[0])[:MOST_EVIDENCE]}
        for index, name in enumerate(manifest.observations):
            before, after = step.before.copy(), step.after.copy()
            before[:, index] = after[:, index] = self.observation_means[:, index]
            found[name] = score - self._score(state, replace(step, before=before, after=after))
        for index, name in enumerate(() if manifest.discrete_actions else manifest.actions):
            action = step.action.copy()
            action[:, index] = self.action_means[:, index]
            found[name] = score - self._score(state, replace(step, action=action))
        leading = sorted(found, key=lambda name: -found[name])[:MOST_EVIDENCE]
        return {name: found[name] for name in leading if found[name] > 0.0}

    def _score(self, state: ScorerState, step: Transition) -> float:
        _, outputs = self.deployment.model.step(state.detector, step.before, step.action, step.after)
        return float(outputs["score"][0])

    def restored(self, data: Mapping[str, Any]) -> ScorerState:
        """Return the state that :meth:`ScorerState.to_dict` described.

        Raises:
            DamagedFile: It is not a state of this folder.
        """
        fresh = self.start()
        detector = {name: array_from_plain(values) for name, values in data["detector"].items()}
        state = ScorerState(detector, AlarmState(array_from_plain(data["steps"]), array_from_plain(data["memory"])))
        if not fits(state, fresh):
            raise DamagedFile("the state of a detector is not one of this deployable folder.")
        return state


def fits(state: ScorerState, fresh: ScorerState) -> bool:
    """Return whether a state has the arrays of another one."""
    if state.detector.keys() != fresh.detector.keys():
        return False
    pairs = [(state.detector[name], fresh.detector[name]) for name in fresh.detector]
    pairs += [(state.alarm.steps, fresh.alarm.steps), (state.alarm.memory, fresh.alarm.memory)]
    return all(one.shape == other.shape and one.dtype == other.dtype for one, other in pairs)
