"""Traffic in the towns: deterministic, without collisions, and with an ego vehicle that gets on."""

import math

import numpy as np
import pytest

from offnominal.core.errors import InvalidAction, InvalidParameter, InvalidState, UnknownName
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.town import (
    TICKS,
    NoRoute,
    Obstacle,
    TownSimulation,
    make_town,
    plan_route,
    town_names,
)
from offnominal.worlds.road.town.traffic_state import GREEN

pytestmark = pytest.mark.long

STUCK = 600


def same(a, b):
    return all(
        x.tobytes() == y.tobytes()
        for x, y in ((a.position, b.position), (a.heading, b.heading), (a.speed, b.speed), (a.lights, b.lights))
    )


def check_scenario(town, seed, ticks=TICKS):
    """Run a nominal scenario with all actors; no collision, no vehicle off the road, the ego vehicle not stuck."""
    simulation = TownSimulation(town)
    simulation.reset(seed)
    standing = longest = 0
    for _ in range(ticks):
        simulation.advance()
        assert simulation.collisions() == [], (town, seed, simulation.tick)
        if simulation.tick % 25 == 0:
            assert simulation.off_road() == [], (town, seed, simulation.tick)
        standing = standing + 1 if simulation.cars.speed[0] < 0.1 else 0
        longest = max(longest, standing)
    assert longest <= STUCK, (town, seed)
    return simulation


@pytest.mark.parametrize("town", town_names())
def test_nominal_traffic_has_no_collisions(town):
    simulation = check_scenario(town, 7)
    assert simulation.cars.speed.mean() > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("town", town_names())
def test_nominal_traffic_has_no_collisions_in_many_scenarios(town):
    for seed in range(100, 125):
        check_scenario(town, seed)


def test_traffic_does_not_jam():
    simulation = TownSimulation("residential")
    simulation.reset(3)
    for _ in range(1500):
        simulation.advance()
    assert np.count_nonzero(simulation.cars.waiting > 600) == 0
    assert simulation.cars.speed.mean() > 1.0


@pytest.mark.slow
@pytest.mark.parametrize("town", town_names())
def test_traffic_flows_for_minutes(town):
    simulation = check_scenario(town, 3, ticks=3000)
    assert np.count_nonzero(simulation.cars.waiting > 1800) == 0


def test_the_same_seed_gives_the_same_bytes():
    runs = []
    for _ in range(2):
        simulation = TownSimulation("downtown")
        simulation.reset(5, vehicles=40, pedestrians=40)
        runs.append(simulation.run(60))
    assert all(same(a, b) for a, b in zip(*runs, strict=True))


def test_seeds_differ():
    first, second = (TownSimulation("grid").reset(seed, vehicles=10, pedestrians=5) for seed in (0, 1))
    assert not same(first, second)


def test_actors_do_not_overlap_at_the_start():
    for town in town_names():
        simulation = TownSimulation(town)
        state = simulation.reset(1)
        assert simulation.collisions() == []
        assert len(state.instance) == len(set(state.instance.tolist()))


def test_as_many_actors_as_asked_for():
    state = TownSimulation("grid").reset(0, vehicles=30, pedestrians=20)
    assert state.kind.count("pedestrian") == 20
    assert len(state.kind) == 51
    assert state.label[0] == Label.EGO_VEHICLE


def test_a_scenario_has_15_ticks_of_warm_up_and_200_frames():
    simulation = TownSimulation("residential")
    simulation.reset(0, vehicles=2, pedestrians=2)
    states = simulation.run()
    frames = [state.frame for state in states if state.is_recorded]
    assert frames == list(range(200))


def test_the_ego_vehicle_follows_its_route():
    simulation = TownSimulation("grid")
    simulation.reset(2, vehicles=0, pedestrians=0)
    points = simulation.route.waypoints[0]
    for _ in range(TICKS):
        simulation.advance()
        if simulation.cars.route[0] < 0:
            break
        away = np.sqrt(((points - simulation.cars.pose[0, :2]) ** 2).sum(axis=1).min())
        assert away < 4.0
    assert simulation.cars.speed[0] > 1.0


def test_lights_in_front_of_the_ego_vehicle_are_green():
    simulation = TownSimulation("grid")
    simulation.reset(2, vehicles=0, pedestrians=0)
    for _ in range(TICKS):
        simulation.advance()
        head = simulation.town.graph.network.head[simulation.cars.lane[0]]
        if simulation.town.graph.network.road[simulation.cars.lane[0]] < 0 and head >= 0:
            assert simulation.control.light[head] == GREEN


def test_cautious_drivers_are_slower_than_aggressive_ones():
    ways = {}
    for behaviour in ("cautious", "aggressive"):
        simulation = TownSimulation("rural", behaviour=behaviour)
        simulation.reset(1, vehicles=0, pedestrians=0)
        ways[behaviour] = sum(state.speed[0] for state in simulation.run())
        assert max(simulation.cars.speed) <= 70 / 3.6 + 0.5
    assert ways["cautious"] < ways["aggressive"]


