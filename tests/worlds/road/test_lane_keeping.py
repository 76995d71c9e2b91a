"""CAR-LaneKeep: observations, rewards, ends of episodes, physics parameters and traffic."""

import math

import numpy as np
import pytest

import offnominal as off
from offnominal.agents import LaneFollower
from offnominal.core.errors import InvalidParameter, SimulationDiverged
from offnominal.worlds import make_world
from offnominal.worlds.road import traffic, vehicle
from offnominal.worlds.road.card import LANE_KEEP, MAX_SPEED, TARGET_SPEED
from offnominal.worlds.road.highway import MAX_CURVATURE, STRONGEST_GUST

from .reference import Car, follow

pytestmark = pytest.mark.long

WORLD = "CAR-LaneKeep-v0"
TABLE_9 = {
    "dynamics/slippery_road": (0.219697, 0.111111, 0.085859, 0.058081),
    "dynamics/brake_fail": (0.39899, 0.113636, 0.078283, 0.037879),
    "dynamics/steer_fail": (0.315657, 0.244949, 0.09596, 0.04798),
}
SPEED, ACCELERATION, HEADING, OFFSET, GAP, APPROACH, THROTTLE, STEERING = 0, 2, 3, 4, 5, 6, 7, 8


def started(n=1, seed=0, **parameters):
    world = make_world(WORLD, n)
    world.reset(np.arange(n), seed + np.arange(n), np.zeros(n, np.int64))
    for name, value in parameters.items():
        world.set_physics_parameter(name, np.arange(n), np.full(n, float(value)))
    return world


def driven(steps, n=1, seed=0, policy=None, **parameters):
    """Return a world after some steps of the scripted expert, and the history of its observations."""
    world = started(n, seed, **parameters)
    policy = policy or LaneFollower()
    seen = [world.observations.copy()]
    for _ in range(steps):
        world.step(policy.act(world.observations, None)[0])
        seen.append(world.observations.copy())
    return world, np.array(seen)


def moves(steps, seed=0):
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (steps, 2))


def test_the_card_has_the_published_order_and_returns():
    names = [channel.name for channel in LANE_KEEP.observation]
    assert names == [
        "speed",
        "target speed",
        "acceleration",
        "heading",
        "distance to lane centre",
        "distance to vehicle ahead",
        "relative velocity of vehicle ahead",
        "acceleration command",
        "steering command",
    ]
    assert (LANE_KEEP.expert_return, LANE_KEEP.random_return) == (-47.263, -220.78)
    assert (LANE_KEEP.dt, LANE_KEEP.max_steps, LANE_KEEP.expert_length) == (0.05, 500, 500)


def test_an_episode_starts_at_rest_near_the_middle_of_the_lane():
    seen = started(200).observations
    assert not seen[:, [SPEED, ACCELERATION, THROTTLE, STEERING]].any()
    assert np.allclose(seen[:, 1], 0.5)
    assert np.abs(seen[:, OFFSET]).max() <= 0.3 < np.abs(seen[:, OFFSET]).max() + 0.02
    assert np.abs(seen[:, HEADING]).max() <= 0.02
    assert seen[:, GAP].min() > 20.0
    assert seen[:, GAP].max() < 43.0


def test_curves_have_a_radius_of_at_least_500_metres():
    world = started(300)
    assert 0.0019 < np.abs(world._road.curvatures).max() <= MAX_CURVATURE == 1 / 500


@pytest.mark.parametrize("faults", [{}, {"slippery_road": 0.1}, {"brake_fail": 0.2, "steer_fail": 0.3}])
def test_car_and_reward_equal_the_reference(faults):
    world = started(1, seed=4, **faults)
    car = Car(world._road.states[0])
    for tick, action in enumerate(moves(300, seed=1)):
        action[0] += 0.3
        action[1] *= 0.05
        world.step(action[None])
        since, (first, second) = tick % 20, world._road.gusts[0]
        car.command(action, faults.get("brake_fail", 1.0), faults.get("steer_fail", 1.0))
        car.drive(world._road.curvatures[0], faults.get("slippery_road", 1.0), first + since * (second - first) / 20)
        state = world._road.states[0]
        ours = [car.s, car.d, car.psi, car.vx, car.vy, car.yaw, car.acceleration, car.throttle, car.steering]
        assert np.allclose(state, ours, rtol=1e-7, atol=1e-9)
        if world.terminated[0]:
            break
        assert world.rewards[0] == pytest.approx(car.reward(action), abs=1e-9)
    assert tick > 100


