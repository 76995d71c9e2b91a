"""Each weather changes light, ground, images and lidars, and the same seed gives the same rain."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.worlds.road.example_block import example_block
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rain import measure_in_weather
from offnominal.worlds.road.rig_frame import record
from offnominal.worlds.road.rigs import rig
from offnominal.worlds.road.weather import WEATHERS, Weather, weather

pytestmark = pytest.mark.long

SMALL = replace(rig("mono"), width=96, height=64, channels=16, columns=180)
POSE = ((-60.0, -1.75, 0.0), 0.0)


@pytest.fixture(scope="module")
def block():
    return example_block()


@pytest.fixture(scope="module")
def frames(block):
    return {name: record(block, SMALL, *POSE, weather=each, seed=2) for name, each in WEATHERS.items()}


def test_there_are_14_weathers_with_the_published_parameters():
    assert len(WEATHERS) == len({each.name for each in WEATHERS.values()}) == 14
    assert sum("SUNSET" in name for name in WEATHERS) == 7
    hard = weather("HardRainSunset")
    assert (hard.cloudiness, hard.precipitation, hard.puddles, hard.wind, hard.sun_altitude, hard.fog) == (
        100, 100, 90, 100, 15, 7,
    )  # fmt: skip
    assert weather("WET_CLOUDYSUNSET").name == "WetCloudySunset"


def test_every_weather_gives_another_image(frames):
    images = [frame.cameras["top"].image.rgb.astype(int) for frame in frames.values()]
    apart = [np.abs(a - b).mean() for k, a in enumerate(images) for b in images[:k]]
    assert min(apart) > 0.3


def test_weather_leaves_depth_labels_and_instances_alone(frames):
    first, *others = (frame.cameras["top"].image for frame in frames.values())
    for name in ("depth", "label", "instance"):
        assert all(np.array_equal(getattr(first, name), getattr(other, name)) for other in others)


def test_sunset_is_darker_and_redder_than_noon(frames):
    images = [frames[name].cameras["top"].image for name in ("CLEAR_NOON", "CLEAR_SUNSET")]
    assert images[0].rgb.mean() > images[1].rgb.mean()
    noon, sunset = (image.rgb[image.label == Label.SKY].mean(axis=0) for image in images)
    assert sunset[0] / sunset[2] > 1.2 * noon[0] / noon[2]


def test_fog_hides_what_is_far_away(frames):
    def contrast(name):
        image = frames[name].cameras["top"].image
        far = (image.depth > 100.0) & np.isfinite(image.depth)
        return image.rgb[far].std()

    assert contrast("CLEAR_NOON") > 1.3 * contrast("HARD_RAIN_NOON")


def test_a_wet_road_reflects_what_stands_on_it(block):
    wet, scene = weather("WET_CLOUDY_NOON"), weather("WET_CLOUDY_NOON").apply(block)
    road = next(each for each in scene.instances if each.label == Label.ROAD)
    dry = next(each for each in block.instances if each.label == Label.ROAD)
    assert road.material.colour < dry.material.colour
    image = record(block, SMALL, *POSE, weather=wet).cameras["top"].image
    from offnominal.sensing import render

    plain = render(scene, SMALL.camera_at(SMALL.mounts[0], *POSE), ("rgb",)).rgb
    changed = np.abs(image.rgb.astype(int) - plain).max(axis=2) > 3
    assert changed[image.label == Label.ROAD].mean() > 0.3
    # Only the road reflects, and only the sky has clouds.
    assert not changed[~np.isin(image.label, (Label.ROAD, Label.ROAD_LINE, Label.SKY))].any()
    assert changed[image.label == Label.SKY].mean() > 0.3


def test_rain_follows_seed_and_step(block):
    rain = weather("MID_RAINY_NOON")

    def colours(seed, step):
        return record(block, SMALL, *POSE, weather=rain, seed=seed, step=step).cameras["top"].image.rgb

    assert np.array_equal(colours(1, 4), colours(1, 4))
    assert not np.array_equal(colours(1, 4), colours(1, 5))
    assert not np.array_equal(colours(1, 4), colours(2, 4))


def test_rain_shortens_and_disturbs_the_lidar(frames):
    clear, hard = (frames[name].lidars["top"] for name in ("CLEAR_NOON", "HARD_RAIN_NOON"))
    assert np.array_equal(clear.exact.ranges, hard.exact.ranges)
    assert clear.measured.returned.sum() == clear.exact.returned.sum()
    assert hard.measured.returned.sum() < 0.95 * clear.measured.returned.sum()
    near, far = (hard.exact.ranges < 15.0), (hard.exact.ranges > 50.0) & hard.exact.returned
    assert hard.measured.returned[far].mean() < hard.measured.returned[near].mean() - 0.2

    def error(lidar):
        both = lidar.measured.instance > 0
        return (lidar.measured.ranges[both] - lidar.exact.ranges[both]).std()

    assert error(clear) == pytest.approx(0.1, rel=0.1)
    assert error(hard) > 1.3 * error(clear)
    false = hard.measured.returned & (hard.measured.instance == 0)
    assert 0 < false.sum() < 0.03 * hard.measured.returned.size
    assert (hard.measured.label[false] == Label.UNLABELED).all()


def test_a_dry_noiseless_lidar_measures_exactly(frames):
    lidar = frames["CLEAR_NOON"].lidars["top"]
    again = measure_in_weather(lidar.exact, replace(lidar.lidar, noise=0.0), weather("CLEAR_NOON"))
    assert np.array_equal(again.ranges, lidar.exact.ranges)
    assert np.array_equal(again.label, lidar.exact.label)
    np.testing.assert_allclose(again.points, lidar.exact.points, atol=1e-3)


def test_bad_weather_is_named():
    with pytest.raises(UnknownName, match="Did you mean"):
        weather("CLEAR_NON")
    with pytest.raises(InvalidParameter, match="cloudiness"):
        Weather("x", 120, 0, 0, 0, 45, 0)
    with pytest.raises(InvalidParameter, match="sun_altitude"):
        Weather("x", 0, 0, 0, 0, -4, 0)
