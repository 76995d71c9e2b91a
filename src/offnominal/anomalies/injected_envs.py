"""Environments with faults, single and vector; :func:`offnominal.inject` makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from offnominal.anomalies.environment_description import colour_axis, describe_environment
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injection import Injection
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidState, UnsupportedEnvironment
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray, Observation
from offnominal.worlds.checks import checked_actions
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv

_ROW = np.zeros(1, np.int64)


class InjectedEnv(gymnasium.Wrapper[Observation, Array, Any, Any]):
    """A single environment with faults; see :func:`inject`."""

    env: gymnasium.Env[Any, Any]

    def __init__(self, env: gymnasium.Env[Any, Any], faults: tuple[Fault, ...], *, has_images: bool = False) -> None:
        super().__init__(env)
        environment = describe_environment(env, env.unwrapped, [env.unwrapped], has_images=has_images)
        self.injection = Injection([faults], environment)
        self._colours = colour_axis(env.observation_space)
        if any(fault.kind.target == "observation" for fault in faults):
            self.observation_space = unbounded(env.observation_space)
        self._seed: int | None = None
        self._episode = -1
        self._action_space = env.action_space
        self._saturate = _saturation(env.unwrapped, env.action_space)

    @property
    def events(self) -> tuple[Event, ...]:
        """Events of the current episode."""
        return self.injection.events(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start an episode; the faults act as scheduled."""
        if seed is None and self._seed is None:
            seed = fresh_seed()
        self.injection.release(_ROW)
        observation, info = self.env.reset(seed=seed, options=options)
        if seed is not None:
            self._seed, self._episode = seed, 0
        else:
            self._episode += 1
        self.injection.begin(_ROW, np.array([self._seed]), np.array([self._episode]))
        with_camera_faults(self.injection, self._colours, np.asarray(observation)[None], _ROW)
        return observation, {**info, **self._record(observation, None)}

    def step(self, action: Array) -> tuple[Array, Any, bool, bool, dict[str, Any]]:
        """Advance by one transition."""
        if self._episode < 0:
            raise InvalidState("step was called before the first reset; call reset first.")
        executed, space = action, self._action_space
        if isinstance(space, Box):
            commanded = checked_actions(action, space.shape, space)
            executed = self.injection.act(commanded[None], _ROW)[0].astype(_dtype(action, space))
        else:
            if isinstance(space, Discrete):
                checked_actions(action, (), space)
            self.injection.act(np.zeros((1, 0)), _ROW)
        clean, reward, terminated, truncated, info = self.env.step(executed)
        faulty = self.injection.observe(np.asarray(clean)[None], _ROW)
        faulty = with_camera_faults(self.injection, self._colours, faulty, _ROW)
        observation = within(faulty[0], self.env.observation_space)
        return observation, reward, terminated, truncated, {**info, **self._record(clean, executed)}

    def _record(self, clean: Array, executed: Array | None) -> dict[str, Any]:
        record: dict[str, Any] = {
            "active": bool(self.injection.active[0]),
            "clean_observation": clean,
            "applied": self.injection.applied[0].copy(),
        }
        if executed is not None:
            record["executed_action"] = self._saturate(executed)
        return record


