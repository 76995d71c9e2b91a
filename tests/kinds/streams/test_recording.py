"""Streams run on without resets, and a twin differs by its faults alone."""

import numpy as np
import pytest

from offnominal.agents import scripted_expert
from offnominal.core.streams import row_seeds
from offnominal.kinds import StreamCondition
from offnominal.kinds.streams.continuing_world import ContinuingWorld
from offnominal.kinds.streams.recording import StreamSource, draw_faults, record_streams
from offnominal.rollouts.collection import rollout
from offnominal.worlds import make_world

from .made_streams import PLAN, STEADY, WEAR, WORLD, stream_cell


def test_successive_rollouts_continue_each_other():
    def record(*lengths):
        world, policy = ContinuingWorld(make_world(WORLD, 1), np.array([3])), scripted_expert(WORLD)
        parts = [rollout(lambda _: world, policy, row_seeds(0, 1), [()], max_steps=n)[0] for n in lengths]
        return np.concatenate([part.observations[1:] for part in parts])

    assert np.array_equal(record(15, 25), record(40))


def test_a_world_starts_again_with_its_wear_and_says_nothing():
    world = ContinuingWorld(make_world(WORLD, 2), np.array([0, 1]))
    world.set_physics_parameter("push_force", np.array([1]), np.array([20.0]))
    ages = []
    for step in range(40):
        world.step(np.ones(2, np.int64))
        assert not world.terminated.any()
        ages += [step] if world.restarts else []
    assert {row for row, _ in world.restarts} == {0, 1}
    assert world.current_physics(1)["push_force"] == 20.0
    assert world.current_physics(0)["push_force"] == 10.0
    assert np.abs(world.observations[:, 2]).max() < 0.25


def test_a_task_ends_at_its_time_limit():
    world = ContinuingWorld(make_world("OOD-Pendulum-v0", 1), np.array([0]), time_limit=7)
    for _ in range(20):
        world.step(np.zeros((1, 1)))
    assert world.restarts == [(0, 6), (0, 13)]


def test_a_twin_is_identical_until_the_first_fault_and_nominal_throughout():
    cell = stream_cell(WEAR)
    data = record_streams(cell)
    for stream in range(PLAN.streams):
        first = PLAN.first_test + data.injected[stream][0].onset // PLAN.steps
        pairs = list(zip(data.faulty[stream], data.twins[stream], strict=True))
        assert all(np.array_equal(one.observations, two.observations) for one, two in pairs[:first])
        onset = int(np.argmax(pairs[first][0].active))
        one, two = (each.observations for each in pairs[first])
        assert onset == data.injected[stream][0].onset % PLAN.steps
        assert np.array_equal(one[: onset + 1], two[: onset + 1])
        assert not np.array_equal(one[onset + 1], two[onset + 1])
        assert not any(episode.active.any() for episode in data.twins[stream])
        active = np.concatenate([episode.active for episode in data.faulty[stream][PLAN.first_test :]])
        assert active.sum() == sum(fault.end - fault.onset for fault in data.injected[stream])


def test_the_times_of_faults_do_not_depend_on_drift_and_leave_time_for_recalibration():
    cell = stream_cell(plan=PLAN.replace(test=200, chance=1.0))
    drawn = draw_faults(cell, 5)
    assert drawn == draw_faults(cell.replace(condition=WEAR), 5)
    assert drawn != draw_faults(cell, 6)
    segments = {fault.onset // PLAN.steps for fault in drawn}
    quiet = {event + k for event in (66, 134) for k in range(PLAN.recalibration)}
    assert segments == set(range(200)) - quiet
    assert all(fault.onset // PLAN.steps == (fault.end - 1) // PLAN.steps for fault in drawn)
    assert len({fault.onset % PLAN.steps for fault in drawn}) > 20


def test_wear_is_undone_by_maintenance_and_a_cycle_swings_around_zero():
    shares = WEAR.shares(PLAN.segments, PLAN.event_segments, PLAN.cycle)
    before, event = PLAN.event_segments[0] - 1, PLAN.event_segments[0]
    assert shares[before] > 0.9
    assert shares[event] == 0.0
    assert abs(StreamCondition("cycle", course="cycle").shares(8, np.array([]), 8).mean()) < 1e-12
    assert (STEADY.shares(5, np.array([2]), 4) == 0.0).all()


def test_wear_weakens_the_actuator():
    def speeds(condition):
        data = record_streams(stream_cell(condition))
        last = data.twins[0][int(PLAN.event_segments[0]) - 1]
        return np.abs(np.diff(last.observations[:, 1])).mean()

    assert speeds(WEAR) < 0.85 * speeds(STEADY)


@pytest.mark.parametrize(
    "change", [{"seed": 1}, {"update": "expert"}, {"condition": WEAR}, {"background": ()}, {"policy": "expert"}]
)
def test_the_hash_tells_streams_apart(change):
    cell = stream_cell()
    assert StreamSource(cell).content_hash() == StreamSource(stream_cell()).content_hash()
    assert StreamSource(cell.replace(**change)).content_hash() != StreamSource(cell).content_hash()


def test_an_anomaly_of_the_background_is_not_labelled():
    data = record_streams(stream_cell(plan=PLAN.replace(chance=0.0)))
    assert not any(episode.active.any() for stream in data.faulty for episode in stream)
    quiet = record_streams(stream_cell(plan=PLAN.replace(chance=0.0), background=()))
    assert np.std(np.diff(data.faulty[0][0].observations[:, 0])) > 2 * np.std(
        np.diff(quiet.faulty[0][0].observations[:, 0])
    )
