"""The run of a scenario: reproducible frames, correct labels, nominal twins, and named errors."""

import hashlib

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenarios import (
    ContentAnomaly,
    InvalidScenario,
    Normality,
    Place,
    Scenario,
    TemporalAnomaly,
    Timing,
)
from offnominal.worlds.road.scenes import RecordingCheck, ScenarioRun, check_run, placement_violations
from offnominal.worlds.road.town import InvalidSpawn, NoRoute, make_town

pytestmark = pytest.mark.long

TINY = Rig("tiny", (Mount("top", (0.0, 0.0, 1.8)),), width=120, height=80, channels=12, columns=180)
RIDERS = {Label.RIDER, Label.AGENT_RIDER}


def scenario(**changes):
    given = {
        "id": "one",
        "town": "small-town",
        "weather": "SOFT_RAIN_NOON",
        "seed": 3,
        "vehicles": 40,
        "pedestrians": 40,
        "timing": Timing(5, 30, 10),
    }
    return Scenario(**{**given, **changes})


def contents(frame):
    camera, lidar = frame.sensors.cameras["top"].image, frame.sensors.lidars["top"]
    arrays = (camera.rgb, camera.depth, camera.label, camera.instance)
    clouds = (lidar.measured.points, lidar.measured.intensity, lidar.exact.points, lidar.exact.label)
    return hashlib.sha256(b"".join(each.tobytes() for each in (*arrays, *clouds))).hexdigest()


@pytest.fixture(scope="module")
def street():
    run = ScenarioRun(scenario(), rig=TINY)
    return run, list(run)


def test_a_second_iteration_gives_the_same_bytes(street):
    run, frames = street
    again = list(ScenarioRun(run.scenario, rig=TINY))
    assert [contents(frame) for frame in again] == [contents(frame) for frame in frames]
    assert [(frame.number, frame.tick) for frame in frames] == [(0, 15), (1, 25), (2, 35)]
    assert len({contents(frame) for frame in frames}) == len(run) == 3


def test_a_resumed_run_gives_the_remaining_frames(street):
    run, frames = street
    rest = list(run.frames(start=2))
    assert [contents(frame) for frame in rest] == [contents(frames[2])]
    assert list(run.frames(start=3)) == []
    with pytest.raises(InvalidParameter, match="start is 4"):
        next(run.frames(start=4))


def test_two_iterations_of_one_run_can_alternate(street):
    run, frames = street
    for one, other, frame in zip(run.states(), run.states(), range(3), strict=False):
        assert one.position.tobytes() == other.position.tobytes()
        assert one.tick == frame + 1
    assert contents(next(iter(run))) == contents(frames[0])


def test_lidar_points_have_depth_and_label_of_their_pixels(street):
    compared, agreeing = 0, 0
    for frame in street[1]:
        each, cloud = frame.sensors.cameras["top"], frame.sensors.lidars["top"].exact
        back = cloud.returned
        column, row, depth = each.camera.project(cloud.points[back])
        inside = (depth > 0.5) & (column >= 1) & (column < 119) & (row >= 1) & (row < 79)
        rows, columns = row[inside].astype(int), column[inside].astype(int)
        label, instance = cloud.label[back][inside], cloud.instance[back][inside]
        around = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1)]
        # Away from edges, all pixels around a point belong to one object.
        even = np.all([each.image.instance[rows + r, columns + c] == instance for r, c in around], axis=0)
        depths = np.array([each.image.depth[rows + r, columns + c] for r, c in around])
        close = (depth[inside] > depths.min(axis=0) - 0.02) & (depth[inside] < depths.max(axis=0) + 0.02)
        assert (each.image.label[rows, columns][even] == label[even]).mean() > 0.99
        compared += int(even.sum())
        agreeing += int((even & close).sum())
    assert compared > 700
    assert agreeing > 0.99 * compared


def test_visible_actors_have_the_labels_of_their_states(street):
    seen = set()
    for frame in street[1]:
        image = frame.sensors.cameras["top"].image
        for row, instance in enumerate(frame.state.instance):
            pixels = set(image.label[image.instance == instance].tolist())
            expected = {int(frame.state.label[row])}
            if frame.state.kind[row] in ("bicycle", "motorcycle"):
                expected |= {int(label) for label in RIDERS}
            assert pixels <= expected
            seen |= {frame.state.kind[row]} if pixels else set()
        assert not (image.instance == frame.state.instance[0]).any(), "the ego vehicle is not in its own image"
    assert len(seen) >= 2


def test_nominal_runs_have_no_anomaly_and_pass_the_check(street):
    run, frames = street
    assert run.anomaly_truth() is None
    assert (run.discards, run.validity) == ((), ())
    check = RecordingCheck(run.scenario)
    for frame in frames:
        check.add(frame)
    assert check.violations(run) == []
    assert Label.ROAD in check.pixels
    narrow = RecordingCheck(run.scenario, Normality(classes=("SKY",)))
    narrow.add(frames[0])
    assert {each.entry for each in narrow.violations(run)} == {"class"}


