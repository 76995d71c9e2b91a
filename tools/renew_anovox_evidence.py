"""Renews the measured evidence of Table 4: ``python tools/renew_anovox_evidence.py``.

RbA and REAL with the weights of the package score the test scenes of scale ``laptop`` without temporal anomalies, which
are recorded on first use. Their voxels are evaluated as in the study, then with scores, voxels and labels as in the
public code, and then with its pairs of scores and truth as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np
from scipy.special import expit

from anovox_public_pairs import SizedScene, camera_pairs, lidar_pairs, paired_frames, public_rows, scene_order
from offnominal.core.files import write_text
from offnominal.datasets.scenes import DrivingScenes
from offnominal.detectors.scenes import FrameScores, SceneDetector, trained_scene_detector
from offnominal.detectors.scenes.rba import RbA
from offnominal.evaluation.discrimination import Ranking
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.scenes import (
    SceneSettings,
    VoxelMapping,
    collect_scores,
    evaluate_frames,
)
from offnominal.papers.anovox.evidence import FILE
from offnominal.papers.anovox.scene_data import SceneCounts
from offnominal.papers.anovox.scene_sets import open_scene_sets
from offnominal.papers.anovox.study import SceneStudy
from offnominal.studies.catalogue import load_study
from offnominal.studies.execution import single_threaded

PATH = Path(__file__).parents[1] / "src" / "offnominal" / "papers" / "anovox" / FILE
METRICS = {"AUPR": "average_precision", "AUROC": "auroc"}
ROWS = ("default", "+norm", "big", "medium", "small")
ORDERS = 5
"""Number of random orders of the scenes."""
REPLICATES = 200
ENDS = ("", "_low", "_high")
COLUMNS = (
    *("method", "frames", "metric"),
    *(f"before{end}" for end in ENDS),
    "right_pairs",
    *(f"after{end}" for end in ENDS),
)
Row = Mapping[str, str]
Numbers = Mapping[str, Mapping[str, Estimate]]
Rankings = Mapping[str, Ranking]


def evidence_scenes() -> DrivingScenes:
    """Return the test scenes of scale ``laptop`` without temporal anomalies; they are recorded on first use."""
    data = cast(SceneStudy, load_study("anovox").at("laptop")).data
    counts = data.test.replace(temporal=0)
    scenes = open_scene_sets(data.replace(train=1, validation=SceneCounts(), test=counts)).test
    assert scenes is not None
    return scenes


def own_metrics(detector: SceneDetector, scenes: DrivingScenes) -> Numbers:
    """Return AUPR and AUROC of the rows as in the study.

    Args:
        detector: A fitted detector.
        scenes: Test scenes.
    """
    settings = SceneSettings(("voxel",), VoxelMapping(reduction="mean"))
    report = evaluate_frames(
        collect_scores(detector.iter_scores, scenes, settings), settings=settings, replicates=REPLICATES
    )
    return {row: {name: getattr(report.row(row).ranking, metric) for name, metric in METRICS.items()} for row in ROWS}


def public_scores(detector: SceneDetector, scenes: DrivingScenes) -> list[FrameScores]:
    """Return the scores of all frames as in the public code.

    That of RbA is 1 plus the published score, or 0 if that is negative; that of REAL is the probability of the unknown.

    Args:
        detector: RbA or REAL with their weights.
        scenes: The scenes.
    """
    if isinstance(detector, RbA):
        detector.bounded = False
    found = (scores for scene in scenes for scores in detector.iter_scores(scene))
    return [
        FrameScores(
            {name: np.maximum(values + 1.0, 0.0) for name, values in scores.cameras.items()},
            {name: expit(values) for name, values in scores.lidars.items()},
        )
        for scores in found
    ]


def public_metrics(
    scenes: Sequence[SizedScene], scores: Sequence[FrameScores], *, orders: int = ORDERS, replicates: int = REPLICATES
) -> tuple[Rankings, Sequence[Rankings]]:
    """Return the metrics of the public code with the right pairs of scores and truth, and with its pairs.

    Args:
        scenes: The scenes.
        scores: Scores of all frames, of a camera or of a lidar.
        orders: Number of random orders of the scenes.
        replicates: Number of bootstrap replicates of each.
    """
    lengths = [len(scene.frames) for scene in scenes]
    right, random = np.arange(sum(lengths)), np.random.default_rng(0)
    drawn = [camera_pairs(lengths, scene_order(lengths, random)) for _ in range(orders)]
    pairs = drawn if scores[0].cameras else map(lidar_pairs, drawn)
    found = paired_frames(scenes, scores, [right, *pairs])
    first, *others = (public_rows(frames, replicates) for frames in found)
    return first, others


def evidence_rows(method: str, before: Numbers, right: Rankings, paired: Sequence[Rankings]) -> Iterator[Row]:
    """Yield the rows of the file: means over the orders of the scenes, with 95 % intervals over orders and scenes.

    Args:
        method: Name of the method.
        before: Our numbers by row and metric.
        right: Metrics of the public code with the right pairs, by row.
        paired: The same with its pairs, for each order of the scenes.
    """
    for row in ROWS:
        for name, metric in METRICS.items():
            found: list[Estimate] = [getattr(each[row], metric) for each in paired if row in each]
            ends = np.nanpercentile(np.concatenate([each.draws for each in found]), (2.5, 97.5))
            mean = np.mean([each.value for each in found if each.value is not None])
            own = before[row][name]
            values = (own.value, own.low, own.high, getattr(right[row], metric).value, mean, *ends)
            numbers = (f"{value:.4f}" for value in values)
            yield dict(zip(COLUMNS, (method, row, name, *numbers), strict=True))


def main() -> None:
    """Measure all numbers and write them."""
    rows: list[Row] = []
    with single_threaded():
        scenes = evidence_scenes()
        for method in ("REAL", "RbA"):
            detector = trained_scene_detector(method)
            before = own_metrics(detector, scenes)
            scores = public_scores(detector, scenes)
            rows += evidence_rows(method, before, *public_metrics([*map(SizedScene.of, scenes)], scores))
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    write_text(PATH, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
