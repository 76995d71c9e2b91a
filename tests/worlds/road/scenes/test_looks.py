"""Looks: the plain one is the default, everything in the detailed one is normal, and traffic is the same."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.datasets.scenes import open_scenes, record_scenes
from offnominal.sensing import Box, Camera, Instance, Light, Material, Plane, Scene, render
from offnominal.worlds.road.assets.clutter import LITTER, litter
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, Timing
from offnominal.worlds.road.scenes import Look, ScenarioRun, look
from offnominal.worlds.road.scenes.clutter import LANE_CLEAR, clutter
from offnominal.worlds.road.scenes.details import street_details
from offnominal.worlds.road.town import make_town
from offnominal.worlds.road.weather import Weather
from offnominal.worlds.road.wet_ground import add_reflections

pytestmark = pytest.mark.long

RIG = Rig("small", (Mount("top", (0.0, 0.0, 1.8)),), width=120, height=80, channels=16, columns=256)
SCENARIO = Scenario(
    "short", "small-town", "CLEAR_NOON", seed=3, vehicles=5, pedestrians=5, anomaly=ContentAnomaly("cow", 65.0),
    timing=Timing(15, 40, 20),
)  # fmt: skip


@pytest.fixture(scope="module")
def frames():
    return {
        name: list(ScenarioRun(SCENARIO, rig=RIG, **({} if name == "default" else {"look": name})))
        for name in ("default", "plain", "detailed")
    }


def image_of(frame):
    return frame.sensors.cameras["top"].image


def test_the_plain_look_is_the_default(frames):
    for one, other in zip(frames["default"], frames["plain"], strict=True):
        assert image_of(one).rgb.tobytes() == image_of(other).rgb.tobytes()
        assert image_of(one).label.tobytes() == image_of(other).label.tobytes()


def test_a_look_changes_images_and_not_the_traffic(frames):
    for one, other in zip(frames["plain"], frames["detailed"], strict=True):
        assert np.array_equal(one.state.position, other.state.position)
        assert np.array_equal(one.state.label, other.state.label)
        assert (image_of(one).rgb != image_of(other).rgb).any(axis=2).mean() > 0.3


def test_the_bonnet_of_the_ego_vehicle_is_at_the_lower_edge(frames):
    for frame in frames["detailed"]:
        bonnet = image_of(frame).label == Label.EGO_VEHICLE
        assert bonnet[-1, RIG.width // 2]
        assert 0.02 < bonnet.mean() < 0.25
        assert not bonnet[: RIG.height // 2].any()
    assert not any((image_of(frame).label == Label.EGO_VEHICLE).any() for frame in frames["plain"])


def test_the_ego_vehicle_dives_when_it_brakes_and_its_sensors_agree(frames):
    tilts = []
    for frame in frames["detailed"]:
        camera, cloud = frame.sensors.cameras["top"].camera, frame.sensors.lidars["top"].exact
        ahead = np.subtract(camera.target, camera.position) / 10.0
        tilts.append(ahead[2])
        road = cloud.points[cloud.label == Label.ROAD]
        assert np.abs(road[:, 2]).max() < 1e-5
        # Points of the lidar are on the same surfaces in the tilted image.
        back = cloud.returned
        column, row, depth = camera.project(cloud.points[back].astype(np.float64))
        inside = (depth > 0.5) & (column >= 0) & (column < RIG.width) & (row >= 0) & (row < RIG.height)
        labels = image_of(frame).label[row[inside].astype(int), column[inside].astype(int)]
        assert (labels == cloud.label[back][inside]).mean() > 0.9
    assert any(abs(tilt) > 1e-4 for tilt in tilts)
    assert all(frame.sensors.cameras["top"].camera.up == (0.0, 0.0, 1.0) for frame in frames["plain"])


@pytest.mark.parametrize("name", ["small-town", "residential"])
def test_clutter_is_normal_and_off_the_lanes(name):
    town = make_town(name)
    paved = name == "small-town"
    found = clutter(town, street_details(town, paved=paved), paved=paved)
    labels = {part.label for each in found for part in each.asset.parts}
    assert labels == {Label.CAR, Label.STATIC, Label.DYNAMIC}
    cars = [each for each in found if each.asset.parts[0].label == Label.CAR]
    assert len(cars) >= 10
    for each in cars:
        assert abs(town.graph.to_lane(each.x, each.y).d) >= LANE_CLEAR
        assert town.building_at(each.x, each.y, 0.9) is None
    gaps = [np.hypot(a.x - b.x, a.y - b.y) for k, a in enumerate(cars) for b in cars[:k]]
    assert min(gaps) > 5.0
    again = clutter(town, street_details(town, paved=paved), paved=paved)
    assert [(each.x, each.y, each.yaw) for each in again] == [(each.x, each.y, each.yaw) for each in found]


@pytest.mark.parametrize("kind", LITTER)
def test_litter_passes_under_cars(kind):
    assert litter(1, kind=kind).size[2] < 0.15


@pytest.mark.parametrize("texture", ["asphalt", "worn"])
def test_detailed_surfaces_fade_to_the_same_brightness(texture):
    paint = Material((0.4, 0.4, 0.4), (0.3, 0.3, 0.3), texture)
    scene = Scene((Instance(Plane(), material=paint),), light=Light(shadows=False))
    near, far = (
        render(scene, Camera((0.0, 0.0, height), (0.1, 0.0, 0.0), 128, 128, 40.0)).rgb[..., 0].astype(float)
        for height in (6.0, 400.0)
    )
    # Far away a pixel is wider than grain, cracks and worn spots, and only stains are left.
    steps = [np.abs(np.diff(image, axis=1)).mean() for image in (near, far)]
    assert steps[0] > steps[1]
    assert abs(near.mean() - far.mean()) < 0.15 * far.mean()


def test_a_rough_road_reflects_less_sharply():
    wet = Weather("wet", 0.0, 60.0, 0.0, 0.0, 45.0, 0.0)
    ground = Instance(Plane(), label=int(Label.ROAD), material=Material((0.1, 0.1, 0.1)))
    wall = Instance(Box((0.5, 40.0, 1.0)), (20.0, 0.0, 1.0), label=int(Label.WALL), material=Material((0.1, 0.1, 0.1)))
    scene = wet.apply(Scene((ground, wall)))
    camera = Camera((0.0, 0.0, 1.8), (10.0, 0.0, 1.8), 120, 120, 67.0)
    sharpest = []
    for roughness in (0.0, 0.1):
        image = render(scene, camera, ("rgb", "depth", "label"))
        dry = image.rgb.copy()
        add_reflections(scene, camera, image, wet, roughness=roughness)
        assert np.array_equal(image.rgb[image.label != Label.ROAD], dry[image.label != Label.ROAD])
        added = (image.rgb.astype(float) - dry).mean(axis=(1, 2))
        # The upper edge of the dark wall before the sky, mirrored; the mean over columns is without grain.
        sharpest.append(np.abs(np.diff(added[72:115])).max())
    assert sharpest[1] < 0.6 * sharpest[0]


def test_the_layout_of_anovox_refuses_a_vehicle_that_tilts(tmp_path):
    with pytest.raises(InvalidParameter, match="no entry for the pitch and roll of the vehicle in frame 0"):
        record_scenes(
            [SCENARIO], tmp_path / "set", layout="published", rig=RIG, source=partial(ScenarioRun, look="detailed")
        )


@pytest.mark.parametrize("name", ["plain", "detailed"])
def test_recorded_scenes_keep_the_look(frames, tmp_path, name):
    record_scenes([SCENARIO], tmp_path / "set", rig=RIG, source=partial(ScenarioRun, look=name))
    scene = open_scenes(tmp_path / "set")[0]
    assert scene.look == look(name)
    assert ('"look"' in (scene.folder / "scene.json").read_text()) == (name == "detailed")
    for read, frame in zip(scene, frames[name], strict=True):
        assert read.sensors.cameras["top"].camera == frame.sensors.cameras["top"].camera
        assert np.array_equal(image_of(read).rgb, image_of(frame).rgb)


def test_looks_are_named():
    assert look("detailed").replace(name="mine", clutter=False) == replace(look("detailed"), name="mine", clutter=False)
    with pytest.raises(UnknownName, match=r"no look named 'detailled'\. Did you mean 'detailed'"):
        ScenarioRun(SCENARIO, look="detailled")
    with pytest.raises(InvalidParameter, match="look 'mine': roughness is 2"):
        Look("mine", roughness=2.0)
