"""Scenarios run on a CARLA server, as far as a strict stand-in of its client package can tell."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, MissingDependency
from offnominal.datasets.scenes import open_scenes, record_scenes
from offnominal.worlds.road.carla import (
    CarlaError,
    CarlaRun,
    CarlaTimeout,
    CarlaUnreachable,
    CarlaVersionMismatch,
    NotOnServer,
)
from offnominal.worlds.road.carla.connection import carla_module
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenarios import (
    ContentAnomaly,
    InvalidScenario,
    Place,
    Scenario,
    TemporalAnomaly,
    Timing,
)
from offnominal.worlds.road.town import NoRoute

from . import fake_actors, fake_geometry
from . import fake_carla as stand_in
from .fake_carla import fake_carla

pytestmark = pytest.mark.long

RIG = Rig("tiny", (Mount("top", (0.0, 0.0, 1.8)),), width=128, height=64, channels=8, columns=36)
NORMAL = Scenario(
    "one", "Town05", "CLEAR_NOON", seed=3, vehicles=12, pedestrians=4,
    start=Place(50.0, 0.0), end=Place(400.0, 0.0), timing=Timing(3, 4, record_every=2),
)  # fmt: skip
BARREL = NORMAL.replace(vehicles=40, anomaly=ContentAnomaly("oil_barrel", 20.0, lateral_offset=1.0, yaw=30.0))
BRAKING = NORMAL.replace(
    vehicles=4,
    pedestrians=2,
    anomaly=TemporalAnomaly("sudden-braking", "vehicle.sedan", lead_distance=12, ticks=(5, 8)),
    timing=Timing(3, 8),
)


@pytest.fixture
def carla(monkeypatch):
    fake = fake_carla()
    monkeypatch.setitem(sys.modules, "carla", fake.module)
    return fake.server


def run(scenario, **options):
    return CarlaRun(scenario, rig=RIG, timeout=5.0, **options)


@pytest.fixture(scope="module")
def recorded():
    """Frames, run and server of a scenario with an object."""
    fake = fake_carla()
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "carla", fake.module)
        made = run(BARREL)
        return list(made), made, fake.server


def test_frames_have_the_types_and_numbers_of_a_scenario(recorded):
    frames, made, _ = recorded
    assert [(frame.number, frame.tick, frame.state.tick) for frame in frames] == [(0, 5, 5), (1, 7, 7)]
    assert len(made) == 2
    assert (made.town.name, made.town.published) == ("grid", "Town05")
    image = frames[0].sensors.cameras["top"].image
    assert [array.dtype for array in (image.rgb, image.depth, image.label, image.instance)] == [
        np.uint8, np.float32, np.int32, np.int32,
    ]  # fmt: skip
    assert image.rgb.shape == (64, 128, 3)
    cloud = frames[0].sensors.lidars["top"].measured
    assert cloud.points.shape == (8, 36, 3)


def test_frames_are_stored_and_read_back(recorded, tmp_path):
    frames, _, _ = recorded
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "carla", fake_carla().module)
        record_scenes([BARREL], tmp_path / "set", rig=RIG, source=CarlaRun)
    (scene,) = open_scenes(tmp_path / "set")
    assert scene.truth.name == "oil_barrel"
    for frame, read in zip(frames, scene, strict=True):
        camera, lidar = frame.sensors.cameras["top"], frame.sensors.lidars["top"]
        assert read.sensors.cameras["top"].camera == camera.camera
        np.testing.assert_array_equal(read.sensors.cameras["top"].image.label, camera.image.label)
        back = lidar.exact.returned
        np.testing.assert_allclose(read.sensors.lidars["top"].exact.points[back], lidar.exact.points[back], atol=2e-3)


def test_sensors_are_matched_by_the_number_of_the_frame(recorded):
    frames, _, server = recorded
    sent = [frame.sensors.cameras["top"].image.rgb[0, 0, 2] for frame in frames]
    assert sent == [(server.first_frame + frame.tick) % 256 for frame in frames]


def test_one_turn_of_a_lidar_is_a_frame(recorded):
    lidar = recorded[0][0].sensors.lidars["top"]
    assert lidar.exact.returned[-1].all()
    ground = lidar.exact.label == Label.ROAD
    np.testing.assert_allclose(lidar.exact.points[ground][:, 2], 0.0, atol=1e-3)
    away = lidar.measured.ranges[ground] / lidar.exact.ranges[ground]
    np.testing.assert_allclose(away, 1.0 + 0.001 * RIG.lidar_noise, rtol=1e-5)
    assert (lidar.measured.label == lidar.exact.label).all()
    azimuth = np.degrees(np.arctan2(*(lidar.exact.points[-1, :, 1::-1] - np.array(lidar.lidar.position)[1::-1]).T))
    expected = np.degrees(np.arctan2(lidar.lidar.azimuths[:, 0], lidar.lidar.azimuths[:, 1]))
    assert np.abs((azimuth - expected + 180.0) % 360.0 - 180.0).max() < 5.01


def test_what_is_left_of_the_ego_vehicle_has_positive_y_and_is_in_the_left_half(recorded):
    for frame in recorded[0]:
        state, x = frame.state, frame.position[0]
        ahead = state.position[:, 0] - x
        cars = [k for k in range(1, len(ahead)) if 8.0 < ahead[k] < 60.0 and state.label[k] in (14, 19)]
        oncoming = [k for k in cars if state.position[k, 1] > 2.0]
        people = [k for k in range(len(ahead)) if state.label[k] == Label.PEDESTRIAN and ahead[k] > 6.0]
        assert oncoming
        assert people
        np.testing.assert_allclose(state.position[oncoming, 1], 8.0, atol=1e-6)
        np.testing.assert_allclose(np.abs(np.degrees(state.heading[oncoming])), 180.0)
        np.testing.assert_allclose(state.position[people, 1], -5.0, atol=1e-6)
        shot, cloud = frame.sensors.cameras["top"], frame.sensors.lidars["top"].exact
        for group, side in ((oncoming, 1.0), (people, -1.0)):
            columns = np.nonzero(np.isin(shot.image.instance, state.instance[group]))[1]
            assert len(columns)
            assert (side * (columns - 63.5) < 0.0).all()
            points = cloud.points[np.isin(cloud.instance, state.instance[group])]
            assert (side * points[:, 1] > 0.0).all()
        seen = state.instance[oncoming][np.isin(state.instance[oncoming], shot.image.instance)][0]
        at = np.append(state.position[seen - 1], 0.7)[None]
        column, row, depth = (float(part[0]) for part in shot.camera.project(at))
        assert shot.image.instance[int(row), int(column)] == seen
        assert shot.image.depth[int(row), int(column)] == pytest.approx(depth, abs=0.2)


def test_poses_on_a_road_across(carla):
    alone = BARREL.replace(start=Place(214.0, -20.0), end=Place(214.0, -200.0), vehicles=0, pedestrians=0)
    frame = list(run(alone))[-1]
    assert frame.yaw == pytest.approx(-90.0)
    assert frame.position == pytest.approx((214.0, -20.0, 0.0), abs=2.0)
    np.testing.assert_allclose(frame.state.position[-1], (215.0, -40.0), atol=1e-3)
    assert np.degrees(frame.state.heading).tolist() == pytest.approx([-90.0, -60.0])
    shot, lidar = frame.sensors.cameras["top"], frame.sensors.lidars["top"]
    assert shot.camera.position == pytest.approx((frame.position[0], frame.position[1], 1.8))
    column, row, depth = (float(part[0]) for part in shot.camera.project(np.array([[215.0, -40.0, 0.6]])))
    assert column < 64.0
    assert shot.image.instance[int(row), int(column)] == 2
    assert shot.image.depth[int(row), int(column)] == pytest.approx(depth, abs=0.2)
    np.testing.assert_allclose(lidar.lidar.rotation, [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], atol=1e-6)
    points = lidar.exact.points[lidar.exact.returned]
    assert np.abs(points[:, 2]).max() < 1.3


def test_object_has_its_place_label_and_truth(recorded):
    frames, made, _ = recorded
    state = frames[-1].state
    assert state.kind[-1] == "oil_barrel"
    assert state.label[-1] == Label.SPECIAL
    assert state.anomalous.tolist() == [False] * (len(state.kind) - 1) + [True]
    np.testing.assert_allclose(state.position[-1], (70.0, 1.0), atol=1e-6)
    assert np.degrees(state.heading[-1]) == pytest.approx(30.0)
    image = frames[-1].sensors.cameras["top"].image
    assert (image.label[image.instance == state.instance[-1]] == Label.SPECIAL).all()
    assert np.count_nonzero(image.label == Label.SPECIAL) > 0
    cloud = frames[-1].sensors.lidars["top"].exact
    assert set(cloud.label[cloud.instance == state.instance[-1]]) <= {int(Label.SPECIAL)}
    truth = made.anomaly_truth()
    assert (truth.name, truth.first_tick, truth.last_tick, truth.distance) == ("oil_barrel", 1, 7, 20.0)
    assert truth.size == pytest.approx((0.8, 0.8, 1.2))
    assert made.discards == ()


def test_state_of_the_ego_vehicle(recorded):
    frame = recorded[0][-1]
    state = frame.state
    assert state.label[0] == Label.EGO_VEHICLE
    assert state.speed[0] > 0.5
    assert state.controls == (0.5, -0.25, 0.0)
    assert state.size[0].tolist() == pytest.approx([4.8, 1.8, 1.4])
    assert frame.position == pytest.approx((*state.position[0], 0.0))
    assert frame.yaw == 0.0
    assert state.lights.tolist() == [1, 1]


def test_server_is_left_as_it_was(carla):
    for each in run(NORMAL):
        assert carla.settings.synchronous_mode
        assert carla.settings.fixed_delta_seconds == 0.1
        assert carla.traffic.synchronous
        # Seven sensors, and one controller for each pedestrian.
        assert len(carla.world.actors) == len(each.state.kind) + 7 + each.state.kind.count("pedestrian")
    check_restored(carla)


def check_restored(carla):
    assert carla.settings == type(carla.settings)()
    assert not carla.traffic.synchronous
    assert carla.world.actors == {}
    assert not any(light.frozen for light in carla.world.lights)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"fails_after": 4}, CarlaTimeout, "did not simulate a tick in time"),
        ({"mute": ".depth"}, CarlaTimeout, "the sensor 'top: depth' sent nothing for frame 1005"),
        ({"mute": "ray_cast"}, CarlaTimeout, "the sensor 'top: measured'"),
    ],
)
def test_server_is_left_as_it_was_after_an_error(carla, change, error, message):
    for name, value in change.items():
        setattr(carla, name, value)
    with pytest.raises(error, match=message):
        list(CarlaRun(NORMAL, rig=RIG, timeout=0.2))
    check_restored(carla)


def test_server_is_left_as_it_was_when_the_consumer_stops(carla):
    frames = iter(run(NORMAL))
    next(frames)
    assert carla.settings.synchronous_mode
    frames.close()
    check_restored(carla)


@pytest.mark.parametrize("iterate", [CarlaRun.frames, CarlaRun.states])
def test_server_is_left_as_it_was_even_where_inner_iterators_stay_alive(carla, monkeypatch, iterate):
    # As in Python 3.12 to 3.12.3, where a closed generator keeps its own iterators.
    ticks, alive = CarlaRun._ticks, []

    def kept(self, rig):
        alive.append(ticks(self, rig))
        return alive[-1]

    monkeypatch.setattr(CarlaRun, "_ticks", kept)
    made = iterate(run(NORMAL))
    next(made)
    assert carla.settings.synchronous_mode
    made.close()
    check_restored(carla)


def test_server_is_left_as_it_was_when_an_actor_cannot_be_placed(carla):
    del carla.library["sensor.camera.depth"]
    with pytest.raises(NotOnServer, match=r"blueprint 'sensor\.camera\.depth'"):
        list(run(NORMAL))
    check_restored(carla)


def test_the_same_scenario_gives_the_same_calls(carla):
    made = run(BRAKING)
    list(made)
    first = list(carla.calls)
    carla.calls.clear()
    list(made)
    assert carla.calls == first
    carla.calls.clear()
    list(run(BRAKING.replace(seed=4)))
    assert carla.calls != first


def test_lead_car_brakes_in_its_ticks(carla):
    frames = {frame.tick: frame.state for frame in run(BRAKING)}
    assert [tick for tick, state in frames.items() if state.is_anomalous] == [5, 6, 7, 8]
    assert [int(state.label[1]) for state in frames.values()] == [114, 100, 100, 100, 100, 114, 114, 114]
    assert frames[4].acceleration[1] > 0.0
    for tick in (5, 6, 7):
        assert frames[tick].acceleration[1] < -0.1 or frames[tick].speed[1] == 0.0
    assert frames[8].acceleration[1] > 0.0
    assert frames[4].position[1, 0] - frames[4].position[0, 0] == pytest.approx(12.0, abs=1.5)
    truth = run(BRAKING).anomaly_truth()
    assert (truth.name, truth.label, truth.instance, truth.first_tick, truth.last_tick) == (
        "sudden-braking", Label.TEMPORAL_ANOMALY, 2, 5, 8,
    )  # fmt: skip


def test_twin_has_no_anomaly(carla):
    made = run(BRAKING, twin=True)
    assert not any(state.is_anomalous for state in made.states())
    assert made.anomaly_truth() is None
    assert [len(state.kind) for state in run(BARREL, twin=True).states()][-1] == len(recorded_kinds(carla)) - 1


def recorded_kinds(carla):
    return list(run(BARREL).states())[-1].kind


def test_frames_from_one_on(carla):
    frames = list(run(NORMAL).frames(start=1))
    assert [frame.number for frame in frames] == [1]


def test_ego_vehicle_is_blind_to_the_object_or_stops_before_it(carla):
    long = BARREL.replace(timing=Timing(2, 118, record_every=118), vehicles=0, pedestrians=0)
    assert list(run(long).states())[-1].speed[0] > 5.0
    last = list(run(long.replace(ego="avoiding")).states())[-1]
    gap = last.position[1, 0] - last.position[0, 0]
    assert last.speed[0] < 0.5
    assert 4.0 < gap < 12.0


def test_collision_with_the_object_is_a_hit_in_the_truth(carla):
    class Barrel:
        type_id = "static.prop"

        @property
        def id(self):
            return next(each.id for each in carla.world.actors.values() if each.type_id.startswith(self.type_id))

    assert run(BARREL).anomaly_truth().hits == ()
    carla.collisions = [Barrel()]
    (hit,) = run(BARREL).anomaly_truth().hits
    assert hit.tick in (1, 2)
    assert hit.vehicle == 1


def test_lights_before_the_ego_vehicle_are_green(carla):
    states = list(run(NORMAL.replace(start=Place(170.0, 0.0), end=Place(400.0, 0.0))).states())
    assert states[-1].lights.tolist() == [2, 0]
    check_restored(carla)


def test_vehicles_avoid_the_road_of_the_object(carla):
    scenario = BARREL.replace(anomaly=ContentAnomaly("oil_barrel", 190.0), timing=Timing(2, 30, record_every=30))
    last = list(run(scenario).states())[-1]
    agents = [k for k, label in enumerate(last.label) if label in (114, 119)]
    assert agents
    rerouted = {id: paths[-1] for id, paths in carla.traffic.paths.items() if paths[-1][-1].x == 214.0}
    assert len(rerouted) == len(agents)


def test_discards_are_the_published_ones(carla):
    carla.collisions = [type("Hit", (), {"type_id": "walker.pedestrian.0001"})()]
    assert run(NORMAL).discards == ("the ego vehicle hits a pedestrian",)


def test_routes_are_drawn_among_the_spawn_points(carla):
    open_scenario = NORMAL.replace(start=None, end=None)
    routes = [run(open_scenario.replace(seed=seed)).route for seed in range(4)]
    for route in routes:
        assert route.problems == ()
        steps = np.sqrt((np.diff(route.points, axis=0) ** 2).sum(axis=1))
        np.testing.assert_allclose(steps, 1.0, atol=0.5)
    assert len({route.points.tobytes() for route in routes}) > 1


def test_given_places_and_routes_are_used(carla):
    route = run(NORMAL).route
    np.testing.assert_allclose(route.points[[0, -1], 0], (50.0, 400.0), atol=1.0)
    given = tuple((float(x), 0.0, 0.0) for x in range(60, 180))
    assert run(NORMAL.replace(start=None, end=None, route=given)).route.points[:, 0].tolist() == list(range(60, 180))
    with pytest.raises(NotOnServer, match="other layouts"):
        _ = run(NORMAL.replace(start=Place(50.0, 60.0))).route
    with pytest.raises(NoRoute, match="no route"):
        _ = run(NORMAL.replace(end=Place(100.0, 8.0))).route


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"reachable": False}, CarlaUnreachable, "no CARLA server answers at 127.0.0.1:2000"),
        ({"version": "0.9.13"}, CarlaVersionMismatch, "version 0.9.13; expected one of 0.9.14, 0.9.15, 0.9.16"),
        ({"version": "0.9.14-dirty"}, CarlaVersionMismatch, "pip install carla==0.9.14"),
        ({"maps": ["/Game/Carla/Maps/Town01"]}, NotOnServer, "no map Town05; it has Town01"),
    ],
)
def test_a_server_that_does_not_fit_is_a_named_error(carla, change, error, message):
    for name, value in change.items():
        setattr(carla, name, value)
    with pytest.raises(error, match=message) as caught:
        list(run(NORMAL))
    assert isinstance(caught.value, CarlaError)


def test_a_build_of_the_same_version_is_accepted(carla):
    carla.version = carla.client_version = "0.9.14-12-gabc"
    assert run(NORMAL).route.length > 300


def test_missing_package_is_a_named_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "carla", None)
    with pytest.raises(MissingDependency, match=r"pip install carla==0\.9\.16"):
        carla_module()


def test_objects_and_anomalies_that_the_server_lacks_are_named_errors(carla):
    with pytest.raises(NotOnServer, match=r"static\.prop\.o_cow_animal"):
        list(run(NORMAL.replace(anomaly=ContentAnomaly("cow", 20.0))))
    check_restored(carla)
    scenario = NORMAL.replace(anomaly=ContentAnomaly("cow", 20.0), vehicles=0, pedestrians=0)
    states = list(run(scenario, objects={"cow": "static.prop.barrel"}).states())
    assert states[-1].label[-1] == Label.ANIMAL
    with pytest.raises(InvalidScenario, match="does not have the temporal anomaly 'cut-in'"):
        run(NORMAL.replace(anomaly=TemporalAnomaly("cut-in", "vehicle.sedan")))


def test_stand_in_has_only_names_of_the_package():
    carla = pytest.importorskip("carla")
    own = {"array", "move", "world_pose", "settings", "server", *vars(list)}
    for module in (fake_actors, stand_in, fake_geometry):
        kinds = [each for each in vars(module).values() if isinstance(each, type) and hasattr(carla, each.__name__)]
        for kind in kinds:
            names = {name for each in kind.__mro__ for name in vars(each) if not name.startswith("_")} - own
            assert [name for name in sorted(names) if not hasattr(getattr(carla, kind.__name__), name)] == []


def test_published_objects_come_first(carla):
    carla.library["static.prop.o_oil_barrel_special"] = ({"role_name": ""}, 32, (0.5, 0.5, 0.5))
    states = list(run(BARREL.replace(vehicles=0, pedestrians=0)).states())
    assert states[-1].size[-1].tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("model", [{"camera_model": "dashcam"}, {"lidar_model": "spinning"}])
def test_models_of_sensors_are_those_of_the_server(model):
    with pytest.raises(InvalidParameter, match="on CARLA sensors are those of the server"):
        CarlaRun(NORMAL, rig=replace(RIG, **model))
