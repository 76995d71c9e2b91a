"""The faults of a camera, one by one."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest

from offnominal.anomalies import (
    CameraAnomaly,
    Drop,
    EnvironmentInfo,
    Fault,
    Injection,
    Occlusion,
    Schedule,
    camera_anomalies,
    make_anomaly,
)
from offnominal.anomalies.camera import STUCK
from offnominal.core.errors import InvalidChannels, InvalidParameter, UnsupportedEnvironment

pytestmark = pytest.mark.long

SETTING = EnvironmentInfo((), (), limit=100, has_images=True)
SIZE = 32


def film(length, seed=1, rows=1):
    """Pictures (length, rows, H, W, 3) that are all different."""
    return np.random.default_rng(seed).integers(0, 256, (length, rows, SIZE, SIZE, 3), dtype=np.uint8)


def shown(film, faults, seeds=(0,), rows=None):
    """Return the frames with faults applied, one tuple of faults per row."""
    injection = Injection(faults, SETTING)
    rows = np.arange(len(faults)) if rows is None else np.array(rows)
    injection.begin(rows, np.array(seeds), np.zeros(len(rows), np.int64))
    seen = [injection.apply_camera_faults(film[0], rows)]
    for frames in film[1:]:
        injection.act(np.zeros((len(faults), 0)), rows)
        injection.observe(np.zeros((len(faults), 0)), rows)
        seen.append(injection.apply_camera_faults(frames, rows))
    return np.array(seen)


def under(anomaly, strength, length=8, onset=2, seed=0, **schedule):
    """A film, and what one camera with one fault makes of it."""
    given = film(length)
    return given[:, 0], shown(given, [(Fault(anomaly, strength, Schedule(onset=onset, **schedule)),)], (seed,))[:, 0]


def indices(given, seen):
    """Which picture of the film each shown one is; None for none of them."""
    return [next((i for i, frame in enumerate(given) if np.array_equal(frame, each)), None) for each in seen]


@pytest.mark.parametrize("id", camera_anomalies())
def test_it_acts_from_its_onset_to_its_end(id):
    given, seen = under(id, make_anomaly(id).typical if id != "camera/drop" else 1.0, onset=2, duration=3)  # type: ignore[attr-defined]
    changed = [not np.array_equal(*pair) for pair in zip(given, seen, strict=True)]
    assert changed == [False, False, False, True, True, True, False, False]


@pytest.mark.parametrize("id", camera_anomalies())
def test_it_does_nothing_at_its_neutral_strength(id):
    given, seen = under(id, make_anomaly(id).neutral)
    assert np.array_equal(given, seen)


@pytest.mark.parametrize("id", camera_anomalies())
def test_it_never_changes_the_images_it_is_given(id):
    given = film(5)
    before = given.copy()
    shown(given, [(Fault(id, make_anomaly(id).typical, 0),)])  # type: ignore[attr-defined]
    assert np.array_equal(given, before)


@pytest.mark.parametrize("id", camera_anomalies())
def test_rows_do_not_depend_on_each_other(id):
    strength = make_anomaly(id).typical  # type: ignore[attr-defined]
    given = film(9, rows=3)
    faults = [(Fault(id, strength, 1),), (), (Fault(id, strength, 4),)]
    together = shown(given, faults, (5, 6, 7))
    assert np.array_equal(together[:, 1], given[:, 1])
    for row, seed in ((0, 5), (2, 7)):
        alone = shown(given[:, [row]], [faults[row]], (seed,))
        assert np.array_equal(together[:, row], alone[:, 0])


@pytest.mark.parametrize(
    "id", [f"camera/{kind}" for kind in ("noise", "dead_pixels", "dead_rows", "occlusion", "drop")]
)
def test_chance_goes_with_the_seed(id):
    strength = make_anomaly(id).typical  # type: ignore[attr-defined]
    (_, first), (_, again), (_, other) = (under(id, strength, length=30, seed=seed) for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_noise_is_as_strong_as_said_and_new_each_step():
    grey = np.full((6, 1, 128, 128, 3), 128, np.uint8)
    noise = shown(grey, [(Fault("camera/noise", 12.0, 0),)])[1:, 0].astype(float) - 128
    assert noise.mean() == pytest.approx(0.0, abs=0.1)
    assert noise.std() == pytest.approx(12.0, rel=0.01)
    flat = noise.reshape(len(noise), -1)
    assert np.abs(np.corrcoef(flat) - np.eye(len(flat))).max() < 0.03
    assert abs(np.corrcoef(flat[0, :-1], flat[0, 1:])[0, 1]) < 0.03


def test_dead_pixels_are_stuck_in_place_and_as_many_as_said():
    given, seen = under("camera/dead_pixels", 0.1, onset=0)
    dead = (seen[1:] != given[1:]).any(axis=-1).any(axis=0)
    assert dead.sum() == round(0.1 * SIZE * SIZE)
    assert (seen[1:, dead] == seen[1, dead]).all()
    assert {tuple(colour) for colour in seen[1, dead].tolist()} == {tuple(colour) for colour in STUCK.tolist()}


def test_more_dead_pixels_are_added_to_the_old_ones():
    white = np.full((6, 1, SIZE, SIZE, 3), 77, np.uint8)
    seen = shown(white, [(Fault("camera/dead_pixels", 0.2, Schedule(onset=0, ramp=4)),)])[:, 0]
    dead = [(frame != 77).any(axis=-1) for frame in seen]
    assert [int(mask.sum()) for mask in dead] == [0, 51, 102, 154, 205, 205]
    for fewer, more in pairwise(dead):
        assert (more | ~fewer).all()


def test_dead_rows_are_black_or_white_in_all_columns_and_as_many_as_said():
    given, seen = under("camera/dead_rows", 0.25, onset=0)
    dead = (seen[1:] != given[1:]).any(axis=(0, 2, 3))
    assert dead.sum() == round(0.25 * SIZE)
    assert {tuple(np.unique(row)) for row in seen[1, dead]} == {(0,), (255,)}
    assert (seen[1:, dead] == seen[1, dead]).all()
    assert np.array_equal(seen[1:, ~dead], given[1:, ~dead])


def test_more_dead_rows_are_added_to_the_old_ones():
    grey = np.full((6, 1, SIZE, SIZE, 3), 77, np.uint8)
    seen = shown(grey, [(Fault("camera/dead_rows", 0.5, Schedule(onset=0, ramp=4)),)])[:, 0]
    dead = [(frame != 77).all(axis=(1, 2)) for frame in seen]
    assert [int(rows.sum()) for rows in dead] == [0, 4, 8, 12, 16, 16]
    for fewer, more in pairwise(dead):
        assert (more | ~fewer).all()


def test_compression_loses_more_at_a_larger_factor_and_the_same_each_time():
    given = np.repeat(film(1), 5, axis=0)
    losses = []
    for factor in (0.1, 1.0, 5.0, 50.0):
        seen = shown(given, [(Fault("camera/compression", factor, 0),)])[1:, 0]
        assert (seen == seen[0]).all()
        losses.append(np.abs(seen[0].astype(int) - given[0, 0]).mean())
    assert losses == sorted(losses)
    assert losses[-1] > 1.3 * losses[0]


def test_the_patch_hides_what_it_says_and_grows_around_its_place():
    given, seen = under("camera/occlusion", 0.5, onset=0, ramp=4)
    hidden = [(frame == Occlusion().grey).all(axis=-1) for frame in seen]
    sides = [(mask.any(axis=1).sum(), mask.any(axis=0).sum()) for mask in hidden[1:5]]
    assert sides == [(4, 4), (8, 8), (12, 12), (16, 16)]
    for smaller, larger in pairwise(hidden[1:]):
        assert (larger | ~smaller).all()
    assert np.array_equal(seen[5][~hidden[5]], given[5][~hidden[5]])


def test_a_whole_patch_hides_everything_in_the_grey_asked_for():
    _, seen = under(Occlusion(grey=7), 1.0, onset=0)
    assert (seen[1:] == 7).all()


@pytest.mark.parametrize(
    ("b", "expected"),
    [
        (1, [0, 1, 2, 2, 4, 4, 6, 6, 8, 8]),
        (3, [0, 1, 2, 2, 2, 2, 6, 6, 6, 6]),
        (1000, [0, 1, 2, 2, 2, 2, 2, 2, 2, 2]),
    ],
)
def test_a_frozen_camera_renews_its_image_rarely(b, expected):
    assert indices(*under("camera/frozen", b, length=10)) == expected


def test_a_camera_that_hangs_now_and_then_catches_up_in_between():
    assert indices(*under("camera/frozen", 100, length=10, onset=1, period=4)) == [0, 1, 1, 1, 4, 5, 5, 5, 8, 9]


@pytest.mark.parametrize(
    ("d", "expected"), [(1, [0, 1, 2, 2, 3, 4, 5]), (4, [0, 1, 2, 0, 0, 1, 2]), (99, [0, 1, 2] + [0] * 4)]
)
def test_delay_shows_what_was_before_the_onset_too(d, expected):
    assert indices(*under("camera/delay", d, length=7)) == expected


def test_a_delay_can_grow():
    assert indices(*under("camera/delay", 3, length=8, onset=2, ramp=3)) == [0, 1, 2, 2, 2, 2, 3, 4]


def test_dropped_images_are_black_or_the_last_one_and_as_many_as_said():
    given = film(400)
    black = shown(given, [(Fault("camera/drop", 0.3, 0),)])[:, 0]
    lost = ~black.any(axis=(1, 2, 3))
    assert 0.2 < lost.mean() < 0.4
    last = shown(given, [(Fault(Drop(show="last"), 0.3, 0),)])[:, 0]
    kept = np.maximum.accumulate(np.where(lost, 0, np.arange(len(lost))))
    assert indices(given[:40, 0], last[:40]) == kept[:40].tolist()


def test_several_faults_act_in_the_order_given():
    given = film(4)
    dark, patch = Fault("camera/exposure", -2.0, 0), Fault(Occlusion(grey=200), 0.5, 0)
    first, second = (shown(given, [faults])[1, 0] for faults in ((dark, patch), (patch, dark)))
    assert first.max() == 200
    assert second.max() < 66


def test_a_new_episode_forgets_the_images_of_the_last():
    given = film(3)
    injection = Injection([(Fault("camera/frozen", 50, 0),)], SETTING)
    row = np.zeros(1, np.int64)
    for episode in range(2):
        injection.begin(row, row, row + episode)
        injection.apply_camera_faults(given[episode], row)
        injection.act(np.zeros((1, 0)), row)
        injection.observe(np.zeros((1, 0)), row)
        assert np.array_equal(injection.apply_camera_faults(given[2], row), given[episode])


def test_without_a_fault_of_the_camera_images_pass_untouched():
    injection = Injection([()], SETTING)
    frames = film(1)[0]
    assert not injection.uses_images
    assert injection.apply_camera_faults(frames, np.zeros(1, np.int64)) is frames


def test_events_and_labels_are_recorded():
    injection = Injection([(Fault("camera/noise", 8.0, Schedule(onset=1, duration=2)),)], SETTING)
    row = np.zeros(1, np.int64)
    injection.begin(row, row, row)
    (event,) = injection.events(0)
    assert (event.anomaly, event.parameter, event.onset, event.end, event.channels) == ("camera/noise", 8.0, 1, 3, ())
    labels = []
    for _ in range(4):
        injection.act(np.zeros((1, 0)), row)
        injection.observe(np.zeros((1, 0)), row)
        labels.append((bool(injection.active[0]), float(injection.applied[0, 0])))
    assert labels == [(False, 0.0), (True, 8.0), (True, 8.0), (False, 0.0)]


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (Fault("camera/blur", 1.0, 0, channels=[0]), InvalidChannels, "has no channels"),
        (Fault("camera/blur", "medium", 0), InvalidParameter, "has no strength 'medium'.* such as 2"),
    ],
)
def test_what_a_camera_has_not_is_refused(fault, error, message):
    with pytest.raises(error, match=message):
        Injection([(fault,)], SETTING)


def test_an_environment_without_images_says_how_to_get_some():
    with pytest.raises(UnsupportedEnvironment, match="has none; pass observation='image'"):
        Injection([(Fault("camera/blur", 1.0, 0),)], EnvironmentInfo(("x",), ("a",)))


@pytest.mark.parametrize(
    ("id", "strength"),
    [
        ("drop", 1.1),
        ("drop", -0.1),
        ("occlusion", 2),
        ("dead_pixels", 1.5),
        ("dead_rows", 1.5),
        ("compression", -0.1),
        ("compression", 50.5),
        ("blur", -1),
        ("delay", 0.5),
        ("frozen", -1),
    ],
)
def test_a_strength_outside_its_range_is_refused(id, strength):
    with pytest.raises(InvalidParameter, match=f"camera/{id} is .*; expected"):
        Fault(f"camera/{id}", strength)


@pytest.mark.parametrize("options", [{"grey": 256}, {"grey": -1}, {"grey": 1.5}, {"grey": True}])
def test_a_grey_that_is_none_is_refused(options):
    with pytest.raises(InvalidParameter, match="whole number from 0 to 255"):
        Occlusion(**options)


def test_an_unknown_way_to_lose_a_image_is_refused():
    with pytest.raises(InvalidParameter, match="choose 'black' or 'last'"):
        Drop(show="white")


@pytest.mark.parametrize(
    "frames", [np.zeros((1, 8, 8, 3)), np.zeros((2, 8, 8, 3), np.uint8), np.zeros((1, 8, 8), np.uint8)]
)
def test_images_of_another_shape_or_type_are_refused(frames):
    injection = Injection([(Fault("camera/blur", 1.0, 0),)], SETTING)
    with pytest.raises(InvalidParameter, match=r"expected uint8 of \(1, H, W, 3\)"):
        injection.apply_camera_faults(frames, np.zeros(1, np.int64))


@dataclass(frozen=True)
class Careless(CameraAnomaly):
    """One that returns, or does, what it is told to."""

    deed: str = ""
    kind: ClassVar[str] = "careless"

    def perturb(self, frame, parameter, context):
        if self.deed == "overwrite":
            frame[:] = 0
        return {"float": frame / 255, "crop": frame[1:], "mirror": frame[:, ::-1]}[self.deed]


def test_an_anomaly_of_a_user_gets_and_returns_images():
    given, seen = under(Careless("mirror"), 1.0)
    assert np.array_equal(seen[3:], given[3:, :, ::-1])


@pytest.mark.parametrize("deed", ["float", "crop"])
def test_one_that_returns_no_such_image_is_told(deed):
    with pytest.raises(InvalidParameter, match=r"camera/careless returned .* uint8 of shape \(32, 32, 3\)"):
        under(Careless(deed), 1.0)


def test_one_that_writes_into_what_it_is_given_is_stopped():
    with pytest.raises(ValueError, match="read-only"):
        under(Careless("overwrite"), 1.0)
