"""The two ways of counting frames in which an anomaly is visible."""

import numpy as np
import pytest

from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenes.visibility import visible_shares
from offnominal.worlds.road.scenes.visibility_counting import (
    LABELS,
    PUBLISHED,
    PUBLISHED_FRAMES,
    VisibleFrames,
    clear_frames,
    counted_shares,
    pooled_share,
    published_once,
)


def clear_as_in_the_notebook(scene):
    """The loop of the public notebook for a scene with one camera, written out."""
    visible, clear = 0, 0
    for label in LABELS:
        visible += scene.camera if label is scene.label else 0
        clear += scene.frames - visible
    return clear


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("camera", [0, 7, 200])
def test_frames_of_one_camera_are_counted_once_per_label(label, camera):
    scene = VisibleFrames(label, 1, 200, camera, 150)
    assert clear_frames(scene) == clear_as_in_the_notebook(scene)
    assert clear_frames(VisibleFrames(label, 2, 200, camera, 150)) == 200 - camera


def test_road_users_have_one_label_and_are_counted_once():
    assert clear_frames(VisibleFrames(Label.TEMPORAL_ANOMALY, 1, 200, 31, 31)) == 169


def test_published_shares_are_those_of_the_published_counts():
    for k, (visible, clear) in enumerate(zip(*PUBLISHED_FRAMES.values(), strict=True)):
        assert round(visible / (visible + clear), 3) == PUBLISHED["content"][k]
    assert published_once()[0] > 0.55


def test_the_mean_of_scenes_counts_each_frame_once_and_the_public_code_does_not():
    scenes = [VisibleFrames(Label.HOME, 1, 200, 100, 150), VisibleFrames(Label.SPECIAL, 2, 200, 120, 170)]
    camera, lidar = visible_shares({"content": scenes})
    assert (camera.share, lidar.share) == pytest.approx((0.55, 0.8))
    assert camera.counted == pytest.approx(220 / (100 + 600 + 200))
    assert lidar.counted == lidar.share
    assert camera.counted_low <= camera.counted <= camera.counted_high


def test_a_single_scene_has_no_interval():
    counts = counted_shares([VisibleFrames(Label.HOME, 1, 10, 5, 5)])
    assert pooled_share(counts[:, 1]) == (0.5, 0.0, 1.0)
    assert np.array_equal(counts[:, 0], [[5.0, 35.0]])
