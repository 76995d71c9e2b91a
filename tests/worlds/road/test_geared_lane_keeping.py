"""CAR-LaneKeep-v1: the car of v0 with gears and an engine that brakes."""

import hashlib
import warnings

import numpy as np
import pytest

import offnominal as off
from offnominal.agents import scripted_expert
from offnominal.worlds import make_world
from offnominal.worlds.road import drive_train, vehicle
from offnominal.worlds.road.card import MAX_SPEED
from offnominal.worlds.road.geared_lane_follower import GearedLaneFollower
from offnominal.worlds.road.highway import NODES, side_wind

from .reference import GearedCar

pytestmark = pytest.mark.long

WORLD = "CAR-LaneKeep-v1"
KMH = 1 / 3.6


def started(n=1, **parameters):
    world = make_world(WORLD, n)
    world.reset(np.arange(n), np.arange(n), np.zeros(n, np.int64))
    for name, value in parameters.items():
        world.set_physics_parameter(name, np.arange(n), np.full(n, float(value)))
    return world


def coasting(speed, gear):
    """Return a car without throttle at a speed in a gear from 1, on a straight road."""
    state = vehicle.new_states(1, drive_train.GEARED_STATE)[0]
    state[vehicle.SPEED], state[drive_train.GEAR] = speed, gear - 1
    return state


def moved(state, steps=1):
    for _ in range(steps):
        drive_train.move_geared_car(state, np.zeros(NODES), 1.0, 0.0)
    return state


@pytest.mark.parametrize("friction", [1.0, 0.1])
def test_the_car_equals_the_reference(friction):
    world, rng = started(4, slippery_road=friction), np.random.default_rng(0)
    world._road.cars[..., 0] += 1e6  # an empty road
    gears = set()
    for t in range(300):
        before = world._road.states.copy()
        gusts = world._road.gusts.copy()
        actions = rng.uniform(-1.0, 1.0, (4, 2)) * [1.0, 0.02] + [0.3 if t % 150 < 100 else -0.6, 0.0]
        cars = [GearedCar(state) for state in before]
        world.step(actions)
        winds = [side_wind(world._road.keys[r], world._road.ticks[r] - 1, gusts[r]) for r in range(4)]
        for r, car in enumerate(cars):
            car.command(actions[r])
            car.drive(world._road.curvatures[r], friction, winds[r])
            after = world._road.states[r]
            expected = [car.s, car.d, car.psi, car.vx, car.vy, car.yaw, car.acceleration, car.throttle, car.steering]
            np.testing.assert_allclose(after, [*expected, car.gear, car.waiting], rtol=1e-9, atol=1e-9)
            gears.add(car.gear)
    assert gears >= ({0, 1, 2} if friction == 1.0 else {0})


def test_the_engine_brakes_without_throttle():
    state = coasting(50 * KMH, gear=4)
    slower = 50 * KMH - moved(state)[vehicle.SPEED]
    assert slower / 0.05 == pytest.approx(2.07, abs=0.05)


def test_gears_go_up_and_down_with_the_speed_and_there_is_no_drive_while_they_change():
    state = vehicle.new_states(1, drive_train.GEARED_STATE)[0]
    state[vehicle.THROTTLE] = 1.0
    gears, gains = [], []
    for _ in range(300):
        before = state[vehicle.SPEED]
        moved(state)
        gears.append(int(state[drive_train.GEAR]))
        gains.append(state[vehicle.SPEED] - before)
    changes = np.flatnonzero(np.diff(gears)) + 1
    assert [gears[t] for t in changes] == [1, 2, 3, 4]
    for t in changes:
        assert max(gains[t : t + 10]) < 0.0 < min(gains[t + 11], gains[t - 1])
    state[vehicle.THROTTLE] = 0.0
    slower = [int(moved(state)[drive_train.GEAR]) for _ in range(1000)]
    assert sorted(set(slower), reverse=True) == [4, 3, 2, 1, 0]
    assert (np.diff(slower) <= 0).all()


def test_a_lower_gear_brakes_more():
    losses = [9.0 - moved(coasting(9.0, gear))[vehicle.SPEED] for gear in (3, 2)]
    assert losses[1] > 1.5 * losses[0]


def test_observation_action_and_traffic_are_those_of_v0():
    worlds = [make_world(id, 8) for id in ("CAR-LaneKeep-v0", WORLD)]
    for world in worlds:
        world.reset(np.arange(8), np.arange(8), np.zeros(8, np.int64))
    v0, v1 = worlds
    np.testing.assert_array_equal(v0.observations, v1.observations)
    assert v0.observation_space == v1.observation_space
    assert [channel.name for channel in v0.card.observation] == [channel.name for channel in v1.card.observation]
    for _ in range(50):
        for world in worlds:
            world.step(np.full((8, 2), [0.5, 0.0]))
    np.testing.assert_array_equal(v0._road.cars, v1._road.cars)  # type: ignore[attr-defined]
    assert not np.array_equal(v0.observations, v1.observations)


def test_the_gear_is_that_of_a_new_episode_after_a_reset():
    world = started()
    for _ in range(120):
        world.step(np.array([[1.0, 0.0]]))
    assert world.gears[0] > 1
    world.reset(np.arange(1), np.arange(1), np.ones(1, np.int64))
    assert world.gears.tolist() == [1]
    assert world._road.states[0, drive_train.WAITING] == 0.0


def test_the_scripted_expert_keeps_50_km_h_and_finishes():
    found = off.evaluate_policy(WORLD, scripted_expert(WORLD), 50)
    assert found.mean_return > -47.263
    assert found.success == 1.0
    world = started(20)
    for _ in range(200):
        world.step(GearedLaneFollower().act(world.observations, None)[0])
    free = world.observations[:, 5] > 60.0
    assert free.any()
    assert world.observations[free, 0] * MAX_SPEED == pytest.approx(50 * KMH, abs=0.3)


def test_the_expert_is_the_scripted_one_until_a_policy_learned():
    assert isinstance(off.expert(WORLD), GearedLaneFollower)


@pytest.mark.parametrize("id", ["CAR-LaneKeep-v0", WORLD])
def test_neither_version_is_called_out_of_date(id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        off.make(id).close()
        off.make_vec(id, 2).close()


def test_gears_are_the_same_on_every_cpu():
    world, total, gears = started(3), hashlib.sha256(), set[int]()
    for t in range(400):
        pedal = 1.0 if t % 200 < 120 else -0.4
        world.step(np.array([[pedal, 0.0], [pedal, 0.01], [0.7 * pedal, -0.01]]))
        total.update(world._road.states.tobytes())
        gears.update(world.gears.tolist())
    assert gears >= {1, 2, 3, 4}
    assert total.hexdigest() == "672ab34dfb241a0f023856e8c0e0e228fe03ea5f54dde619ac003b304de3377b"
