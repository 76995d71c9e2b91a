"""Objects that vehicles hit: momentum, energy, rest on the ground, hits as events, and equal bytes."""

import numpy as np
import pytest

from offnominal.worlds.road.assets.catalogue import catalogue
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing
from offnominal.worlds.road.scenes import ScenarioRun
from offnominal.worlds.road.scenes.object_body import ObjectBody
from offnominal.worlds.road.scenes.object_motion import ObjectMotion
from offnominal.worlds.road.town import make_town
from offnominal.worlds.road.town.setup import draw_routes
from offnominal.worlds.road.town.snapshot import TICK_SECONDS
from offnominal.worlds.road.town.traffic_state import empty_vehicles
from offnominal.worlds.road.town.vehicle_kinds import EGO_KIND, KINDS

pytestmark = pytest.mark.long

ROUTE = next(draw_routes(make_town("grid").graph, 3))
CAR = KINDS[EGO_KIND]
TINY = Rig("tiny", (Mount("top", (0.0, 0.0, 1.8)),), width=48, height=32, channels=4, columns=32)


class Drive:
    """A car that drives straight at an object on flat ground."""

    def __init__(self, name, *, speed=10.0, offset=0.0, yaw=90.0, away=20.0, height=0.0, ground=0.0):
        anomaly = ContentAnomaly(name, distance=80.0, lateral_offset=offset, yaw=yaw, height=height)
        self.motion = ObjectMotion(anomaly, ROUTE)
        self.body = ObjectBody(self.motion, lambda x, y: ground)
        self.cars = empty_vehicles(1)
        self.cars.size[0], self.cars.kind[0], self.cars.speed[0] = CAR.size, EGO_KIND, speed
        heading = self.motion.lane_heading
        self.ahead = np.array([np.cos(heading), np.sin(heading)])
        left = np.array([-self.ahead[1], self.ahead[0]])
        start = np.array(self.motion.standing.position[:2]) - offset * left - away * self.ahead
        self.cars.pose[0] = *start, *self.ahead
        self.tick = 20

    def step(self, *, coast=True):
        before = self.cars.pose.copy()
        self.cars.pose[0, :2] += self.ahead * self.cars.speed[0] * TICK_SECONDS
        self.tick += 1
        pose = self.body.step(self.tick, 40 if self.motion.is_unstable else 0, before, self.cars)
        if not coast:
            self.cars.speed[0] = 0.0
        return pose

    def until_hit(self):
        while not self.body.hits:
            before = float(self.cars.speed[0])
            self.step()
        return before, self.body.hits[0]


@pytest.mark.parametrize(("name", "least", "most"), [("cow", 1.5, 3.5), ("cardboard_box", 0.0, 0.1), ("boulder", 5, 8)])
def test_the_object_gets_the_momentum_that_the_car_loses(name, least, most):
    drive = Drive(name, ground=-100.0)
    speed, hit = drive.until_hit()
    mass = catalogue()[name].mass
    assert (hit.tick, hit.vehicle, hit.speed) == (drive.tick, 1, speed)
    assert least <= hit.slowdown <= most
    moved = mass * float((drive.body._body[3:5] * drive.ahead).sum())
    # The air takes a little of it.
    assert moved == pytest.approx(CAR.mass * hit.slowdown, abs=8.0)
    energy = 0.5 * mass * float((drive.body._body[3:5] ** 2).sum()) + 0.5 * CAR.mass * float(drive.cars.speed[0]) ** 2
    assert energy < 0.5 * CAR.mass * speed**2
    assert drive.cars.acceleration[0] == pytest.approx(-hit.slowdown / TICK_SECONDS)


def test_an_object_beside_the_way_of_the_car_is_not_hit():
    drive = Drive("cow", offset=3.0, yaw=0.0)
    first = drive.step()
    for _ in range(60):
        assert drive.step().position == first.position
    assert drive.body.hits == []
    assert drive.cars.speed[0] == 10.0


def test_what_is_lower_than_the_car_or_above_it_is_not_hit():
    for drive in (Drive("rat", yaw=0.0), Drive("hot_air_balloon", height=8.0)):
        for _ in range(60):
            drive.step()
        assert drive.body.hits == []


def test_legs_are_swept_from_under_a_cow_and_it_comes_to_rest_on_its_side():
    drive = Drive("cow", offset=0.3)
    drive.until_hit()
    poses = [drive.step(coast=False) for _ in range(60)]
    assert max(pose.size[2] for pose in poses[:2]) > 1.2
    assert poses[-1].size[2] < 0.9
    assert poses[-1].position == poses[-2].position, "it is at rest"
    assert abs(poses[-1].bottom) < 0.1
    assert drive.body.speed < 0.05
    up = poses[-1].rotation[2, 2]
    assert abs(up) < 0.4