def test_twin_equals_the_scenario_until_the_anomaly_begins():
    anomaly = TemporalAnomaly("sudden-braking", "vehicle.suv", lead_distance=9, ticks=(22, 26))
    given = scenario(anomaly=anomaly, timing=Timing(5, 25, 1), weather="CLEAR_NOON")
    run, twin = ScenarioRun(given, rig=TINY), ScenarioRun(given, rig=TINY, twin=True)
    truth = run.anomaly_truth()
    assert (truth.first_tick, truth.last_tick, truth.instance, truth.size[2]) == (22, 26, 2, 1.76)
    assert twin.anomaly_truth() is None
    for frame, other in zip(run.frames(start=15), twin.frames(start=15), strict=True):
        if frame.tick < 22:
            assert contents(frame) == contents(other)
        else:
            assert frame.state.position[1].tobytes() != other.state.position[1].tobytes()
        visible = (frame.sensors.cameras["top"].image.label == Label.TEMPORAL_ANOMALY).any()
        assert visible == (22 <= frame.tick <= 26)
    assert check_run(run) == []


@pytest.mark.parametrize(
    "anomaly", [ContentAnomaly("cow", 40.0), TemporalAnomaly("sudden-braking", "vehicle.suv", lead_distance=9)]
)
def test_the_trace_of_the_ego_vehicle_is_that_of_its_states(anomaly):
    given = scenario(anomaly=anomaly, timing=Timing(15, 200, 1), weather="CLEAR_NOON")
    run = ScenarioRun(given)
    trace, states = run.ego_trace(), list(run.states())
    rows = [(each.speed[0], each.acceleration[0], *each.controls) for each in states[15:]]
    assert 10 < len(trace.rows) < 200
    assert trace.rows.tobytes() == np.array(rows[: len(trace.rows)]).tobytes()
    assert trace.discards == run.discards
    kinds = states[0].kind
    assert trace.pedestrians == kinds.count("pedestrian")
    assert trace.vehicles == len(kinds) - trace.pedestrians - isinstance(anomaly, ContentAnomaly)
    truth = run.anomaly_truth()
    last = 15 + len(trace.rows)
    assert last == truth.first_tick - 1 if not truth.hits else last < truth.hits[0].tick
    assert ScenarioRun(given, twin=True).ego_trace().rows.tobytes() == trace.rows.tobytes()


def test_objects_are_visible_and_unstable_ones_topple_over():
    pillar = ContentAnomaly("pillar", distance=30.0, lateral_offset=-2.5)
    run = ScenarioRun(scenario(anomaly=pillar, timing=Timing(5, 60, 30)), rig=TINY)
    states = list(run.states())
    assert states[0].size[-1, 2] > 3.9
    assert states[-1].size[-1, 2] < 1.0
    truth = run.anomaly_truth()
    assert (truth.name, truth.label, truth.first_tick, truth.last_tick) == ("pillar", Label.FALLING, 1, 65)
    assert truth.position[2] == 0.0
    assert check_run(run) == []
    actors = next(iter(ScenarioRun(run.scenario, rig=TINY, twin=True).states()))
    assert "pillar" not in actors.kind
    assert actors.position.tobytes() == states[0].position[:-1].tobytes()


def test_scenarios_that_contradict_their_town_are_named():
    town = make_town("small-town")
    house = next(place for place in town.places if place.kind == "building")
    inside = scenario(start=Place(house.x, house.y))
    with pytest.raises(InvalidSpawn, match="inside a building"):
        next(iter(ScenarioRun(inside, rig=TINY)))
    assert [each.entry for each in placement_violations(inside)] == ["start"]
    with pytest.raises(InvalidSpawn, match="off the road"):
        _ = ScenarioRun(scenario(start=Place(9000.0, 0.0)), rig=TINY).route
    here = town.graph.to_cartesian(0, 20.0)
    near = town.graph.to_cartesian(0, 40.0)
    short = {"start": Place(here.x, here.y, yaw=np.degrees(here.heading)), "end": Place(near.x, near.y)}
    far = scenario(**short | {"end": Place(near.x, near.y, yaw=np.degrees(near.heading))})
    with pytest.raises(NoRoute, match="20 m long"):
        _ = ScenarioRun(far.replace(anomaly=ContentAnomaly("cow", distance=80.0)), rig=TINY).route
    assert "105" in ScenarioRun(far, rig=TINY).validity[0]
    with pytest.raises(InvalidScenario, match=r"0\.1 s"):
        ScenarioRun(scenario(timing=Timing(tick=0.05)))


def test_routes_of_descriptions_are_driven():
    drawn = ScenarioRun(scenario(), rig=TINY).route
    points = tuple((float(x), float(y), 0.0) for x, y in drawn.waypoints[0][::5])
    run = ScenarioRun(scenario(seed=8, route=points), rig=TINY)
    assert run.route.lanes == drawn.lanes
    start = drawn.graph.to_cartesian(drawn.lanes[0], drawn.start)
    begun = ScenarioRun(scenario(seed=8, start=Place(start.x, start.y, yaw=np.degrees(start.heading))), rig=TINY)
    assert begun.route.lanes[0] == drawn.lanes[0]
    assert begun.validity == ()