def test_observations_are_the_state_in_the_published_units():
    world, _ = driven(120, n=5)
    state, seen = world._road.states, world.observations
    assert np.allclose(seen[:, SPEED] * MAX_SPEED, state[:, vehicle.SPEED], rtol=1e-6)
    assert np.allclose(seen[:, HEADING], state[:, vehicle.HEADING])
    assert np.allclose(seen[:, OFFSET], state[:, vehicle.LATERAL])
    assert np.allclose(seen[:, THROTTLE], state[:, vehicle.THROTTLE])
    for row in range(5):
        ahead = world._road.cars[row, traffic.PER_LANE * world._road.lanes[row]]
        gap = ahead[traffic.POSITION] - state[row, vehicle.POSITION] - vehicle.LENGTH
        assert seen[row, GAP] == pytest.approx(min(gap, 100.0), rel=1e-6)
        assert seen[row, APPROACH] == pytest.approx(ahead[traffic.SPEED] - state[row, vehicle.SPEED], rel=1e-5)


def test_positive_steering_turns_left_and_the_lane_distance_has_its_sign():
    """The original squares the distance and can lose its sign."""
    for sign in (1.0, -1.0):
        world, _ = driven(100)
        before = world.observations[0].copy()
        for _ in range(20):
            world.step(np.array([[0.0, 0.03 * sign]]))
        change = world.observations[0] - before
        assert sign * change[HEADING] > 0.01
        assert sign * change[OFFSET] > 0.05


def test_commands_accumulate_and_stay_within_their_limits():
    world = started()
    for _ in range(7):
        world.step(np.array([[0.5, -1.0]]))
    assert world.observations[0, [THROTTLE, STEERING]] == pytest.approx([0.35, -0.7])
    for _ in range(20):
        world.step(np.array([[-3.0, 2.0]]))
    assert world.observations[0, [THROTTLE, STEERING]] == pytest.approx([-1.0, 1.0])


def test_brakes_stop_the_car_and_do_not_push_it_back():
    world, _ = driven(150, seed=2)
    for _ in range(100):
        world.step(np.array([[-1.0, 0.0]]))
    place = world._road.states[0, vehicle.POSITION]
    for _ in range(20):
        world.step(np.zeros((1, 2)))
    assert world.observations[0, SPEED] == 0.0
    assert world._road.states[0, vehicle.POSITION] == place
    assert world.observations[0, ACCELERATION] < 0.6


@pytest.mark.parametrize(
    ("column", "value"),
    [(vehicle.LATERAL, 1.51), (vehicle.LATERAL, -1.51), (vehicle.HEADING, 0.8), (vehicle.HEADING, -0.8)],
)
def test_an_episode_ends_1_5_m_off_the_centre_or_45_degrees_off_the_lane(column, value):
    world = started()
    world._road.states[0, column] = 0.97 * value
    world.step(np.zeros((1, 2)))
    assert not world.terminated[0]
    assert world.success[0]
    assert world.critical[0] == (column == vehicle.LATERAL)
    world._road.states[0, column] = value
    world.step(np.zeros((1, 2)))
    assert world.terminated[0]
    assert world.critical[0]
    assert not world.success[0]
    assert world.rewards[0] == -100.0


