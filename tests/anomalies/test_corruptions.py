"""The four corruptions, one by one."""

import numpy as np
import pytest
from scipy.stats import truncnorm

from offnominal.anomalies import (
    Corruption,
    EnvironmentInfo,
    Fault,
    FaultContext,
    Impulse,
    Injection,
    Schedule,
    make_anomaly,
)
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream

KINDS = ("gaussian", "impulse", "motion_blur", "pixelate")
DRAWN = KINDS[:3]
SHAPES = [(210, 160), (32, 32), (33, 47), (128, 128)]


def image(height=210, width=160, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def context(step=0, seed=0, lane=0):
    return FaultContext(step, 0, lane, Stream.named(seed, 0, "anomaly"), {})


def corrupt(kind, severity, frame, **when):
    return make_anomaly(f"camera/{kind}").perturb(frame, float(severity), context(**when))  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", KINDS)
def test_severity_zero_returns_the_image_unchanged(kind):
    frame = image()
    assert corrupt(kind, 0, frame) is frame


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_images_of_any_shape_are_corrupted(kind, shape):
    frame = image(*shape)
    before = frame.copy()
    for severity in (1, 5):
        shown = corrupt(kind, severity, frame)
        assert shown.shape == frame.shape
        assert shown.dtype == np.uint8
        assert not np.array_equal(shown, frame)
    assert np.array_equal(frame, before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_greater_severity_changes_more(kind):
    frame = np.full((210, 160, 3), 60, np.uint8)
    frame[::8] = 200
    change = [np.abs(corrupt(kind, s, frame).astype(int) - frame).mean() for s in range(6)]
    if kind == "pixelate":
        assert min(change[1:]) > change[0]
    else:
        assert change == sorted(change)
        assert len(set(change)) == 6


@pytest.mark.parametrize("kind", DRAWN)
def test_random_numbers_depend_on_the_seed_and_the_step(kind):
    frame = image()
    first = corrupt(kind, 3, frame, step=4)
    assert np.array_equal(first, corrupt(kind, 3, frame, step=4))
    for other in ({"step": 5}, {"step": 4, "seed": 1}, {"step": 4, "lane": 1}):
        assert not np.array_equal(first, corrupt(kind, 3, frame, **other))


def test_pixelate_draws_nothing():
    frame = image()
    assert np.array_equal(corrupt("pixelate", 3, frame, step=1), corrupt("pixelate", 3, frame, step=2, seed=9))


@pytest.mark.parametrize(("severity", "sigma"), list(enumerate((0.08, 0.12, 0.18, 0.26, 0.38), 1)))
def test_gaussian_noise_has_the_printed_spread(severity, sigma):
    grey = np.full((210, 160, 3), 128, np.uint8)
    noisy = corrupt("gaussian", severity, grey) / 255
    inside = (noisy > 0.0) & (noisy < 1.0)
    edge = 0.5 / sigma
    # A normal distribution cut off at half the range on both sides.
    assert noisy[inside].std() == pytest.approx(sigma * truncnorm(-edge, edge).std(), rel=0.02)
    assert noisy.mean() == pytest.approx(0.5, abs=0.005)


def test_gaussian_noise_is_rounded_down():
    grey = np.full((210, 160, 3), 128, np.uint8)
    noise = corrupt("gaussian", 1, grey).astype(float) - 128
    assert noise.mean() == pytest.approx(-0.5, abs=0.2)


@pytest.mark.parametrize(("severity", "share"), list(enumerate((0.03, 0.06, 0.09, 0.17, 0.27), 1)))
def test_impulses_change_the_published_share_half_white_half_black(severity, share):
    grey = np.full((210, 160, 3), 100, np.uint8)
    struck = corrupt("impulse", severity, grey)
    assert set(np.unique(struck)) == {0, 100, 255}
    assert np.mean(struck != 100) == pytest.approx(share, rel=0.05)
    assert np.mean(struck[struck != 100] == 255) == pytest.approx(0.5, abs=0.03)


def test_impulses_change_colours_one_by_one_or_pixels_as_a_whole():
    grey = np.full((210, 160, 3), 100, np.uint8)
    by_byte, by_pixel = (Impulse(by=by).perturb(grey, 4.0, context()) != 100 for by in ("byte", "pixel"))
    assert (by_byte.any(axis=2) & ~by_byte.all(axis=2)).any()
    assert np.array_equal(by_pixel.any(axis=2), by_pixel.all(axis=2))
    assert by_pixel.mean() == pytest.approx(0.17, rel=0.06)


def test_impulses_change_bytes_or_pixels_and_nothing_else():
    with pytest.raises(InvalidParameter, match="by is 'row'; choose 'byte' or 'pixel'"):
        Impulse(by="row")


def test_motion_blur_does_not_change_a_uniform_image():
    white = np.full((64, 48, 3), 255, np.uint8)
    assert np.array_equal(corrupt("motion_blur", 1, white), white)


def test_the_direction_of_motion_blur_differs_between_images():
    point = np.zeros((64, 64, 3), np.uint8)
    point[32, 50] = 255
    slopes = set()
    for step in range(40):
        rows = np.flatnonzero(corrupt("motion_blur", 2, point, step=step)[..., 0].any(axis=1))
        slopes.add(-(32 - rows.min()) if rows.min() < 32 else rows.max() - 32)
    assert min(slopes) < 0 < max(slopes)


@pytest.mark.parametrize(
    ("strength", "problem"), [(6, "at most 5"), (-1, "at least 0"), (2.5, "whole number"), ("medium", "Give a number")]
)
def test_there_are_five_severities(strength, problem):
    with pytest.raises(InvalidParameter, match=problem):
        Injection([(Fault("camera/pixelate", strength, 0),)], EnvironmentInfo((), (), limit=9, has_images=True))


def test_a_growing_fault_passes_through_the_severities():
    frame = image(32, 32)
    injection = Injection(
        [(Fault("camera/pixelate", 5, Schedule(onset=0, ramp=5)),)], EnvironmentInfo((), (), limit=9, has_images=True)
    )
    row = np.zeros(1, np.int64)
    injection.begin(row, row, row)
    injection.apply_camera_faults(frame[None], row)
    for severity in range(1, 6):
        injection.act(np.zeros((1, 0)), row)
        injection.observe(np.zeros((1, 0)), row)
        assert np.array_equal(injection.apply_camera_faults(frame[None], row)[0], corrupt("pixelate", severity, frame))


@pytest.mark.parametrize("kind", KINDS)
def test_each_has_five_settings(kind):
    anomaly = make_anomaly(f"camera/{kind}")
    assert isinstance(anomaly, Corruption)
    assert len(anomaly.settings) == 5
