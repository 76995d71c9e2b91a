"""Shares of frames in which an anomaly is visible: each frame counted once, and as in the public code of AnoVox.

The published shares are from a notebook of the public code (``Tools/plot.ipynb``). For lidars, and for scenes with
several cameras, it counts each frame once. For a scene with one camera it goes through the labels of objects one after
the other, and after each label it adds the number of frames less those with an object so far to the frames without
one: a frame without an object is counted six times, one with an object as often as there are labels before its own.
Its output says so: 69,107 frames with an object and 396,869 without one are 14.8 %, but the same scenes have 117,362
frames for the lidar, of which 69,107 are 58.9 %. All shares are pooled over frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.worlds.road.labels import Label

LABELS = (Label.HOME, Label.ANIMAL, Label.NATURE, Label.SPECIAL, Label.FALLING, Label.AIRPLANE)
"""Labels of objects in the order of the public code."""
PUBLISHED = {"content": (0.148, 0.748), "temporal": (0.155, 0.155)}
"""Published shares for cameras and for lidars, by the type of the scenes."""
PUBLISHED_FRAMES = {"with an object": (69_107, 87_760), "without": (396_869, 29_602)}
"""Counts of the public notebook for cameras and for lidars, of scenes with an object."""
REPLICATES = 1000


@dataclass(frozen=True)
class VisibleFrames:
    """Numbers of frames of a scene.

    Args:
        label: Label of its anomaly.
        cameras: Number of its cameras.
        frames: Number of its frames.
        camera: Number of those in which a camera shows the anomaly.
        lidar: Number of those in which a beam of a lidar hits it.
    """

    label: Label
    cameras: int
    frames: int
    camera: int
    lidar: int


def published_once() -> tuple[float, float]:
    """Return the published shares of scenes with an object if each frame is counted once: camera, lidar.

    Example:
        >>> [round(each, 3) for each in published_once()]
        [0.589, 0.748]
    """
    camera, lidar = PUBLISHED_FRAMES["with an object"]
    total = lidar + PUBLISHED_FRAMES["without"][1]
    return camera / total, lidar / total


def clear_frames(scene: VisibleFrames) -> int:
    """Return how many frames without the object the public code counts for the cameras of a scene.

    Example:
        >>> clear_frames(VisibleFrames(Label.ANIMAL, 2, 200, 150, 180))
        50
        >>> clear_frames(VisibleFrames(Label.ANIMAL, 1, 200, 150, 180))
        450
    """
    if scene.cameras > 1 or scene.label not in LABELS:
        return scene.frames - scene.camera
    before = LABELS.index(scene.label)
    return before * scene.frames + (len(LABELS) - before) * (scene.frames - scene.camera)


def counted_shares(scenes: Sequence[VisibleFrames]) -> FloatArray:
    """Return the counts (scenes, 2, 2) of the public code: visible and all counted frames, of cameras and of lidars."""
    rows = [
        ((each.camera, each.camera + clear_frames(each)), (each.lidar, each.frames)) for each in scenes
    ]  # fmt: skip
    return np.array(rows, np.float64).reshape(-1, 2, 2)


def pooled_share(counts: FloatArray) -> tuple[float, float, float]:
    """Return the share of counts (scenes, 2) of visible and of all frames, with a 95 % interval over scenes.

    The interval is that of a bootstrap, and from 0 to 1 for a single scene.

    Example:
        >>> pooled_share(np.array([[1.0, 4.0], [2.0, 4.0]]))[0]
        0.375
    """
    share = float(counts[:, 0].sum() / counts[:, 1].sum())
    if len(counts) < 2:
        return share, 0.0, 1.0
    drawn = np.random.default_rng(0).integers(len(counts), size=(REPLICATES, len(counts)))
    sums = counts[drawn].sum(axis=1)
    low, high = np.quantile(sums[:, 0] / sums[:, 1], (0.025, 0.975)).tolist()
    return share, low, high