def test_the_front_deflects_objects_to_the_side_on_which_they_are():
    for side in (-0.6, 0.6):
        drive = Drive("wooden_crate", offset=side, yaw=0.0)
        drive.until_hit()
        for _ in range(40):
            drive.step()
        left = np.array([-drive.ahead[1], drive.ahead[0]])
        moved = (np.array(drive.body.pose.centre) - np.array(drive.motion.standing.centre)) @ left
        assert moved * side > 0.1


def test_a_car_that_still_touches_the_object_has_one_hit():
    drive = Drive("boulder", speed=4.0)
    drive.until_hit()
    for _ in range(30):
        drive.cars.speed[0] += 0.2
        drive.step()
    assert len(drive.body.hits) == 1


@pytest.mark.slow
def test_no_object_flies_away_sinks_or_trembles():
    draws = np.random.default_rng(0)
    for name, entry in catalogue().items():
        offset, yaw, speed = draws.uniform((-1.0, 0.0, 4.0), (1.0, 360.0, 20.0))
        drive = Drive(name, offset=-2.6 if entry.placement == "unstable" else offset, yaw=yaw, speed=speed)
        fastest = 0.0
        for k in range(400):
            pose = drive.step(coast=k < 120)
            if drive.body.is_free:
                state = drive.body._body
                assert np.isfinite(state).all()
                fastest = max(fastest, float(np.sqrt((state[3:6] ** 2).sum())))
                assert pose.bottom < 4.0, name
        assert fastest < 1.6 * speed, name
        if entry.size not in ("huge",):
            assert pose.bottom > -0.35, name
        assert drive.body.speed < 0.1, name


def scenario(**changes):
    given = {"town": "rural", "weather": "CLEAR_NOON", "seed": 7, "vehicles": 5, "pedestrians": 5}
    given |= {"timing": Timing(15, 100, 20), "anomaly": ContentAnomaly("cow", 60.0, lateral_offset=0.3, yaw=90.0)}
    return Scenario("one", **{**given, **changes})


def test_until_the_hit_a_scene_equals_its_twin_and_then_the_car_is_slower():
    run, twin = ScenarioRun(scenario(), rig=TINY), ScenarioRun(scenario(), rig=TINY, twin=True)
    states, others = list(run.states()), list(twin.states())
    (hit,) = run.anomaly_truth().hits
    assert hit.vehicle == 1
    for state, other in zip(states, others, strict=True):
        n = len(other.kind)
        same = state.position[:n].tobytes() == other.position.tobytes() and state.controls == other.controls
        assert same == (state.tick < hit.tick)
    after = states[hit.tick - 1]
    assert after.speed[0] == pytest.approx(hit.speed - hit.slowdown)
    assert after.acceleration[0] < -10.0
    assert after.controls[2] < 0.5, "the car does not brake"
    assert after.speed[-1] == hit.object_speed > 3.0
    assert after.label[-1] == Label.ANIMAL


def test_an_avoiding_ego_hits_nothing():
    run = ScenarioRun(scenario(ego="avoiding"), rig=TINY)
    last = list(run.states())[-1]
    assert run.anomaly_truth().hits == ()
    assert last.speed[0] < 5.0


def test_the_place_in_the_truth_is_that_before_the_hit():
    run = ScenarioRun(scenario(), rig=TINY)
    states = list(run.states())
    truth = run.anomaly_truth()
    assert truth.position[:2] == pytest.approx(states[50].position[-1])
    assert truth.position[:2] != pytest.approx(states[-1].position[-1], abs=1.0)


def test_a_hit_has_the_same_bytes_again():
    made = [list(ScenarioRun(scenario(), rig=TINY)) for _ in range(2)]
    for one, other in zip(*made, strict=True):
        assert one.state.position.tobytes() == other.state.position.tobytes()
        assert one.sensors.cameras["top"].image.rgb.tobytes() == other.sensors.cameras["top"].image.rgb.tobytes()


def test_a_normal_scenario_is_prepared_like_the_one_with_the_object():
    cow = scenario()
    prepared = cow.replace(anomaly=None, prepared_for=cow.anomaly)
    twin = [state.position.tobytes() for state in ScenarioRun(cow, rig=TINY, twin=True).states()]
    run = ScenarioRun(prepared, rig=TINY)
    assert [state.position.tobytes() for state in run.states()] == twin
    assert run.anomaly_truth() is None
    assert (prepared.type, prepared.setting) == ("normal", "content")
