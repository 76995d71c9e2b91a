"""Anomaly scores of one frame: a score for every pixel of a camera and every point of a lidar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from offnominal.detectors.observation_limits import MAX_SCORE

Scores = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FrameScores:
    """Anomaly scores of one frame, by the names of the mounts. Higher is more anomalous.

    A mount can have a camera and a lidar of the same name, so there are two mappings. A sensor that a detector does not
    score is missing.

    Args:
        cameras: (height, width) float32: a score for each pixel.
        lidars: (n,) float32: a score for each measured point, in the order of ``measured.points[measured.returned]``.
    """

    cameras: Mapping[str, Scores] = field(default_factory=dict)
    lidars: Mapping[str, Scores] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts = [f"camera {name} {scores.shape}" for name, scores in self.cameras.items()]
        parts += [f"lidar {name} {scores.shape}" for name, scores in self.lidars.items()]
        return f"FrameScores({', '.join(parts)})"

    def flat(self) -> Scores:
        """Return all scores of the frame as one array.

        Example:
            >>> FrameScores({"top": np.zeros((2, 3), np.float32)}, {"top": np.ones(4, np.float32)}).flat().shape
            (10,)
        """
        parts = [scores.reshape(-1) for scores in (*self.cameras.values(), *self.lidars.values())]
        return np.concatenate(parts) if parts else np.empty(0, np.float32)


def bounded(scores: NDArray[np.floating]) -> Scores:
    """Return finite scores in single precision, at most :data:`MAX_SCORE` in magnitude; NaN becomes the largest."""
    finite = np.nan_to_num(scores, nan=MAX_SCORE, posinf=MAX_SCORE, neginf=-MAX_SCORE)
    return np.asarray(np.clip(finite, -MAX_SCORE, MAX_SCORE), np.float32)
