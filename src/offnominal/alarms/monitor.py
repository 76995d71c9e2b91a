"""The monitor: a Gymnasium wrapper that watches a policy online."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from offnominal.agents.policy import Policy, as_policy
from offnominal.alarms.alarm import Alarm
from offnominal.alarms.online_monitor import AlarmEvidence, OnlineMonitor
from offnominal.core.checks import numeric_array, shown
from offnominal.core.errors import InvalidAction, InvalidParameter, InvalidState, UnsupportedEnvironment
from offnominal.core.types import Array
from offnominal.detectors.detector import Detector
from offnominal.detectors.observation_limits import all_valid


class Monitor(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Watches every step of an environment.

    `info` gains ``score``, ``alarm``, ``alarmed``, ``invalid_reading`` and ``handed_over``. A sensor that breaks raises
    the alarm and never stops the loop: an observation that is not finite, or absurd, has the largest score there is.

    Given a vector environment, it becomes a :class:`VectorMonitor`.

    Args:
        env: The environment.
        detector: A fitted detector.
        alarm: An alarm that was fitted on its scores.
        on_alarm: Called with the :class:`AlarmEvidence` when the alarm is first raised in an episode.
        fallback: A policy that acts instead, from the step after the alarm to the end of the episode.
        log: File to which the evidence is added, a JSON object per line.
    """

    def __new__(cls, env: Any, *arguments: Any, **options: Any) -> Any:
        """Choose the wrapper that fits the environment."""
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
        self._seen: Array | None = None
        self._state: Any = None

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Start a new episode, and watch it anew."""
        observation, info = self.env.reset(**options)
        self.monitor.reset()
        self._seen = np.asarray(observation)
        if self.fallback is not None:
            self._state = self.fallback.start(np.zeros(1, np.int64), np.zeros(1, np.int64))
        invalid = not all_valid(numeric_array("observations", self._seen))
        extra_info = {"alarm": False, "alarmed": False, "invalid_reading": invalid, "handed_over": False}
        return observation, info | extra_info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take a step, unless the fallback is to take it.

        Raises:
            InvalidAction: The action is not finite: the policy is broken, not the world.
            InvalidState: There is no episode yet.
        """
        if self._seen is None:
            raise InvalidState("there is no episode yet; call reset first.")
        handed_over = self.fallback is not None and bool(self.monitor.alarmed[0])
        if handed_over:
            assert self.fallback is not None
            chosen, self._state = self.fallback.act(np.asarray(self._seen)[None], self._state)
            action = chosen[0]
        _require_finite(action, "fallback" if handed_over else "policy")
        observation, reward, terminated, truncated, info = self.env.step(action)
        after = np.asarray(observation)
        output = self.monitor.update(np.asarray(self._seen)[None], np.asarray(action)[None], after[None])
        self._seen = after
        extra_info = {
            "score": float(output.scores[0]),
            "alarm": bool(output.raised[0]),
            "alarmed": bool(output.alarmed[0]),
            "invalid_reading": bool(output.invalid[0]),
            "handed_over": handed_over,
        }
        return observation, reward, terminated, truncated, info | extra_info


class VectorMonitor(gymnasium.vector.VectorWrapper):
    """Watches every row of a vector environment; `infos` gains what `info` of a :class:`Monitor` has, as arrays.

    Where an environment uses a step to reset a row, that row has the score NaN and no alarm at that step.

    Args:
        env: The vector environment.
        detector: A fitted detector.
        alarm: An alarm that was fitted on its scores.
        on_alarm: Called with the :class:`AlarmEvidence` when the alarm is first raised in an episode of a row.
        fallback: A policy that acts instead in a row, from the step after its alarm to the end of its episode.
        log: File to which the evidence is added, a JSON object per line.
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
                "the vector environment does not reset its rows by itself; use an OnlineMonitor and its `reset`."
            )
        self.monitor = OnlineMonitor(detector, alarm, n=env.num_envs, on_alarm=on_alarm, log=log)
        self.fallback = None if fallback is None else as_policy(fallback)
        self._ended = np.zeros(env.num_envs, np.bool_)
        self._seen: Array = np.empty(0)
        self._state: Any = None

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Start new episodes, and watch them anew."""
        observations, infos = self.env.reset(**options)
        self.monitor.reset()
        self._seen = np.array(observations)
        self._ended[:] = False
        if self.fallback is not None:
            self._state = self.fallback.start(np.arange(self.num_envs), np.zeros(self.num_envs, np.int64))
        return observations, infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Take a step of every row, the fallback's where it has taken over.

        Raises:
            InvalidAction: An action is not finite: the policy is broken, not the world.
            InvalidState: There are no episodes yet.
        """
        if not len(self._seen):
            raise InvalidState("there are no episodes yet; call reset first.")
        _require_finite(actions, "policy")
        actions, handed_over = self._select_actions(np.array(actions))
        _require_finite(actions, "fallback")
        observations, rewards, terminated, truncated, infos = self.env.step(actions)
        done = np.asarray(terminated) | np.asarray(truncated)
        last = np.array(observations)
        if self.mode == AutoresetMode.SAME_STEP:
            for row in np.flatnonzero(done):
                last[row] = infos["final_obs"][row]
        output = self.monitor.update(self._seen, actions, last, ignore=self._ended)
        if self.mode == AutoresetMode.SAME_STEP:
            self.monitor.reset(np.flatnonzero(done))
        else:
            self.monitor.reset(np.flatnonzero(self._ended))
            self._ended = done
        self._seen = np.array(observations)
        extra_info = {
            "score": output.scores,
            "alarm": output.raised,
            "alarmed": output.alarmed,
            "invalid_reading": output.invalid,
            "handed_over": handed_over,
        }
        return observations, rewards, terminated, truncated, infos | extra_info

    def _select_actions(self, actions: Array) -> tuple[Array, Array]:
        """Return the actions to take, and in which rows the fallback chose them."""
        handed_over = self.monitor.alarmed.copy() if self.fallback is not None else np.zeros(self.num_envs, np.bool_)
        if self.fallback is not None and handed_over.any():
            chosen, self._state = self.fallback.act(self._seen, self._state)
            actions[handed_over] = chosen[handed_over]
        return actions, handed_over


def _require_finite(action: Any, chooser: str) -> None:
    """Raise :class:`InvalidAction` unless an action is made of finite numbers."""
    try:
        finite = bool(np.isfinite(numeric_array("actions", action)).all())
    except InvalidParameter as error:
        raise InvalidAction(f"the {chooser} chose {shown(action)}: {error}") from None
    if not finite:
        raise InvalidAction(f"the {chooser} chose {shown(action)}, which is not finite; repair the {chooser}.")
