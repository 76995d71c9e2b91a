"""Clips show the colours of the world, the state, the fault and the score, and fit a limit."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from offnominal.agents import expert
from offnominal.anomalies import Fault
from offnominal.core.errors import InaccessibleFile, InvalidParameter
from offnominal.core.types import Array
from offnominal.detectors import make_detector
from offnominal.reports import clip_bytes, write_clip, write_gallery
from offnominal.reports.clip import clip_frames, limited_clip
from offnominal.reports.clip_layout import EDGE, GREY, HEADER, RED, ClipSide, compose
from offnominal.rollouts import collect

pytestmark = pytest.mark.long

image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

WORLDS = ("MJC-CartpoleSwingup-v0", "MJC-HalfCheetah-v0", "MJC-Reacher3D-v0", "OOD-CartPole-v0", "SAP-Goal0-v0")
WORLD, STEPS, SIZE = "SAP-Goal0-v0", 6, 96


def shown(path: Path | BytesIO) -> Iterator[Array]:
    """Return the frames of a clip as they are seen."""
    clip = image.open(path)
    for number in range(clip.n_frames):
        clip.seek(number)
        yield np.asarray(clip.convert("RGB")).astype(int)


@pytest.mark.parametrize("world", WORLDS)
def test_a_gif_keeps_the_colours_of_small_objects(world: str, tmp_path: Path) -> None:
    policy: Any = expert(world)
    write_clip(tmp_path / "clip.gif", world, policy, steps=STEPS, size=SIZE)
    frames = clip_frames(world, policy, steps=STEPS, size=SIZE)
    for frame, seen in zip(frames, shown(tmp_path / "clip.gif"), strict=True):
        assert np.abs(frame.astype(int) - seen).max() <= 56


def test_a_gif_of_noise_keeps_the_colour_of_its_border(tmp_path: Path) -> None:
    fault = Fault("camera/noise", 60.0, 1)
    write_clip(tmp_path / "clip.gif", WORLD, expert(WORLD), fault, steps=3, size=SIZE)
    *_, last = shown(tmp_path / "clip.gif")
    assert tuple(last[-1, -1]) == RED


def test_a_colour_is_the_same_in_every_frame(tmp_path: Path) -> None:
    policy = expert("MJC-Reacher3D-v0")
    write_clip(tmp_path / "clip.gif", "MJC-Reacher3D-v0", policy, steps=STEPS, size=SIZE)
    frames = np.stack(clip_frames("MJC-Reacher3D-v0", policy, steps=STEPS, size=SIZE))
    seen = np.stack(list(shown(tmp_path / "clip.gif")))
    still = (frames == frames[0]).all(axis=-1)
    assert (seen == seen[0])[still].all()


def test_border_and_label_show_when_the_fault_is_active() -> None:
    size, active = 160, np.array([False, True, False])
    side = ClipSide("action/noise 0.3", np.zeros((4, size, size, 3), np.uint8), active)
    frames = compose([side, ClipSide("", side.frames[:2], np.zeros(1, bool))])
    assert [tuple(frame[-1, 0].tolist()) == RED for frame in frames] == [False, False, True, False]
    assert all(tuple(frame[-1, -1].tolist()) == GREY for frame in frames)
    assert [bool((frame[: HEADER - 1, :30] == RED).all(-1).any()) for frame in frames] == [False, False, True, False]
    headers = [frame[:HEADER, :size].tobytes() for frame in frames]
    assert len(set(headers)) == len(frames)


def test_the_world_renders_at_the_size_of_the_clip() -> None:
    faulty = Fault("action/offset", 0.5, 2)
    frames = clip_frames(WORLD, expert(WORLD), faulty, steps=4, size=SIZE)
    assert len(frames) == 5
    assert frames[0].shape == (HEADER + SIZE + 2 * EDGE, 2 * (SIZE + 2 * EDGE) + 10, 3)
    inner = frames[0][HEADER + EDGE : HEADER + EDGE + SIZE, EDGE : EDGE + SIZE]
    assert len(np.unique(inner.reshape(-1, 3), axis=0)) > 20


def test_scores_are_written_and_drawn() -> None:
    policy = expert(WORLD)
    detector = make_detector("KNN").fit(collect(WORLD, policy, 4))
    fault = Fault("observation/offset", 1.0, 2)
    plain = clip_frames(WORLD, policy, fault, steps=4, size=SIZE)
    scored = clip_frames(WORLD, policy, fault, steps=4, size=SIZE, detector=detector)
    assert len(scored[0]) > len(plain[0])
    right = np.stack(scored)[:, len(plain[0]) :, SIZE + 20 :]
    assert [bool((curve == RED).all(-1).any()) for curve in right] == [False, False, False, True, True]


def test_bytes_keep_to_the_limit_and_to_the_duration() -> None:
    frames = list(np.random.default_rng(0).integers(0, 255, (12, 40, 40, 3), np.uint8))
    whole = limited_clip(frames, 10, limit=10**6)
    small = limited_clip(frames, 10, limit=len(whole) // 3)
    assert len(small) <= len(whole) // 3
    assert image.open(BytesIO(small)).n_frames < image.open(BytesIO(whole)).n_frames == 12
    with pytest.raises(InvalidParameter, match="choose a smaller size"):
        limited_clip(frames, 10, limit=100)
    clip = clip_bytes(WORLD, expert(WORLD), Fault("action/offset", 0.5, 2), steps=3, limit=50_000)
    assert len(clip) <= 50_000


def test_a_gallery_equals_its_single_clips(tmp_path: Path) -> None:
    policy, faults = expert(WORLD), [Fault("camera/blur", 2.0, 1), Fault("action/offset", 0.5, 1)]
    paths = write_gallery(tmp_path, WORLD, policy, faults, steps=3, size=SIZE)
    assert [path.name for path in paths] == ["camera-blur.webp", "action-offset.webp"]
    for path, fault in zip(paths, faults, strict=True):
        write_clip(tmp_path / "one.webp", WORLD, policy, fault, steps=3, size=SIZE)
        assert path.read_bytes() == (tmp_path / "one.webp").read_bytes()


def test_a_clip_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InaccessibleFile, match="is in the way"):
        write_clip(tmp_path / "file" / "clip.gif", WORLD, expert(WORLD), steps=1)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
