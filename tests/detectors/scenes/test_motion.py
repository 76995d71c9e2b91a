"""Motion notices a car ahead that brakes, and surfaces are measured exactly."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.detectors.scenes import Motion, SceneObservation
from offnominal.detectors.scenes.surfaces import closing_speeds, medians, surfaces
from offnominal.laws import street_scene
from offnominal.laws.street_scenes import CAR_ID, STREET_RIG

pytestmark = pytest.mark.long

RIG = replace(STREET_RIG, width=192, height=128, channels=2, columns=8)


@pytest.fixture(scope="module")
def drives():
    normal = [street_scene(6, seed=seed, rig=RIG) for seed in (3, 4)]
    return normal, street_scene(8, seed=10, braking_from=4, rig=RIG)


def on_the_car(frames, scores):
    return [
        float(np.median(each.cameras["top"][frame.sensors.cameras["top"].image.instance == CAR_ID]))
        for frame, each in zip(frames, scores, strict=True)
    ]


def test_a_braking_car_has_a_high_score_that_lasts_while_it_stands(drives):
    normal, braking = drives
    detector = Motion().fit(normal)
    found = on_the_car(braking, detector.score(braking))
    assert max(found[:4]) < 0.5
    assert min(found[4:]) > 1.0
    assert max(each.cameras["top"].max() for each in detector.score(normal[0])) < 0.5


def test_nothing_is_subtracted_while_a_car_stands(drives):
    normal, braking = drives
    detector = Motion().fit(normal)
    detector.usual_ = 3.0
    found = on_the_car(braking, detector.score(braking))
    assert 1.0 < found[-2] <= found[-1]


def test_speeds_of_surfaces_are_those_of_the_simulation(drives):
    _, braking = drives
    before, now = (SceneObservation.of(frame).cameras["top"] for frame in braking[1:3])
    speeds = closing_speeds(now, before, 0.4)
    image = braking[2].sensors.cameras["top"].image
    assert np.nanmedian(speeds[image.instance == CAR_ID]) == pytest.approx(8.0, abs=0.1)
    assert np.nanmedian(np.abs(speeds[image.label == 3])) < 0.3


def test_a_long_pause_starts_again(drives):
    normal, braking = drives
    detector = Motion(max_seconds=0.3).fit(normal)
    assert max(each.flat().max() for each in detector.score(braking)) == 0.0


def test_pixels_on_the_road_belong_to_no_surface():
    depth = np.array([[9.0, 9.0, np.inf], [9.0, 9.0, 9.0]])
    found, n = surfaces(depth, np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]))
    assert found.tolist() == [[0, 0, -1], [-1, -1, 1]]
    assert n == 2


def test_medians_of_groups_are_those_of_numpy():
    draw = np.random.default_rng(0)
    values, group = draw.normal(size=501), draw.integers(-1, 5, 501)
    found = medians(values, group, 6)
    for k in range(5):
        assert found[k] == np.sort(values[group == k])[(group == k).sum() // 2]
    assert np.isnan(found[5])
