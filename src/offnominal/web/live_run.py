"""A policy acts in a world, detectors score each transition, and faults start and stop on command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.anomalies.factory import make
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.injected_envs import InjectedEnv
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.checks import integer_in, number_in, one_of
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidParameter, InvalidState
from offnominal.core.policy import FunctionPolicy, Policy
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, Frame
from offnominal.detectors.detector import Step
from offnominal.studies.named_policy import acting_policy
from offnominal.web.evidence import History, evidence, rounded
from offnominal.web.fault_choices import has_discrete_actions
from offnominal.web.monitor_choice import MonitorChoice, policies_of
from offnominal.web.nominal_fit import FittedMonitor, NominalFit
from offnominal.worlds.pixel_observations import ObservationKind

MOST_FAULTS = 4
QUIET = 10
"""An alarm that is raised again within so many steps is the same alarm."""
SLOWEST, FASTEST = 1.0, 60.0


@dataclass(frozen=True)
class LiveSettings(MonitorChoice):
    """Settings of a live run.

    Args:
        fallback: Policy that takes over from the step after an alarm of the first detector to the end of the episode:
            ``"none"``, ``"stop"`` (the action zero), ``"scripted"`` or ``"random"``.
        seed: Seed of the first episode.
        rate: Steps per second.
    """

    fallback: str = "none"
    seed: int = 0
    rate: float = 30.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("fallback", self.fallback, fallbacks_of(self.world))
        if self.fallback == "stop" and has_discrete_actions(self.world):
            raise InvalidParameter(f"the discrete actions of {self.world} have no zero; choose another fallback.")
        check_seed(self.seed)
        number_in("rate", self.rate, SLOWEST, FASTEST)


def fallbacks_of(world: str) -> list[str]:
    """Return the names of the fallback policies of a world.

    Example:
        >>> fallbacks_of("SAP-Goal0-v0")
        ['none', 'stop', 'scripted', 'random']
    """
    return ["none", "stop", *(name for name in policies_of(world) if name in ("scripted", "random"))]


@dataclass(frozen=True, slots=True)
class FaultOrder:
    """A fault to start now.

    Args:
        fault: Anomaly, strength and channels; its schedule is not used.
        duration: Number of transitions; None until it is cleared.
    """

    fault: Fault
    duration: int | None = None

    def __post_init__(self) -> None:
        if self.duration is not None:
            integer_in("duration", self.duration, 1, 1_000_000)


@dataclass(slots=True)
class RunningFault:
    """A fault that is on.

    Args:
        id: Number of the fault in this run.
        order: What was ordered.
        index: Its index in the environment.
        left: Transitions until it ends; None until it is cleared.
        onset: First transition with the fault, counted over all episodes of the run.
    """

    id: int
    order: FaultOrder
    index: int
    left: int | None
    onset: int


@dataclass(slots=True)
class _Watch:
    """A detector and its alarm in the current episode."""

    monitor: FittedMonitor
    detector_state: Any = None
    alarm_state: Any = None
    last_raised: int = -QUIET - 1
    alarmed: bool = False

    def reset(self) -> None:
        self.detector_state, self.alarm_state = self.monitor.detector.start(1), self.monitor.alarm.start(1)
        self.last_raised, self.alarmed = -QUIET - 1, False

    def update(self, step: Step) -> tuple[float, float, bool]:
        """Return the score, the statistic on the shared scale, and whether the alarm is raised."""
        alarm = self.monitor.alarm
        self.detector_state, scores = self.monitor.detector.update(self.detector_state, step)
        self.alarm_state, statistic = alarm.update_statistic(self.alarm_state, scores)
        relative = float(self.monitor.relative(statistic)[0])
        return float(scores[0]), relative, bool(statistic[0] > alarm.threshold_)


@dataclass(frozen=True, slots=True)
class StepResult:
    """One transition.

    Args:
        message: What clients get of it; see `docs/guide/live.md`.
        alarmed: Indices of the detectors whose alarm was raised anew.
    """

    message: dict[str, Any]
    alarmed: list[int]


class LiveRun:
    """Episodes of one policy in one world, one after the other, watched by detectors.

    Nothing here knows of clocks, threads or sockets: :meth:`step` makes one transition.

    Args:
        settings: World, policy, detectors, alarm and fallback.
        fit: The fitted detectors.

    Example:
        >>> from offnominal.web.nominal_fit import fit_nominal
        >>> settings = LiveSettings("SAP-Goal0-v0", detectors=("HBOS",))
        >>> run = LiveRun(settings, fit_nominal(settings))
        >>> run.step().message["t"], run.step().message["t"]
        (0, 1)
    """

    def __init__(self, settings: LiveSettings, fit: NominalFit) -> None:
        self.settings, self.fit = settings, fit
        self.env = make_live_env(settings)
        self.policy = settings.make_policy()
        self.fallback = _fallback(settings, self.env)
        self.watches = [_Watch(monitor) for monitor in fit.monitors]
        self.faults: list[RunningFault] = []
        self.n = 0
        self._ids = 0
        self._pending: list[dict[str, Any]] = []
        self._done = False
        self._begin(settings.seed)

    def _begin(self, seed: int | None) -> None:
        """Start an episode: with a seed, or the next one of the current seed. Faults that are on stay on."""
        observation, _ = self.env.reset(seed=seed)
        if seed is not None:
            self.seed, self.episode = seed, -1
        self.episode += 1
        self.t, self.total = 0, 0.0
        self._done = self._handed_over = False
        self.observation = observation
        seeds, episodes = np.array([self.seed]), np.array([self.episode])
        self._policy_state = self.policy.start(seeds, episodes)
        self._fallback_state = None if self.fallback is None else self.fallback.start(seeds, episodes)
        self._history = History(vector_of(observation))
        self._after_fault = 0
        for watch in self.watches:
            watch.reset()
        for fault in self.faults:
            fault.index = self.env.start_fault(fault.order.fault)
        self._pending.append({"type": "episode", "n": self.n, "episode": self.episode, "seed": self.seed})

    @property
    def events(self) -> tuple[Event, ...]:
        """Events of the current episode, as the environment records them."""
        return self.env.events

    def reset(self, seed: int | None = None) -> None:
        """Start an episode; faults that are on stay on."""
        self._begin(None if seed is None else check_seed(seed))

    def start_fault(self, order: FaultOrder) -> int:
        """Switch a fault on from the next transition, and return its number.

        Raises:
            InvalidState: Too many faults are on.
            InvalidParameter: The fault does not fit to the world.
        """
        if len(self.faults) >= MOST_FAULTS:
            raise InvalidState(f"{MOST_FAULTS} faults are on; clear one before you start another.")
        index = self.env.start_fault(order.fault)
        self._ids += 1
        started = RunningFault(self._ids, order, index, order.duration, self.n)
        self.faults.append(started)
        self._pending.append(self._fault_message(started, "on"))
        return started.id

    def stop_fault(self, id: int | None = None) -> int:
        """Switch one fault off, or all, from the next transition, and return how many were on."""
        ended = [fault for fault in self.faults if id is None or fault.id == id]
        for fault in ended:
            self.env.stop_fault(fault.index)
            self.faults.remove(fault)
            self._pending.append(self._fault_message(fault, "off"))
        self._after_fault = QUIET if ended else self._after_fault
        return len(ended)

    def _fault_message(self, fault: RunningFault, state: str) -> dict[str, Any]:
        wanted = fault.order.fault
        return {
            "type": "fault",
            "state": state,
            "id": fault.id,
            "anomaly": wanted.id,
            "strength": wanted.strength,
            "parameter": self._parameter(wanted),
            "channels": None if wanted.channels is None else list(wanted.channels),
            "duration": fault.order.duration,
            "n": self.n,
            "t": self.t,
            "episode": self.episode,
        }

    def _parameter(self, fault: Fault) -> float:
        if isinstance(fault.strength, str):
            return rounded(parameter_for(self.settings.world, fault.id, fault.strength))
        return rounded(fault.strength)

    def step(self) -> StepResult:
        """Make one transition; the step after the last one of an episode starts the next episode."""
        if self._done:
            self._begin(None)
        action = self._action()
        observation, reward, terminated, truncated, info = self.env.step(action)
        before, after = self.observation, observation
        self.observation, self._done = observation, bool(terminated or truncated)
        self.total += float(reward)
        self._history.add(action, vector_of(after), float(reward), bool(info["active"]))
        results = [watch.update(_step_for(watch.monitor, before, action, after)) for watch in self.watches]
        alarmed = [i for i, (_, _, raised) in enumerate(results) if raised and self._is_new_alarm(i)]
        message = {
            "type": "step",
            "n": self.n,
            "episode": self.episode,
            "t": self.t,
            "reward": rounded(reward),
            "return": rounded(self.total),
            "observation": [rounded(value) for value in vector_of(after).ravel().tolist()],
            "scores": [rounded(score) for score, _, _ in results],
            "relative": [rounded(relative) for _, relative, _ in results],
            "raised": [raised for _, _, raised in results],
            "active": bool(info["active"]),
            "handed_over": self._handed_over,
            "done": self._done,
        }
        self._pending += [self._alarm_message(i) for i in alarmed]
        self._handed_over = self._handed_over or (self.fallback is not None and self.watches[0].alarmed)
        self.n, self.t = self.n + 1, self.t + 1
        self._after_fault = max(self._after_fault - 1, 0)
        self._count_down()
        return StepResult(message, alarmed)

    def take_events(self) -> list[dict[str, Any]]:
        """Return the messages of what happened since the last call: new episodes, faults that start or end, alarms."""
        events, self._pending = self._pending, []
        return events

    def _action(self) -> Array:
        vector = vector_of(self.observation)[None]
        actions, self._policy_state = self.policy.act(vector, self._policy_state)
        if self._handed_over and self.fallback is not None:
            actions, self._fallback_state = self.fallback.act(vector, self._fallback_state)
            self._policy_state = self.policy.record_actions(self._policy_state, actions)
        action: Array = actions[0]
        return action

    def _is_new_alarm(self, i: int) -> bool:
        watch = self.watches[i]
        is_new = self.t - watch.last_raised > QUIET
        watch.last_raised, watch.alarmed = self.t, True
        return is_new

    def _alarm_message(self, i: int) -> dict[str, Any]:
        onset = max((fault.onset for fault in self.faults), default=None)
        return {
            "type": "alarm",
            "detector": i,
            "n": self.n,
            "t": self.t,
            "episode": self.episode,
            "delay": None if onset is None else self.n - onset,
            "anomaly": next((each.order.fault.id for each in self.faults if each.onset == onset), None),
            "false": onset is None and not self._after_fault,
        }

    def _count_down(self) -> None:
        for fault in list(self.faults):
            if fault.left is not None:
                fault.left -= 1
                if fault.left <= 0:
                    self.stop_fault(fault.id)

    def explain(self, i: int) -> Callable[[], dict[str, Any]]:
        """Return a function that computes the evidence for the latest scores of a detector.

        The function works on a copy of the episode, so that it can run in another thread.

        Raises:
            InvalidState: The episode has no transition yet.
        """
        if not len(self._history):
            raise InvalidState("the episode has no transition yet; try again.")
        monitor, episode, n, t = self.watches[i].monitor, self._history.episode(), self.n - 1, self.t - 1
        world = self.settings.world
        return lambda: {"type": "evidence", "detector": i, "n": n, "t": t, **evidence(monitor, episode, world)}

    def frame(self, size: int) -> Frame:
        """Return an image of the world for people."""
        simulation: Any = self.env.unwrapped
        image: Frame = simulation.render(size=size)
        return image

    def close(self) -> None:
        """Close the environment."""
        self.env.close()


def make_live_env(settings: LiveSettings) -> InjectedEnv:
    """Return the environment of a live run: the world, without faults yet."""
    kind: ObservationKind = "both" if settings.uses_images else "vector"
    return make(settings.world, faults=(), render_mode="rgb_array", observation=kind)


def vector_of(observation: Any) -> Array:
    """Return the vector of an observation."""
    return np.asarray(observation["vector"] if isinstance(observation, dict) else observation)


def _step_for(monitor: FittedMonitor, before: Any, action: Array, after: Any) -> Step:
    if monitor.detector.pixel_observations:
        return Step(before["image"][None], np.asarray(action)[None], after["image"][None])
    return Step(vector_of(before)[None], np.asarray(action)[None], vector_of(after)[None])


def _fallback(settings: LiveSettings, env: InjectedEnv) -> Policy | None:
    if settings.fallback == "none":
        return None
    if settings.fallback == "stop":
        shape = env.action_space.shape or ()
        return FunctionPolicy(lambda observations: np.zeros((len(observations), *shape), np.float32))
    return acting_policy(settings.fallback, settings.world)
