"""The camera of CAR-LaneKeep shows road, traffic and rain as they are, and reported states."""

import numpy as np
import pytest

import offnominal as off
from offnominal.agents import LaneFollower
from offnominal.sensing import Camera, Poses, render
from offnominal.worlds import make_world
from offnominal.worlds.road import highway_scene as parts
from offnominal.worlds.road import traffic, vehicle, view
from offnominal.worlds.road.highway import NODES
from offnominal.worlds.road.labels import Label

pytestmark = pytest.mark.long

WORLD = "CAR-LaneKeep-v0"


def driven(steps=0, n=1, seed=3):
    world = make_world(WORLD, n)
    world.reset(np.arange(n), seed + np.arange(n), np.zeros(n, np.int64))
    policy = LaneFollower()
    for _ in range(steps):
        world.step(policy.act(world.observations, None)[0])
    return world


def reported(world, **values):
    """Return the observations with some entries replaced."""
    seen = world.observations.copy()
    for index, value in {"heading": 3, "offset": 4, "gap": 5}.items():
        if index in values:
            seen[:, value] = values[index]
    return seen


def placed(world):
    """Return the poses of all instances of the first row."""
    positions, rotations = np.full((1, parts.COUNT, 3), np.nan), np.zeros((1, parts.COUNT, 3, 3))
    cameras = np.zeros((1, 4))
    view.place_rows(world._road, np.array(parts.RAILS), np.array(parts.HILLS), positions, rotations, cameras)
    return positions[0], rotations[0], cameras[0]


def test_images_have_any_size():
    world = driven(n=2)
    assert world.frames().shape == (2, 128, 128, 3)
    assert world.frames(size=256).shape == (2, 256, 256, 3)


def test_sky_is_blue_grass_is_green_and_the_road_is_grey():
    frame = driven(100).frames()[0].astype(int)
    sky, road = frame[10].mean(axis=0), frame[100, 55:70].mean(axis=0)
    assert sky[2] > sky[0] + 40
    assert np.ptp(road) < 15
    assert road.mean() < 120


