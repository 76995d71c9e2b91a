"""Voxel metrics with scores and truth in the pairs of the public code of AnoVox, which are of different frames.

The public evaluation reads files of scores, of depths and of truth, and takes the files at the same place of these
lists as one frame. The lists do not have the same order:

- Cameras: score images are numbered scenario by scenario, in the order in which a folder lists them. Depths and truth
  are sorted by the number of the frame in the simulation.
- Lidars: files of scores are sorted by number. Files of truth are named with numbers without leading zeros and sorted
  as text, so that 10 comes before 2.

So the scores of one frame are compared with the truth of another one. The order of a folder is not known; a pairing is
drawn with the scenes in a random order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.types import IntArray
from offnominal.datasets.scenes.reading import DrivingScene
from offnominal.detectors.scenes import FrameScores
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.discrimination import Ranking
from offnominal.evaluation.scenes import VoxelMapping, voxel_elements
from offnominal.evaluation.scenes.rows import SIZES
from offnominal.evaluation.scenes.score_pool import ScorePool, Scores
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.scenarios import ContentAnomaly
from offnominal.worlds.road.scenes import DrivingFrame, voxel_grid, voxel_truth

PUBLIC_MAPPING = VoxelMapping(
    grid=voxel_grid("public-code"), reduction="nearest", rule="published", truth="scored", any_anomaly=False
)
"""Voxels as in the public code: those of the scored sensor, with the label and the score of one of their points."""


@dataclass(frozen=True, eq=False)
class SizedScene:
    """A scene.

    Args:
        size: Size of its object; None without one.
        frames: Its frames.
    """

    size: str | None
    frames: Sequence[DrivingFrame]

    @classmethod
    def of(cls, scene: DrivingScene) -> SizedScene:
        """Return a recorded scene."""
        anomaly = scene.scenario.anomaly
        return cls(anomaly.size if isinstance(anomaly, ContentAnomaly) else None, scene)


@dataclass(frozen=True, eq=False)
class PairedFrame:
    """Scores of a frame that are split by the truth of the same or of another frame.

    Args:
        scene: Number of its scene.
        size: Size of the object of its scene; None without one.
        in_view: Whether the scored lidar sees the object; True for cameras.
        positives: Scores of voxels that are anomalous in the truth.
        negatives: Scores of other voxels.
    """

    scene: int
    size: str | None
    in_view: bool
    positives: Scores
    negatives: Scores


def scene_order(lengths: Sequence[int], random: np.random.Generator) -> IntArray:
    """Return the scenes in a random order, in which a scene has only changed places with others of its length.

    Scenes of the published set all have the same number of frames, so that a frame is paired with one of the same time.

    Args:
        lengths: Number of frames of each scene.
        random: Source of the order.
    """
    order = np.arange(len(lengths))
    for length in set(lengths):
        own = np.flatnonzero(np.asarray(lengths) == length)
        order[own] = random.permutation(own)
    return order


def camera_pairs(lengths: Sequence[int], order: Sequence[int] | IntArray) -> IntArray:
    """Return the frame that has the scores of each frame, if score images are numbered in an order of the scenes.

    Args:
        lengths: Number of frames of each scene.
        order: Numbers of the scenes.

    Example:
        >>> camera_pairs([2, 2, 1], [1, 0, 2])
        array([2, 3, 0, 1, 4])
    """
    first = np.concatenate([[0], np.cumsum(lengths)])
    return np.concatenate([np.arange(first[scene], first[scene + 1]) for scene in order])


def lidar_pairs(frames: IntArray) -> IntArray:
    """Return the frame that has the truth of each frame, if truth is sorted as text.

    Args:
        frames: The frames in the order of their numbers.

    Example:
        >>> lidar_pairs(np.arange(12))
        array([ 0,  1, 10, 11,  2,  3,  4,  5,  6,  7,  8,  9])
    """
    found = np.empty(len(frames), np.int64)
    found[frames] = frames[sorted(range(len(frames)), key=str)]
    return found


def paired_frames(
    scenes: Sequence[SizedScene], scores: Sequence[FrameScores], pairs: Sequence[IntArray]
) -> list[list[PairedFrame]]:
    """Return the frames of each pairing of a detector.

    A camera's score images are paired with the depths and the truth of other frames, a lidar's points with the truth
    of other frames.

    Args:
        scenes: The scenes.
        scores: Scores of all their frames, of a camera or of a lidar.
        pairs: Pairings; each has the frame that has the scores (camera) or the truth (lidar) of each frame.
    """
    has_images = bool(scores[0].cameras)
    truths = [None] * len(scores) if has_images else _lidar_truths(scenes, scores)
    found: list[list[PairedFrame]] = [[] for _ in pairs]
    for number, (scene, size, frame) in enumerate(_frames(scenes)):
        own = None if has_images else voxel_elements(frame, scores[number], PUBLIC_MAPPING, truths[number])
        in_view = own is None or bool(own.positive.any())
        for frames, others in zip(found, pairs, strict=True):
            scored, true = (others[number], number) if has_images else (number, others[number])
            elements = voxel_elements(frame, scores[scored], PUBLIC_MAPPING, truths[true])
            positive = elements.positive
            frames.append(PairedFrame(scene, size, in_view, elements.scores[positive], elements.scores[~positive]))
    return found


def _lidar_truths(scenes: Sequence[SizedScene], scores: Sequence[FrameScores]) -> list[Voxels | None]:
    """Return the truth of every frame by its scored lidars."""
    mapping = PUBLIC_MAPPING
    return [
        voxel_truth(frame, grid=mapping.grid, rule=mapping.rule, cameras=(), lidars=scored.lidars)
        for (_, _, frame), scored in zip(_frames(scenes), scores, strict=True)
    ]


def _frames(scenes: Sequence[SizedScene]) -> Iterator[tuple[int, str | None, DrivingFrame]]:
    return ((number, scene.size, frame) for number, scene in enumerate(scenes) for frame in scene.frames)


def public_rows(frames: Sequence[PairedFrame], replicates: int = 0) -> dict[str, Ranking]:
    """Return the ranking metrics of the rows of Table 4 that have anomalous voxels.

    ``default`` has the frames in which the object is in view and in the truth, ``+norm`` all frames; the sizes divide
    ``default``.

    Args:
        frames: Paired frames.
        replicates: Number of bootstrap replicates, over scenes.
    """
    default = [frame for frame in frames if frame.in_view and len(frame.positives)]
    rows = {"default": default, "+norm": frames}
    rows |= {size: [frame for frame in default if frame.size == size] for size in SIZES}
    return {name: _ranking(chosen, replicates) for name, chosen in rows.items() if _has_both(chosen)}


def _has_both(frames: Sequence[PairedFrame]) -> bool:
    return any(len(frame.positives) for frame in frames) and any(len(frame.negatives) for frame in frames)


def _ranking(frames: Sequence[PairedFrame], replicates: int) -> Ranking:
    scenes = sorted({frame.scene for frame in frames})
    positives, negatives = (
        [[getattr(frame, part) for frame in frames if frame.scene == scene] for scene in scenes]
        for part in ("positives", "negatives")
    )
    return ScorePool.of(positives, negatives).ranking(Resamples.draw(len(scenes), replicates))
