"""Where an anomaly is visible: the same frames as in rendered images, and the shares of presets."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.worlds.road.rigs import Mount, Rig
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, TemporalAnomaly, Timing
from offnominal.worlds.road.scenes import ScenarioRun, measure_visibility, visible_frames
from offnominal.worlds.road.weather import WEATHERS

pytestmark = pytest.mark.long

RIG = Rig(
    "two", (Mount("top", (0.0, 0.0, 1.8)), Mount("rear", (-1.5, 0.0, 1.0), 180.0)), width=96, height=64, channels=16,
    columns=256,
)  # fmt: skip
BASE = {"town": "rural", "weather": "CLEAR_NOON", "seed": 7, "vehicles": 20, "pedestrians": 5}
OBJECT = Scenario("cow", **BASE, anomaly=ContentAnomaly("cow", 60.0), timing=Timing(15, 200, 10))
TINY = OBJECT.replace(anomaly=ContentAnomaly("cup", 60.0, lateral_offset=1.5))
BRAKING = OBJECT.replace(
    anomaly=TemporalAnomaly("sudden-braking", "vehicle.suv", lead_distance=9), timing=Timing(130, 60, 10)
)


@pytest.mark.parametrize("scenario", [OBJECT, TINY, BRAKING], ids=["object", "tiny", "braking"])
def test_visibility_is_that_of_rendered_frames(scenario):
    run = ScenarioRun(scenario, rig=RIG)
    found = list(visible_frames(run))
    cameras, lidars = set(), set()
    for frame, each in zip(run, found, strict=True):
        anomalous = frame.state.instance[frame.state.anomalous]
        images = [camera.image.instance for camera in frame.sensors.cameras.values()]
        clouds = [lidar.exact.instance for lidar in frame.sensors.lidars.values()]
        assert each.number == frame.number
        assert each.camera == any(bool(np.isin(image, anomalous).any()) for image in images)
        assert each.lidar == any(bool(np.isin(cloud, anomalous).any()) for cloud in clouds)
        cameras.add(each.camera)
        lidars.add(each.lidar)
    assert len(cameras) == 2 or scenario is OBJECT
    assert len(lidars) == 2


def test_a_reflection_in_a_wet_road_shows_an_object_that_no_pixel_hits():
    vacuum = ContentAnomaly("vacuum_cleaner", 67.0, lateral_offset=0.86, yaw=-156.6, placement="lane", height=2.0)
    wet = BASE | {"town": "residential", "weather": "SOFT_RAIN_NOON", "seed": 6243567459549296, "vehicles": 5}
    scenario = Scenario("wet", **wet, anomaly=vacuum, timing=Timing(15, 200, 1))
    rig = Rig("front", RIG.cameras[:1], width=96, height=64, channels=16, columns=256)
    faulty, nominal = (ScenarioRun(scenario, rig=rig, twin=twin) for twin in (False, True))
    direct, indirect = (list(visible_frames(faulty, numbers=[40, 60], indirectly=each)) for each in (False, True))
    assert [each.camera for each in direct] == [False, False]
    assert [each.camera for each in indirect] == [False, True]
    images = [
        [each.sensors.cameras["top"].image.rgb for each in run.frames(numbers=[40, 60])] for run in (faulty, nominal)
    ]
    assert [np.array_equal(*pair) for pair in zip(*images, strict=True)] == [True, False]


def test_a_shadow_shows_an_object_that_is_above_the_image():
    airliner = ContentAnomaly("airliner", 65.0, placement="air", height=25.0)
    dry = BASE | {"seed": 3, "vehicles": 2, "pedestrians": 2}
    scenario = Scenario("dry", **dry, anomaly=airliner, timing=Timing(15, 200, 10))
    rig = Rig("front", RIG.cameras[:1], width=96, height=64, channels=16, columns=256)
    faulty, nominal = (ScenarioRun(scenario, rig=rig, twin=twin) for twin in (False, True))
    numbers = [5, 6, 10]
    direct, indirect = (list(visible_frames(faulty, numbers=numbers, indirectly=each)) for each in (False, True))
    assert not any(each.camera or each.lidar for each in direct)
    assert [each.camera for each in indirect] == [True, True, False]
    # There is no water on the road, so that it is not a reflection; the images are darker than those of the twin.
    assert WEATHERS[scenario.weather].wetness == 0.0
    for shown, *pair in zip(indirect, faulty.frames(numbers=numbers), nominal.frames(numbers=numbers), strict=True):
        seen, twin = (each.sensors.cameras["top"].image for each in pair)
        assert np.array_equal(seen.instance, twin.instance)
        assert (seen.rgb <= twin.rgb).all()
        assert np.array_equal(seen.rgb, twin.rgb) != shown.camera


def test_scenarios_that_are_none_are_named():
    with pytest.raises(InvalidParameter, match="an entry of scenarios is 3; expected an instance of Scenario"):
        measure_visibility(each for each in [3])


def test_shares_are_means_over_scenes_with_intervals():
    normal = OBJECT.replace(id="normal", anomaly=None)
    camera, lidar = measure_visibility([OBJECT, normal, TINY.replace(id="cup")], every=4)
    assert [(each.type, each.sensor, each.scenes) for each in (camera, lidar)] == [
        ("content", "camera", 2),
        ("content", "lidar", 2),
    ]
    assert (camera.published, lidar.published) == (0.148, 0.748)
    for each in (camera, lidar):
        assert 0.0 <= each.low <= each.share <= each.high <= 1.0
    alone = measure_visibility([OBJECT], every=4)
    assert (alone[0].low, alone[0].high) == (0.0, 1.0)
    with pytest.raises(InvalidParameter, match="no scenario"):
        measure_visibility([normal])