def test_controls_drive_the_ego_vehicle():
    simulation = TownSimulation("grid")
    simulation.reset(0, vehicles=5, pedestrians=5)
    before = simulation.snapshot()
    for _ in range(20):
        after = simulation.step((1.0, 0.0, 0.0))
    assert after.speed[0] == pytest.approx(7.0, abs=0.2)
    moved = after.position[0] - before.position[0]
    assert np.hypot(*moved) == pytest.approx(0.5 * 3.5 * 4.0, abs=0.4)
    for _ in range(20):
        after = simulation.step((0.0, 0.0, 1.0))
    assert after.speed[0] == 0.0


def test_vehicles_stop_for_an_ego_vehicle_that_stands_still():
    simulation = TownSimulation("grid")
    simulation.reset(4, vehicles=60, pedestrians=0)
    for _ in range(150):
        simulation.step((0.0, 0.0, 1.0))
        assert not [pair for pair in simulation.collisions() if 1 in pair]


COW = Obstacle("cow", Label.ANIMAL, 80.0, (2.2, 0.8, 1.5))


def test_an_avoiding_ego_vehicle_stops_before_an_obstacle_and_others_avoid_its_road():
    simulation = TownSimulation("grid", ego="avoiding")
    state = simulation.reset(3, vehicles=40, pedestrians=0, obstacle=COW)
    assert state.kind[-1] == "cow"
    assert state.label[-1] == Label.ANIMAL
    assert state.anomalous.tolist() == [False] * 41 + [True]
    for _ in range(TICKS):
        state = simulation.step()
        assert not [pair for pair in simulation.collisions() if 1 in pair]
    gap = np.hypot(*(state.position[-1] - state.position[0]))
    assert 4.0 < gap < 25.0
    rerouted = np.flatnonzero(simulation.cars.rerouted)
    assert (simulation.labels()[rerouted] >= 100).all()


@pytest.mark.parametrize(("ego", "same"), [("blind", True), ("stopping", True), ("avoiding", False)])
def test_only_avoiding_vehicles_move_otherwise_in_the_nominal_twin(ego, same):
    poses = []
    for nominal in (False, True):
        simulation = TownSimulation("grid", ego=ego)
        simulation.reset(3, vehicles=40, pedestrians=0, obstacle=COW, nominal=nominal)
        for _ in range(TICKS):
            simulation.advance()
        poses.append((simulation.cars.pose.tobytes(), simulation.cars.speed[0], simulation.discards))
    assert (poses[0] == poses[1]) == same
    assert (poses[0][1] < 0.5) == (ego != "blind")


def test_an_object_is_where_it_was_moved_to():
    simulation = TownSimulation("grid", ego="avoiding")
    simulation.reset(3, vehicles=0, pedestrians=0, obstacle=COW)
    blocks = simulation.control.blocks.copy()
    x, y = simulation.route.waypoints[0][40].tolist()
    simulation.move_obstacle((x, y), 0.5, (1.0, 2.0, 3.0), 4.0)
    state = simulation.snapshot()
    assert (state.position[-1].tolist(), state.speed[-1]) == ([x, y], 4.0)
    assert state.size[-1].tolist() == [1.0, 2.0, 3.0]
    assert not np.array_equal(simulation.control.blocks, blocks)
    simulation.restart()
    assert np.array_equal(simulation.control.blocks, blocks)
    simulation.reset(3, vehicles=0, pedestrians=0)
    with pytest.raises(InvalidState, match="no object"):
        simulation.move_obstacle((x, y), 0.0, (1.0, 1.0, 1.0))


def test_routes_that_do_not_exist_are_named_errors():
    graph = make_town("highway-ring").graph
    start = graph.to_lane(0.0, 252.0, math.pi)
    stop = graph.to_lane(0.0, 68.0, 0.0)
    with pytest.raises(NoRoute, match="no route leads"):
        plan_route(graph, start, stop)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: TownSimulation("gridd"), UnknownName),
        (lambda: TownSimulation("grid", behaviour="wild"), UnknownName),
        (lambda: TownSimulation("grid", ego="brave"), InvalidParameter),
        (lambda: TownSimulation("grid").step(), InvalidState),
        (lambda: TownSimulation("grid").reset(-1), InvalidParameter),
        (lambda: TownSimulation("grid").reset(0, vehicles=-1), InvalidParameter),
        (lambda: TownSimulation("grid").reset(0, anomaly="alien"), UnknownName),
        (lambda: TownSimulation("grid").reset(0, obstacle=Obstacle("cow", 30, 1e5)), NoRoute),
        (lambda: Obstacle("cow", 30, -3.0), InvalidParameter),
    ],
)
def test_wrong_arguments_are_named_errors(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("controls", [(1.0, 0.0), ("a", 0, 0), (float("nan"), 0.0, 0.0)])
def test_wrong_controls_are_named_errors(controls):
    simulation = TownSimulation("residential")
    simulation.reset(0, vehicles=0, pedestrians=0)
    with pytest.raises(InvalidAction):
        simulation.step(controls)
