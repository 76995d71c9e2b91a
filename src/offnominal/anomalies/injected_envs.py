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
from offnominal.anomalies.faulty_observations import require_startable, unbounded, with_camera_faults, within
from offnominal.anomalies.injection import Injection
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidParameter, InvalidState, UnsupportedEnvironment
from offnominal.core.types import Array, BoolArray, FloatArray, IntArray, Observation
from offnominal.worlds.checks import checked_actions
from offnominal.worlds.pixel_observations import CameraKind, ObservationKind
from offnominal.worlds.single_env import WorldEnv
from offnominal.worlds.vector_env import WorldVectorEnv

_ROW = np.zeros(1, np.int64)


class InjectedEnv(gymnasium.Wrapper[Observation, Array, Any, Any]):
    """A single environment with faults; see :func:`inject`.

    Args:
        env: The environment.
        faults: The faults of every episode.
        has_images: Whether images of it are rendered.
        runtime_faults: Whether to prepare for every fault that :meth:`start_fault` may start: the observation space has
            no bounds, and recent signals and images are kept.

    Example:
        >>> from offnominal.anomalies.factory import make
        >>> env = make("SAP-Goal0-v0", faults=())
        >>> _ = env.reset(seed=0), env.step(env.action_space.sample())
        >>> index = env.start_fault(Fault("action/offset", 0.5))
        >>> env.step(env.action_space.sample())[4]["active"]
        True
        >>> env.stop_fault(index)
        >>> env.step(env.action_space.sample())[4]["active"]
        False
        >>> env.events
        (Event(anomaly='action/offset', parameter=0.5, onset=1, end=2, channels=(0, 1)),)
    """

    env: gymnasium.Env[Any, Any]

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        faults: tuple[Fault, ...],
        *,
        has_images: bool = False,
        runtime_faults: bool = False,
    ) -> None:
        super().__init__(env)
        environment = describe_environment(env, env.unwrapped, [env.unwrapped], has_images=has_images)
        self.injection = Injection([faults], environment, keep_history=runtime_faults)
        self._colours = colour_axis(env.observation_space)
        self._view: tuple[ObservationKind, CameraKind] = ("vector", "clean")
        bounded = not runtime_faults and all(fault.kind.target != "observation" for fault in faults)
        self._use_space(env.observation_space if bounded else unbounded(env.observation_space))
        self._seed: int | None = None
        self._episode = -1
        self._action_space = env.action_space
        self._saturate = _saturation(env.unwrapped, env.action_space)

    @property
    def events(self) -> tuple[Event, ...]:
        """Events of the current episode."""
        return self.injection.events(0)

    def start_fault(self, fault: Fault) -> int:
        """Start a fault, which acts from the next transition on.

        The fault belongs to the current episode: :meth:`reset` drops it. Its onset is replaced by the index of the next
        transition, from which the rest of its schedule counts. The episode is the same, to the byte, as if the fault
        had been scheduled with that onset.

        Args:
            fault: The fault.

        Returns:
            Index of the fault in `events`.

        Raises:
            InvalidParameter: The fault needs more recent signals or images than are kept.
            InvalidState: No episode has started.
        """
        self._require_episode()
        require_startable(self.env, fault, *self._view)
        index = self.injection.start(0, fault)
        if fault.kind.target == "observation":
            self._use_space(unbounded(self.env.observation_space))
        return index

    def stop_fault(self, index: int | None = None) -> None:
        """End a fault before the next transition, at once and for the rest of the episode.

        Args:
            index: Index of the fault in `events`, scheduled or started; None for all that have begun. A scheduled fault
                that has not begun does not act in this episode; one that has ended is left alone.
        """
        self._require_episode()
        self.injection.stop(0, index)

    def _require_episode(self) -> None:
        if self._episode < 0:
            raise InvalidState("faults start and stop during an episode; call reset first.")

    def _use_space(self, space: gymnasium.Space[Any]) -> None:
        """Set the observation space, given that of the vector."""
        self.observation_space = space

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

    Args:
        env: The vector environment.
        faults: The faults of every episode, one tuple per row.
        has_images: As for :class:`InjectedEnv`.
        runtime_faults: As for :class:`InjectedEnv`.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        faults: list[tuple[Fault, ...]],
        *,
        has_images: bool = False,
        runtime_faults: bool = False,
    ) -> None:
        super().__init__(env)
        if len(faults) != env.num_envs:
            raise InvalidParameter(f"there are faults for {len(faults)} rows; the environment has {env.num_envs}.")
        inner = env.unwrapped
        environment = describe_environment(env, inner, getattr(inner, "envs", None), has_images=has_images)
        self.injection = Injection(faults, environment, keep_history=runtime_faults)
        self._colours = colour_axis(env.single_observation_space)
        self.mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._view: tuple[ObservationKind, CameraKind] = ("vector", "clean")
        every = [fault for row in faults for fault in row]
        self._require_restorable(every)
        space = env.single_observation_space
        bounded = not runtime_faults and all(fault.kind.target != "observation" for fault in every)
        self._use_space(space if bounded else unbounded(space))
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

    def start_fault(self, fault: Fault, *, row: int) -> int:
        """Start a fault in a row, as :meth:`InjectedEnv.start_fault` does; return its index in the events of the row.

        Example:
            >>> from offnominal.anomalies.factory import make_vec
            >>> envs = make_vec("SAP-Goal0-v0", 3)
            >>> _ = envs.reset(seed=0)
            >>> envs.start_fault(Fault("action/offset", 0.5), row=1)
            0
            >>> envs.step(envs.action_space.sample())[4]["active"]
            array([False,  True, False])
        """
        self._require_episode(row)
        require_startable(self.env, fault, *self._view)
        self._require_restorable([fault])
        index = self.injection.start(row, fault)
        if fault.kind.target == "observation":
            self._use_space(unbounded(self.env.single_observation_space))
        return index

    def stop_fault(self, index: int | None = None, *, row: int) -> None:
        """End a fault of a row, or all that have begun, as :meth:`InjectedEnv.stop_fault` does."""
        self._require_episode(row)
        self.injection.stop(row, index)

    def _require_episode(self, row: int) -> None:
        if not 0 <= row < self.num_envs:
            raise InvalidParameter(f"row is {row!r}; expected an index of the {self.num_envs} rows.")
        if self.episodes[row] < 0:
            raise InvalidState("faults start and stop during an episode; call reset first.")
        if self._pending[row]:
            raise InvalidState(f"the episode of row {row} has ended; the next step starts a new one.")

    def _require_restorable(self, faults: list[Fault]) -> None:
        """Raise if an episode could start before the physics that these faults change is restored."""
        dynamics = any(fault.kind.target == "dynamics" for fault in faults)
        if dynamics and self.mode is AutoresetMode.SAME_STEP and not isinstance(self.env.unwrapped, WorldVectorEnv):
            raise UnsupportedEnvironment(
                f"{self.env} resets within the step that ends an episode, before its physics can be restored; make it "
                "with autoreset_mode=AutoresetMode.NEXT_STEP or DISABLED for dynamics faults."
            )

    def _use_space(self, space: gymnasium.Space[Any]) -> None:
        """Set the observation spaces, given that of the vector of a row."""
        self.single_observation_space = space
        self.observation_space = batch_space(space, self.num_envs)

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
        moving = (~self._pending).nonzero()[0] if self.mode is AutoresetMode.NEXT_STEP else self._all
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
        ended = done.nonzero()[0]
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
        for row in ended.tolist():
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
        everyone = self._everyone
        record: dict[str, Any] = {
            "active": self.injection.active.copy(),
            "_active": everyone,
            "clean_observation": clean,
            "_clean_observation": everyone,
            "applied": self.injection.applied.copy(),
            "_applied": everyone,
        }
        if executed is not None:
            record["executed_action"] = self._saturate(executed)
            record["_executed_action"] = everyone
        return record


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
