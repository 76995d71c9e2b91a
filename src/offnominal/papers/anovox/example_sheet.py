"""Example frames of a detector as one image: sensors, voxel truth, scores and outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa

from offnominal.datasets.scenes import DrivingScene
from offnominal.detectors.scenes import SceneDetector
from offnominal.evaluation.scenes import VoxelMapping, voxel_elements
from offnominal.papers.anovox.example_frames import ExampleFrame
from offnominal.reports.scene_view.frame_drawing import FrameScoring, PanelSize, draw_frame, draw_scoring, scoring_of
from offnominal.reports.scene_view.frame_view import DrivingView
from offnominal.reports.scene_view.score_views import ScoreScale
from offnominal.reports.scene_view.sheet import FrameBlock, LegendEntry, PanelRow, Sheet, score_legend
from offnominal.worlds.road.scenarios import ContentAnomaly

SCHEMA = pa.schema([("key", pa.string()), ("name", pa.string()), ("seed", pa.int64()), ("png", pa.binary())])
"""Schema of the examples of a cell: one image per detector and seed."""
HEIGHT = 150
"""Height of a panel, pixels."""
FALSE_ALARMS = 0.01
NOTE = "threshold: highest F1 on the validation scenes; other voxels are grey, darker for higher scores"


def example_table(
    name: str,
    seed: int,
    detector: SceneDetector,
    scenes: Iterable[DrivingScene],
    chosen: Sequence[ExampleFrame],
    threshold: float,
    mapping: VoxelMapping,
) -> Any:
    """Return the examples of a cell, without its key; None if there is nothing to draw or Pillow is not installed.

    Args:
        name: Name of the detector.
        seed: Training seed.
        detector: The fitted detector.
        scenes: Test scenes.
        chosen: Frames to draw.
        threshold: Threshold of voxels.
        mapping: How scores are carried into voxels.
    """
    if not chosen or find_spec("PIL") is None:
        return None
    image = example_sheet(name, detector, scenes, chosen, threshold, mapping)
    return pa.Table.from_pylist([{"name": name, "seed": seed, "png": image}], SCHEMA.remove(0))


def example_sheet(
    name: str,
    detector: SceneDetector,
    scenes: Iterable[DrivingScene],
    chosen: Sequence[ExampleFrame],
    threshold: float,
    mapping: VoxelMapping,
) -> bytes:
    """Return the chosen frames as one PNG file; see :func:`example_table`."""
    known = {scene.id: scene for scene in scenes}
    size = PanelSize(HEIGHT)
    drawn = [(each, known[each.scene], *_scored(detector, known[each.scene], each.number, mapping)) for each in chosen]
    scale = _scale([scoring for *_, scoring in drawn], threshold)
    blocks = []
    for example, scene, view, scoring in drawn:
        cameras = list(view.images)
        rows = [
            PanelRow("", draw_frame(view, cameras, size)),
            PanelRow(name, draw_scoring(scoring, scale, cameras, size, lidar=view.cloud is not None)),
        ]
        heading = f"{example.outcome}  ·  {_scene_facts(scene)}  ·  frame {example.number}"
        blocks.append(FrameBlock(heading, view.active, rows))
    legend = [*score_legend({name: scale}, FALSE_ALARMS)[:-1], LegendEntry(np.empty((0, 3), np.uint8), NOTE)]
    return _png(Sheet(name, "anomalies have red outlines", [legend]).compose(blocks))


def _scored(
    detector: SceneDetector, scene: DrivingScene, number: int, mapping: VoxelMapping
) -> tuple[DrivingView, FrameScoring]:
    """Return a frame and its scores; frames before it are only scored by detectors with memory."""
    state = detector.start()
    for earlier in scene if state is not None else ():
        if earlier.number >= number:
            break
        state, _ = detector.update(state, earlier)
    frame = scene[number]
    _, scores = detector.update(state, frame)
    view = DrivingView(frame, scene)
    scoring = scoring_of(view, scores, list(view.images), PanelSize(HEIGHT))
    return view, replace(scoring, elements=voxel_elements(frame, scores, mapping, scoring.voxels))


def _scale(scorings: Sequence[FrameScoring], threshold: float) -> ScoreScale:
    scores = np.concatenate([each.elements.scores for each in scorings])
    positive = np.concatenate([each.elements.positive for each in scorings])
    scale = ScoreScale.of(scores, positive, FALSE_ALARMS)
    return replace(scale, threshold=threshold, high=max(scale.high, threshold))


def _scene_facts(scene: DrivingScene) -> str:
    anomaly = None if scene.twin else scene.scenario.anomaly
    what = "no anomaly" if anomaly is None else _words(anomaly)
    return f"{what}  ·  {scene.town}, {scene.weather.lower().replace('_', ' ')}"


def _words(anomaly: Any) -> str:
    """Return what an anomaly is, in a few words."""
    if isinstance(anomaly, ContentAnomaly):
        return f"{anomaly.name.replace('_', ' ')} ({anomaly.size})"
    return str(anomaly.kind).replace("-", " ")


def _png(image: Any) -> bytes:
    from PIL import Image as Pillow

    file = BytesIO()
    Pillow.fromarray(image).save(file, "PNG", optimize=True)
    return file.getvalue()
