"""Faults that start and stop at run time act as scheduled ones, beside others, in every kind of environment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import offnominal as off
from offnominal.anomalies import CameraAnomaly, Fault, FaultContext, Schedule, inject
from offnominal.anomalies.factory import make, make_vec
from offnominal.core.episode import Event
from offnominal.core.errors import InvalidParameter, InvalidSchedule, InvalidState, UnsupportedEnvironment
from offnominal.core.types import Frame

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
STEPS = 16


def actions(space: gymnasium.Space[Any], steps: int = STEPS) -> list[Any]:
    space.seed(7)
    return [space.sample() for _ in range(steps)]


def run(env: Any, changes: dict[int, Any] | None = None) -> list[tuple[bytes, bytes, bool]]:
    """Return what each transition of an episode returned; before transition t, ``changes[t](env)`` is called."""
    env.reset(seed=5)
    recorded = []
    for t, action in enumerate(actions(env.action_space)):
        (changes or {}).get(t, lambda env: None)(env)
        observation, _, _, _, info = env.step(action)
        recorded.append((observation.tobytes(), np.asarray(info["executed_action"]).tobytes(), info["active"]))
    return recorded


def start(fault: Fault) -> Any:
    return lambda env: env.start_fault(fault)


def at(fault: Fault, onset: int, duration: int | None = None) -> Fault:
    return replace(fault, schedule=replace(fault.resolved_schedule, onset=onset, duration=duration))


def test_several_started_faults_equal_several_scheduled_ones() -> None:
    noise, delay = Fault("observation/temporal_noise", 0.2), Fault("action/delay", 3)
    longer, heavy = Fault("action/delay", 6), Fault("dynamics/mass", 4.0)
    scheduled = make(WORLD, faults=(at(noise, 2), at(delay, 4), at(longer, 8, 4), at(heavy, 9, 3), at(noise, 9)))
    started = make(WORLD, faults=())
    changes = {
        2: start(noise),
        4: start(delay),
        8: start(longer),
        9: lambda env: (env.start_fault(heavy), env.start_fault(noise)),
        12: lambda env: (env.stop_fault(2), env.stop_fault(3)),
    }
    assert run(started, changes) == run(scheduled)
    assert started.events == scheduled.events


def test_a_fault_starts_beside_a_scheduled_one_and_uses_what_it_returned() -> None:
    drift = Fault("action/drift", 0.05, 3)
    scheduled = make(WORLD, faults=(drift, at(Fault("action/offset", 0.1), 6)))
    started = make(WORLD, faults=drift)
    assert run(started, {6: start(Fault("action/offset", 0.1))}) == run(scheduled)


def test_the_schedule_of_a_started_fault_counts_from_its_start() -> None:
    schedule = Schedule(onset=0, duration=6, ramp=3, period=2)
    env = make(WORLD, faults=())
    labels = [label for _, _, label in run(env, {4: start(Fault("action/offset", 0.5, schedule))})]
    assert labels == (replace(schedule, onset=4).weights(STEPS) > 0).tolist()
    assert env.events == (Event("action/offset", 0.5, 4, 10, (0, 1)),)


def test_stopping_ends_a_fault_at_once_and_leaves_ended_ones_alone() -> None:
    env = make(WORLD, faults=Fault("action/offset", 0.5, Schedule(onset=2, duration=3, recovery=4)))
    labels = [label for _, _, label in run(env, {6: lambda env: env.stop_fault()})]
    assert np.flatnonzero(labels).tolist() == [2, 3, 4, 5]
    env.stop_fault()
    assert env.events[0].end == 6


def test_a_scheduled_fault_that_was_stopped_returns_in_the_next_episode() -> None:
    env, plain = (make(WORLD, faults=Fault("observation/noise", 0.5, (4, 9))) for _ in range(2))
    labels = [label for _, _, label in run(env, {1: lambda env: env.stop_fault(0)})]
    assert not any(labels)
    assert env.events[0].end == env.events[0].onset
    assert run(env) == run(plain)
    assert env.events == plain.events


def test_reset_drops_started_faults_and_restores_the_physics() -> None:
    env = make("MJC-HalfCheetah-v0", faults=())
    world = env.get_wrapper_attr("world")
    nominal = run(env)
    before = world.current_physics(0)
    run(env, {3: start(Fault("dynamics/mass", 3.0)), 5: start(Fault("observation/offset", 1.0))})
    assert len(env.events) == 2
    assert run(env) == nominal
    assert env.events == ()
    assert env.injection.applied.shape == (1, 0)
    for name, value in world.current_physics(0).items():
        np.testing.assert_array_equal(value, before[name])


@pytest.mark.parametrize("later", [False, True])
def test_the_observation_space_contains_what_a_started_fault_reports(later: bool) -> None:
    plain = gymnasium.make("Pendulum-v1")
    env = inject(plain) if later else inject(plain, faults=())
    assert (env.observation_space == plain.observation_space) is later
    env.reset(seed=0)
    env.start_fault(Fault("observation/offset", 100.0))
    observation = env.step(np.zeros(1, np.float32))[0]
    assert not plain.observation_space.contains(observation)
    assert env.observation_space.contains(observation)


def test_a_delay_needs_a_prepared_environment_and_a_kept_history() -> None:
    env = make(WORLD, "action/offset", strength=0.1)
    env.reset(seed=0)
    with pytest.raises(InvalidParameter, match=r"needs the last 3 transitions, and none are kept.*faults=\(\)"):
        env.start_fault(Fault("action/delay", 3))
    env = make(WORLD, faults=())
    env.reset(seed=0)
    with pytest.raises(InvalidParameter, match="65 transitions, and 64 are kept"):
        env.start_fault(Fault("action/delay", 65))
    assert env.events == ()


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_rows_of_a_vector_environment_have_their_own_started_faults(mode: AutoresetMode) -> None:
    envs = inject(gymnasium.make_vec("Hopper-v5", 3, vector_kwargs={"autoreset_mode": mode}), faults=())
    noise = Fault("observation/noise", 0.3)
    single = inject(gymnasium.make("Hopper-v5"), faults=())
    envs.reset(seed=4)
    single.reset(seed=5)
    for t, joint in enumerate(actions(single.action_space, 12)):
        if t == 3:
            assert envs.start_fault(noise, row=1) == single.start_fault(noise) == 0
        if t == 9:
            envs.stop_fault(row=1)
            single.stop_fault()
        observations, _, _, _, infos = envs.step(np.stack([joint] * 3))
        assert observations[1].tobytes() == single.step(joint)[0].tobytes()
        assert infos["active"].tolist() == [False, 3 <= t < 9, False]
    assert envs.events(1) == single.events
    assert envs.events(0) == ()
    if mode is AutoresetMode.SAME_STEP:
        with pytest.raises(UnsupportedEnvironment, match="NEXT_STEP or DISABLED"):
            envs.start_fault(Fault("dynamics/mass", 2.0), row=0)


def test_a_started_fault_of_a_row_ends_with_its_episode() -> None:
    envs = inject(gymnasium.make_vec("Hopper-v5", 2), faults=())
    envs.reset(seed=0)
    envs.start_fault(Fault("dynamics/gravity", 3.0), row=1)
    ended = np.zeros(2, bool)
    while not ended[1]:
        _, _, terminated, truncated, _ = envs.step(np.ones((2, 3), np.float32))
        ended = terminated | truncated
    with pytest.raises(InvalidState, match="row 1 has ended"):
        envs.start_fault(Fault("observation/noise", 0.1), row=1)
    assert len(envs.events(1)) == 1
    *_, infos = envs.step(np.zeros((2, 3), np.float32))
    assert envs.events(1) == ()
    assert not infos["active"].any()


@pytest.mark.parametrize("observation", ["image", "both"])
def test_camera_faults_start_with_the_images_before_them(observation: Any) -> None:
    def episode(env: Any, fault: Fault | None) -> list[bytes]:
        env.reset(seed=2)
        images = []
        for t, action in enumerate(actions(env.action_space, 10)):
            if fault is not None and t == 6:
                env.start_fault(fault)
            seen = env.step(action)[0]
            images.append((seen if observation == "image" else seen["image"]).tobytes())
        return images

    for anomaly, strength in (("camera/frozen", 3), ("camera/delay", 4), ("camera/noise", 20.0)):
        fault = Fault(anomaly, strength, 6)
        scheduled = make(WORLD, faults=fault, observation=observation)
        assert episode(make(WORLD, faults=(), observation=observation), fault) == episode(scheduled, None)


def test_image_vector_environments_start_camera_faults_per_row() -> None:
    fault = Fault("camera/delay", 3, 5)
    started = make_vec(WORLD, 3, faults=(), observation="image")
    scheduled = make_vec(WORLD, 3, faults=[None, fault, None], observation="image")
    for envs in (started, scheduled):
        envs.reset(seed=0)
    for t, joint in enumerate(actions(started.action_space, 9)):
        if t == 5:
            started.start_fault(fault, row=1)
        assert started.step(joint)[0].tobytes() == scheduled.step(joint)[0].tobytes()


def test_an_anomaly_of_ones_own_gets_the_recent_images() -> None:
    @dataclass(frozen=True)
    class Counting(CameraAnomaly):
        kind: ClassVar[str] = "counting"

        def perturb(self, frame: Frame, parameter: float, context: FaultContext) -> Frame:
            assert context.since >= 0
            return np.full_like(frame, len(context.memory["steps"]))

        def observe(self, frame: Frame, parameter: float, context: FaultContext) -> None:
            assert not frame.flags.writeable
            context.memory.setdefault("steps", []).append(context.step)

    env = make(WORLD, faults=(), observation="image")
    env.reset(seed=0)
    for action in actions(env.action_space, 3):
        env.step(action)
    env.start_fault(Fault(Counting(), 1.0))
    assert env.step(env.action_space.sample())[0].max() == 4


def test_faults_start_through_a_monitor() -> None:
    nominal = off.collect(WORLD, off.expert(WORLD), 12)
    detector = off.detectors.make_detector("KNN").fit(nominal)
    alarm = off.alarms.EpisodeMaximum(0.2).fit(detector.score(nominal))
    monitor = off.Monitor(make(WORLD, faults=()), detector, alarm)
    monitor.reset(seed=3)
    monitor.get_wrapper_attr("start_fault")(Fault("observation/offset", 9.0))
    info = monitor.step(monitor.action_space.sample())[4]
    assert info["active"]
    assert info["alarm"]


def test_wrong_calls_are_named_errors() -> None:
    env = make(WORLD, faults=())
    fault = Fault("action/offset", 0.1)
    with pytest.raises(InvalidState, match="call reset first"):
        env.start_fault(fault)
    with pytest.raises(InvalidState, match="call reset first"):
        env.stop_fault()
    env.reset(seed=0)
    with pytest.raises(InvalidParameter, match="expected a Fault"):
        env.start_fault("action/offset")
    with pytest.raises(InvalidParameter, match="there is no fault 0; the episode has 0"):
        env.stop_fault(0)
    with pytest.raises(UnsupportedEnvironment, match="acts on images"):
        env.start_fault(Fault("camera/blur", 1.0))
    hidden = make(WORLD, faults=(), observation="image")
    hidden.reset(seed=0)
    with pytest.raises(InvalidParameter, match="camera='affected'"):
        hidden.start_fault(Fault("observation/noise", 0.1))
    envs = make_vec(WORLD, 2, faults=())
    with pytest.raises(InvalidState, match="call reset first"):
        envs.start_fault(fault, row=0)
    envs.reset(seed=0)
    with pytest.raises(InvalidParameter, match="row is 2"):
        envs.start_fault(fault, row=2)


def test_a_fault_cannot_start_after_the_last_transition() -> None:
    env = inject(gymnasium.make("Pendulum-v1", max_episode_steps=4), faults=())
    env.reset(seed=0)
    for _ in range(4):
        env.step(np.zeros(1, np.float32))
    with pytest.raises(InvalidSchedule, match="after the last transition"):
        env.start_fault(Fault("observation/noise", 0.1))