def test_a_collision_ends_the_episode():
    world = started()
    car = world._road.cars[0, traffic.PER_LANE * world._road.lanes[0]]
    world._road.states[0, vehicle.POSITION] = car[traffic.POSITION] - vehicle.LENGTH - 2.0
    world.step(np.zeros((1, 2)))
    assert not world.terminated[0]
    world._road.states[0, vehicle.POSITION] = car[traffic.POSITION] - 0.5 * vehicle.LENGTH
    world.step(np.zeros((1, 2)))
    assert world.terminated[0]
    assert world.rewards[0] == -100.0


def test_cars_follow_the_intelligent_driver_model_and_never_touch():
    world = started(40)
    braked = 0
    for tick in range(500):
        before = world._road.cars.copy()
        world.step(np.zeros((40, 2)))
        cars = world._road.cars
        gaps = np.diff(cars[:, :, traffic.POSITION].reshape(40, 3, 4), axis=2) - vehicle.LENGTH
        assert gaps.min() > 0.5
        free = ~((before[..., traffic.BRAKE_START] <= tick) & (tick < cars[..., traffic.BRAKE_END]))
        for row, k in ((0, 0), (7, 5), (23, 10)):
            here, ahead = before[row, k], before[row, k + 1]
            gap = ahead[traffic.POSITION] - here[traffic.POSITION] - vehicle.LENGTH
            wanted = follow(here[traffic.SPEED], here[traffic.DESIRED], gap, ahead[traffic.SPEED])
            if free[row, k] and tick % traffic.PERIOD:
                assert cars[row, k, traffic.ACCELERATION] == pytest.approx(max(wanted, -here[traffic.SPEED] / 0.05))
        braked += int((cars[..., traffic.ACCELERATION] < -2.0).sum())
    assert cars[..., traffic.SPEED].min() >= 0.0
    assert 0.01 < braked / (500 * 40 * 12) < 0.2


def test_traffic_brakes_and_makes_the_agent_brake_in_nominal_episodes():
    episodes = off.collect(WORLD, LaneFollower(), 30, seed=5)
    braking = [(episode.observations[:, THROTTLE] < -0.05).any() for episode in episodes]
    assert np.mean(braking) > 0.5


def test_traffic_does_not_depend_on_the_agent():
    still, moving = started(3), driven(200, n=3)[0]
    for _ in range(200):
        still.step(np.zeros((3, 2)))
    assert np.array_equal(still._road.cars, moving._road.cars)


def test_the_scripted_expert_reaches_the_published_return_and_finishes():
    result = off.evaluate_policy(WORLD, LaneFollower(), 100, seed=3)
    assert result.mean_return > LANE_KEEP.expert_return
    assert result.success >= 0.95


@pytest.fixture(scope="module")
def nominal():
    return off.evaluate_policy(WORLD, LaneFollower(), 60, seed=11).mean_return


@pytest.mark.parametrize("anomaly", TABLE_9)
@pytest.mark.parametrize("onset", ["start", "random"])
def test_the_published_parameters_lower_the_return_of_the_scripted_expert_in_order(anomaly, onset, nominal):
    means = [
        np.mean(
            [
                episode.total_reward
                for episode in off.collect(WORLD, LaneFollower(), 60, faults=off.Fault(anomaly, value, onset), seed=11)
            ]
        )
        for value in TABLE_9[anomaly]
    ]
    assert np.all(np.diff([nominal, *means]) < 0.0), (nominal, means)
    assert means[-1] < nominal - 15.0


def test_a_failing_brake_weakens_decreases_only():
    weak = started(brake_fail=0.1)
    weak.step(np.array([[1.0, 0.5]]))
    assert weak.observations[0, [THROTTLE, STEERING]] == pytest.approx([0.1, 0.05])
    weak.step(np.array([[-1.0, 0.0]]))
    assert weak.observations[0, THROTTLE] == pytest.approx(0.09)


def test_failing_steering_weakens_steering_only():
    weak = started(steer_fail=0.1)
    weak.step(np.array([[-1.0, -0.5]]))
    assert weak.observations[0, [THROTTLE, STEERING]] == pytest.approx([-0.1, -0.005])