def test_road_lies_below_the_camera_and_cars_stand_on_their_lanes():
    world = driven(60)
    positions, rotations, _ = placed(world)
    camera = Camera((view.AHEAD, 0.0, 1.5), (5.0, 0.0, 1.5), 96, 96, fov=90.0)
    seen = render(parts.highway_scene(0.0), camera, ("label", "depth"), poses=Poses(positions, rotations))
    assert (seen.label[60:, 48] == Label.ROAD).all()
    assert (seen.label[:30] == Label.SKY).mean() > 0.9
    assert seen.depth[95, 48] == pytest.approx(1.5, rel=0.05)
    for k in range(traffic.CARS):
        away = world._road.cars[0, k, traffic.POSITION] - world._road.states[0, vehicle.POSITION]
        if 0.0 < away < 60.0:
            sideways = (k // traffic.PER_LANE - world._road.lanes[0]) * 3.5
            x, y, _ = positions[parts.BODY + k]
            assert np.hypot(x, y) == pytest.approx(np.hypot(away, sideways), rel=0.05)


@pytest.mark.parametrize("bend", [1 / 500, -1 / 600])
def test_a_constant_curve_is_a_circle(bend):
    line = np.empty((parts.SEGMENTS + 1, 3))
    view.trace(np.full(NODES, bend), 100.0, 8, line)
    turned = view.heading_at(np.full(NODES, bend), 100.0)
    assert turned == pytest.approx(100.0 * bend)
    ahead = (8 + np.arange(len(line))) * parts.SEGMENT - 100.0
    angles = turned + bend * ahead
    circle = np.stack([np.sin(angles) - np.sin(turned), np.cos(turned) - np.cos(angles)], axis=1) / bend
    assert np.allclose(line[:, :2], circle, atol=0.04)
    assert np.allclose(line[:, 2], angles)


def test_the_direction_of_the_road_is_the_integral_of_its_curvature():
    world = driven()
    nodes = world._road.curvatures[0]
    for end in (10.0, 60.0, 333.3, 1500.0):
        s = np.linspace(0.0, end, 20_001)
        expected = np.trapezoid(np.interp(s, 60.0 * np.arange(NODES), nodes), s)
        assert view.heading_at(nodes, end) == pytest.approx(expected, abs=1e-6)


def test_reported_heading_distance_and_gap_move_what_the_camera_sees():
    world = driven(100)
    true = world.frames()
    assert np.array_equal(world.frames(observations=world.observations), true)
    for change in ({"heading": 0.2}, {"offset": 1.0}, {"gap": 6.0}):
        assert not np.array_equal(world.frames(observations=reported(world, **change)), true)
    near = world.frames(observations=reported(world, gap=3.0))[0].astype(int)
    assert np.abs(near - true[0].astype(int)).max(axis=2).sum() > 2000


def test_a_report_that_is_not_finite_shows_the_empty_ground():
    world = driven(50)
    empty = world.frames(observations=np.full_like(world.observations, np.nan))[0]
    assert np.ptp(empty[:60], axis=1).max() < 30
    assert empty[100].std(axis=0).max() < 30


def test_a_wrong_way_driver_and_rain_are_seen_and_vanish():
    world = driven(100)
    clear = world.frames()
    for name, value in (("ghost_driver", 15.0), ("heavy_rain", 80.0)):
        twin = driven(100)
        twin.set_physics_parameter(name, np.array([0]), np.array([value]))
        for _ in range(40):
            twin.step(np.zeros((1, 2)))
        world_now = driven(100)
        for _ in range(40):
            world_now.step(np.zeros((1, 2)))
        assert not np.array_equal(twin.frames(), world_now.frames()), name
        twin.set_physics_parameter(name, np.array([0]), np.array([0.0]))
        twin.reset(np.array([0]), np.array([3]), np.array([0]))
        for _ in range(100):
            twin.step(LaneFollower().act(twin.observations, None)[0])
        assert np.array_equal(twin.frames(), clear), name


def test_more_rain_hides_more():
    world = driven(100)
    dry = world.frames()[0].astype(float)
    distances = []
    for amount in (10.0, 50.0, 200.0):
        world.set_physics_parameter("heavy_rain", np.array([0]), np.array([amount]))
        distances.append(np.abs(world.frames()[0] - dry).mean())
    assert distances == sorted(distances)
    assert distances[0] > 2.0


def test_rows_with_different_rain_have_the_images_of_single_runs():
    together = driven(30, n=3)
    together.set_physics_parameter("heavy_rain", np.array([1]), np.array([60.0]))
    frames = together.frames()
    for row in range(3):
        alone = driven(30, n=1, seed=3 + row)
        alone.set_physics_parameter("heavy_rain", np.array([0]), np.array([60.0 if row == 1 else 0.0]))
        assert np.array_equal(alone.frames()[0], frames[row])


def test_brake_lights_are_seen():
    world = driven(80)
    k = traffic.PER_LANE * world._road.lanes[0]
    world._road.cars[0, k, traffic.POSITION] = world._road.states[0, vehicle.POSITION] + 10.0
    world._road.cars[0, k, traffic.ACCELERATION] = 0.0
    dark = world.frames(size=256)[0].astype(int)
    world._road.cars[0, k, traffic.ACCELERATION] = -3.0
    bright = world.frames(size=256)[0].astype(int)
    changed = np.abs(bright - dark).max(axis=2) > 20
    assert changed.sum() > 20
    assert (bright[changed][:, 0] > bright[changed][:, 2] + 60).mean() > 0.5


def test_frames_are_recorded_with_faults():
    fault = off.Fault("dynamics/heavy_rain", 100.0, 3)
    pairs = off.twins(WORLD, LaneFollower(), 1, faults=fault, max_steps=6, frames=True)
    nominal, faulty = pairs[0].nominal.extras["frames"], pairs[0].faulty.extras["frames"]
    same = [np.array_equal(a, b) for a, b in zip(nominal, faulty, strict=True)]
    assert same == [True, True, True, True, False, False, False]