class InjectedVectorEnv(VectorWrapper):
    """A vector environment with faults, which may differ from row to row; see :func:`inject`.

    All autoreset modes are supported. Row i has the seed that Gymnasium gives it: ``seed + i``.
    """

    def __init__(
        self, env: VectorEnv[Any, Any, Any], faults: list[tuple[Fault, ...]], *, has_images: bool = False
    ) -> None:
        super().__init__(env)
        inner = env.unwrapped
        environment = describe_environment(env, inner, getattr(inner, "envs", None), has_images=has_images)
        self.injection = Injection(faults, environment)
        self._colours = colour_axis(env.single_observation_space)
        self.mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        if (
            self.injection.affects_physics
            and self.mode is AutoresetMode.SAME_STEP
            and not isinstance(inner, WorldVectorEnv)
        ):
            raise UnsupportedEnvironment(
                f"{env} resets within the step that ends an episode, before its physics can be restored; make it "
                "with autoreset_mode=AutoresetMode.NEXT_STEP or DISABLED for dynamics faults."
            )
        if any(fault.kind.target == "observation" for row in faults for fault in row):
            self.single_observation_space = unbounded(env.single_observation_space)
            self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self.seeds: IntArray = np.zeros(env.num_envs, np.int64)
        self.episodes: IntArray = np.full(env.num_envs, -1, np.int64)
        self._all = np.arange(env.num_envs)
        self._everyone: BoolArray = np.ones(env.num_envs, np.bool_)
        self._everyone.flags.writeable = False
        self._latest_observations: Array | None = None
        self._started = False
        self._saturate = _saturation(inner, env.single_action_space)
        self._pending: BoolArray = np.zeros(env.num_envs, np.bool_)
        self._shape = (env.num_envs, *(env.single_action_space.shape or ()))

    def events(self, row: int) -> tuple[Event, ...]:
        """Return the events of the current episode of a row."""
        return self.injection.events(row)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start episodes in all rows, or in those of ``options["reset_mask"]``."""
        if seed is None and (self.episodes < 0).all():
            seed = fresh_seed()
        rows = np.flatnonzero((options or {}).get("reset_mask", self._everyone))
        self.injection.release(rows)
        # Gymnasium's own vector environments also take one seed per row; its base class is not typed so.
        observations, infos = self.env.reset(seed=cast(Any, seed), options=options)
        if seed is None:
            self.episodes[rows] += 1
        else:
            given = seed + self._all if isinstance(seed, int | np.integer) else np.array(seed, np.int64)
            self.seeds[rows], self.episodes[rows] = given[rows], 0
        self._pending[rows] = False
        self._started = bool((self.episodes >= 0).all())
        self._begin(rows, observations)
        clean = observations
        if len(rows) < self.num_envs and self._latest_observations is not None:
            observations = self._latest_observations.copy()
            observations[rows] = clean[rows]
        self._latest_observations = observations
        return observations, {**infos, **self._record(clean, None)}

    def step(self, actions: Array) -> tuple[Array, FloatArray, BoolArray, BoolArray, dict[str, Any]]:
        """Advance every row by one transition."""
        if not self._started:
            raise InvalidState("step was called before the first reset; call reset first.")
        executed = actions
        moving = self._all if not self._pending.any() else np.flatnonzero(~self._pending)
        space = self.env.single_action_space
        if isinstance(space, Box):
            commanded = checked_actions(actions, self._shape, space)
            executed = self.injection.act(commanded, moving).astype(_dtype(actions, space), copy=False)
        else:
            if isinstance(space, Discrete):
                checked_actions(actions, self._shape, space)
            self.injection.act(np.zeros((self.num_envs, 0)), moving)
        clean, rewards, terminated, truncated, infos = self.env.step(executed)
        done = np.logical_or(terminated, truncated)
        ended = np.flatnonzero(done)
        reset_already = ended if self.mode is AutoresetMode.SAME_STEP else self._all[:0]
        observations = within(self._observe(clean, moving, reset_already, infos), self.env.observation_space)
        self._latest_observations = observations
        infos = {**infos, **self._record(clean, executed)}
        if reset_already.size:
            self.episodes[reset_already] += 1
            self._begin(reset_already, observations)
        elif self.mode is AutoresetMode.NEXT_STEP:
            fresh = np.flatnonzero(self._pending)
            self.episodes[fresh] += 1
            if fresh.size:
                self._begin(fresh, observations)
            self._pending = done
            self.injection.release(ended)
        return observations, rewards, terminated, truncated, infos

    def _observe(self, clean: Array, moving: IntArray, ended: IntArray, infos: dict[str, Any]) -> Array:
        """Apply the faults to the observations; the last observation of an ended row is in ``final_obs``."""
        if not ended.size:
            return self._apply_faults(clean, moving)
        last = np.asarray(clean).copy()
        for row in ended:
            last[row] = infos["final_obs"][row]
        faulty = self._apply_faults(last, moving)
        if faulty is last:
            return clean
        final = infos["final_obs"].copy()
        for row, observation in zip(ended, faulty[ended], strict=True):
            final[row] = observation
        infos["final_obs"] = final
        faulty[ended] = clean[ended]
        return faulty

    def _apply_faults(self, clean: Array, moving: IntArray) -> Array:
        return with_camera_faults(self.injection, self._colours, self.injection.observe(clean, moving), moving)

    def _begin(self, rows: IntArray, first: Array) -> None:
        self.injection.begin(rows, self.seeds[rows], self.episodes[rows])
        with_camera_faults(self.injection, self._colours, first, rows)

    def _record(self, clean: Array, executed: Array | None) -> dict[str, Any]:
        record: dict[str, Any] = {
            "active": self.injection.active.copy(),
            "clean_observation": clean,
            "applied": self.injection.applied.copy(),
        }
        if executed is not None:
            record["executed_action"] = self._saturate(executed)
        return record | {f"_{name}": self._everyone for name in record}


def fresh_seed() -> int:
    """Return a seed from the operating system, for environments reset without one."""
    return int(np.random.SeedSequence().generate_state(1)[0])


def _saturation(inner: Any, space: gymnasium.Space[Any]) -> Callable[[Array], Array]:
    """Return the function from an action to the one that the motors execute, if no wrapper changes it."""
    if isinstance(inner, WorldEnv | WorldVectorEnv) and space == inner.world.action_space:
        return inner.world.executed
    return lambda actions: actions


def _dtype(actions: Any, space: Box) -> np.dtype[Any]:
    """Return the type of executed actions: their own type if it is a floating type, else that of the space."""
    given: np.dtype[Any] = getattr(actions, "dtype", space.dtype)
    return given if given.kind == "f" else space.dtype


def unbounded(space: gymnasium.Space[Any]) -> Box:
    """Return the space of faulty observations: the same shape and type without bounds."""
    assert isinstance(space, Box)
    if not np.issubdtype(space.dtype, np.floating):
        return space
    return Box(-np.inf, np.inf, space.shape, space.dtype.type)


def within(observations: Array, space: gymnasium.Space[Any]) -> Array:
    """Return observations of integer type, clipped to the bounds of their space; floats are not clipped."""
    assert isinstance(space, Box)
    return observations if observations.dtype.kind == "f" else np.clip(observations, space.low, space.high)


def with_camera_faults(injection: Injection, colours: int | None, observations: Array, rows: IntArray) -> Array:
    """Return image observations with the camera faults of some rows applied.

    Args:
        injection: The faults.
        colours: Axis of the colours in an image; None if the observations are not images.
        observations: (n, ...); not changed.
        rows: Indices of the rows that were started or stepped.
    """
    if colours is None or not injection.affects_camera or not rows.size:
        return observations
    faulty = observations.copy()
    faulty[rows] = np.moveaxis(
        injection.apply_camera_faults(np.moveaxis(observations[rows], colours, -1), rows), -1, colours
    )
    return faulty