def test_a_failing_actuator_leaves_the_recorded_actions_as_commanded():
    """The original multiplies the caller's array, so that its datasets hide the fault."""
    policy = LaneFollower()
    (episode,) = off.collect(WORLD, policy, 1, faults=off.Fault("dynamics/steer_fail", 0.2, "start"), seed=1)
    asked = policy.act(episode.observations[:-1], None)[0]
    assert np.allclose(episode.actions, asked)
    assert np.array_equal(episode.actions, episode.extras["executed_actions"])
    turned = np.diff(episode.observations[:, STEERING])
    assert np.allclose(turned, 0.02 * episode.actions[:, 1], atol=1e-6)


def test_ice_limits_acceleration_and_brakes():
    _, dry = driven(60)
    _, ice = driven(60, slippery_road=0.06)
    assert dry[:, 0, ACCELERATION].max() > 3.0
    assert ice[:, 0, ACCELERATION].max() < 0.06 * 9.81 + STRONGEST_GUST
    world, _ = driven(100)
    speed = world.observations[0, SPEED]
    world.set_physics_parameter("slippery_road", np.array([0]), np.array([0.06]))
    for _ in range(20):
        world.step(np.array([[-1.0, 0.0]]))
    assert world.observations[0, SPEED] > speed - 0.8 / MAX_SPEED


def test_a_road_without_friction_is_driven_without_errors():
    world, _ = driven(100)
    world.set_physics_parameter("slippery_road", np.array([0]), np.array([0.0]))
    for action in moves(100):
        world.step(action[None])
        assert np.isfinite(world.observations).all()


def test_rain_takes_friction():
    _, dry = driven(40, slippery_road=0.25)
    _, wet = driven(40, heavy_rain=120.0)
    assert np.allclose(dry[:, 0, SPEED], wet[:, 0, SPEED])


def test_a_wrong_way_driver_appears_150_m_ahead_and_comes_nearer():
    world, _ = driven(100, seed=1)
    world.set_physics_parameter("ghost_driver", np.array([0]), np.array([20.0]))
    places = []
    while not world.terminated[0] and len(places) < 300:
        world.step(LaneFollower().act(world.observations, None)[0])
        places.append(world._road.wrong_way[0])
        if len(places) == 1:
            assert places[0] == pytest.approx(world._road.states[0, vehicle.POSITION] + 150.0)
    assert np.allclose(np.diff(places), -1.0)
    assert world.terminated[0]
    assert world.observations[0, APPROACH] == pytest.approx(-20.0 - world._road.states[0, vehicle.SPEED], rel=1e-5)


def test_cars_move_aside_for_a_wrong_way_driver_and_return():
    world, _ = driven(100, seed=1)
    lane = world._road.lanes[0]
    world.set_physics_parameter("ghost_driver", np.array([0]), np.array([20.0]))
    aside = []
    for _ in range(70):
        world.step(np.zeros((1, 2)))
        aside.append(world._road.cars[0, :, traffic.ASIDE].copy())
    moved = np.array(aside).min(axis=0)
    own = np.arange(traffic.CARS) // traffic.PER_LANE == lane
    assert moved[own].min() == pytest.approx(traffic.EVASION)
    assert not moved[~own].any()
    world.set_physics_parameter("ghost_driver", np.array([0]), np.array([0.0]))
    for _ in range(60):
        world.step(np.zeros((1, 2)))
    assert not world._road.cars[0, :, traffic.ASIDE].any()
    assert math.isnan(world._road.wrong_way[0])


def test_an_unknown_or_negative_parameter_is_refused():
    with pytest.raises(InvalidParameter, match="at least 0"):
        off.make(WORLD, "dynamics/brake_fail", strength=-1.0).reset(seed=0)


def test_a_state_that_is_not_finite_is_an_error():
    world = started()
    world._road.states[0, vehicle.SPEED] = np.inf
    with pytest.raises(SimulationDiverged, match=r"CAR-LaneKeep-v0.*row 0"):
        world.step(np.zeros((1, 2)))


def test_target_speed_is_half_of_the_largest():
    assert pytest.approx(0.5) == TARGET_SPEED / MAX_SPEED
