"""Gymnasium wrappers that run a detector and an alarm online."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.online_monitor import AlarmEvidence, OnlineMonitor
from offnominal.core.checks import numeric_array
from offnominal.core.errors import InvalidAction, InvalidParameter, InvalidState, UnsupportedEnvironment
from offnominal.core.policy import Policy, as_policy
from offnominal.core.printable import shown
from offnominal.core.types import Array
from offnominal.detectors.detector import Detector
from offnominal.detectors.observation_limits import all_valid


class Monitor(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Runs a detector and an alarm on every step of an environment.

    `info` gets the keys ``score``, ``alarm``, ``alarmed``, ``invalid_reading`` and ``handed_over``. An invalid reading
    (an observation that is not finite or beyond 1e30) gets the largest score: it raises the alarm and never stops the
    loop.

    For a vector environment, the constructor returns a :class:`VectorMonitor`.

    Args:
        env: The environment.
        detector: A fitted detector.
        alarm: Alarm fitted on scores of the detector.
        on_alarm: Called with the :class:`AlarmEvidence` when the alarm is first raised in an episode.
        fallback: Policy that takes over from the step after the alarm to the end of the episode.
        log: File to which the evidence is appended, one JSON object per line.
    """

    def __new__(cls, env: Any, *arguments: Any, **options: Any) -> Any:
        """Return the wrapper for the kind of environment."""
        if isinstance(env, VectorEnv):
            return VectorMonitor(env, *arguments, **options)
        return super().__new__(cls)

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        detector: Detector,
        alarm: Alarm,
        *,
        on_alarm: Callable[[AlarmEvidence], Any] | None = None,
        fallback: Policy | Callable[[Array], Array] | None = None,
        log: Path | str | None = None,
    ) -> None:
        super().__init__(env)
        self.monitor = OnlineMonitor(detector, alarm, on_alarm=on_alarm, log=log)
        self.fallback = None if fallback is None else as_policy(fallback)
        self._observation: Array | None = None
        self._state: Any = None

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Start a new episode and reset detector and alarm."""
        observation, info = self.env.reset(**options)
        self.monitor.reset()
        self._observation = np.asarray(observation)
        if self.fallback is not None:
            self._state = self.fallback.start(np.zeros(1, np.int64), np.zeros(1, np.int64))
        invalid = not all_valid(numeric_array("observations", self._observation))
        extra_info = {"alarm": False, "alarmed": False, "invalid_reading": invalid, "handed_over": False}
        return observation, info | extra_info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take a step with the given action, or with that of the fallback after an alarm.

        Raises:
            InvalidAction: The action is not finite.
            InvalidState: `reset` was not called.
        """
        if self._observation is None:
            raise InvalidState("there is no episode; call reset first.")
        handed_over = self.fallback is not None and bool(self.monitor.alarmed[0])
        if handed_over:
            assert self.fallback is not None
            chosen, self._state = self.fallback.act(np.asarray(self._observation)[None], self._state)
            action = chosen[0]
        _require_finite(action, "fallback" if handed_over else "policy")
        observation, reward, terminated, truncated, info = self.env.step(action)
        next_observation = np.asarray(observation)
        output = self.monitor.update(
            np.asarray(self._observation)[None], np.asarray(action)[None], next_observation[None]
        )
        self._observation = next_observation
        extra_info = {
            "score": float(output.scores[0]),
            "alarm": bool(output.raised[0]),
            "alarmed": bool(output.alarmed[0]),
            "invalid_reading": bool(output.invalid[0]),
            "handed_over": handed_over,
        }
        return observation, reward, terminated, truncated, info | extra_info


class VectorMonitor(gymnasium.vector.VectorWrapper):
    """Runs a detector and an alarm on every row of a vector environment.

    `infos` gets the keys of :class:`Monitor` as arrays. At a step in which the environment resets a row, that row has
    the score NaN and no alarm.

    Args:
        env: The vector environment.
        detector: A fitted detector.
        alarm: Alarm fitted on scores of the detector.
        on_alarm: Called with the :class:`AlarmEvidence` when the alarm is first raised in an episode of a row.
        fallback: Policy that takes over in a row from the step after its alarm to the end of its episode.
        log: File to which the evidence is appended, one JSON object per line.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        detector: Detector,
        alarm: Alarm,
        *,
        on_alarm: Callable[[AlarmEvidence], Any] | None = None,
        fallback: Policy | Callable[[Array], Array] | None = None,
        log: Path | str | None = None,
    ) -> None:
        super().__init__(env)
        self.mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        if self.mode == AutoresetMode.DISABLED:
            raise UnsupportedEnvironment(
                "the vector environment has no autoreset; use an OnlineMonitor and call its `reset`."
            )
        self.monitor = OnlineMonitor(detector, alarm, n=env.num_envs, on_alarm=on_alarm, log=log)
        self.fallback = None if fallback is None else as_policy(fallback)
        self._ended = np.zeros(env.num_envs, np.bool_)
        self._observation: Array = np.empty(0)
        self._state: Any = None

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Start new episodes and reset detector and alarm."""
        observations, infos = self.env.reset(**options)
        self.monitor.reset()
        self._observation = np.array(observations)
        self._ended[:] = False
        if self.fallback is not None:
            self._state = self.fallback.start(np.arange(self.num_envs), np.zeros(self.num_envs, np.int64))
        return observations, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take a step in every row, with the action of the fallback after an alarm.

        Raises:
            InvalidAction: An action is not finite.
            InvalidState: `reset` was not called.
        """
        if not len(self._observation):
            raise InvalidState("there are no episodes; call reset first.")
        _require_finite(actions, "policy")
        actions, handed_over = self._select_actions(np.array(actions))
        _require_finite(actions, "fallback")
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        done = np.asarray(terminated) | np.asarray(truncated)
        last = np.array(observations)
        if self.mode == AutoresetMode.SAME_STEP:
            for row in np.flatnonzero(done):
                last[row] = infos["final_obs"][row]
        output = self.monitor.update(self._observation, actions, last, ignore=self._ended)
        if self.mode == AutoresetMode.SAME_STEP:
            self.monitor.reset(np.flatnonzero(done))
        else:
            self.monitor.reset(np.flatnonzero(self._ended))
            self._ended = done
        self._observation = np.array(observations)
        extra_info = {
            "score": output.scores,
            "alarm": output.raised,
            "alarmed": output.alarmed,
            "invalid_reading": output.invalid,
            "handed_over": handed_over,
        }
        return observations, rewards, terminated, truncated, infos | extra_info

    def _select_actions(self, actions: Array) -> tuple[Array, Array]:
        """Return the actions to take, and the rows in which the fallback chose them."""
        handed_over = self.monitor.alarmed.copy() if self.fallback is not None else np.zeros(self.num_envs, np.bool_)
        if self.fallback is not None and handed_over.any():
            chosen, self._state = self.fallback.act(self._observation, self._state)
            actions[handed_over] = chosen[handed_over]
        return actions, handed_over


def _require_finite(action: Any, source: str) -> None:
    """Raise :class:`InvalidAction` unless all numbers of an action are finite."""
    try:
        finite = bool(np.isfinite(numeric_array("actions", action)).all())
    except InvalidParameter as error:
        raise InvalidAction(f"the {source} chose {shown(action)}: {error}") from None
    if not finite:
        raise InvalidAction(f"the {source} chose {shown(action)}, which is not finite; check the {source}.")
