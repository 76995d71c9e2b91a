"""Scored elements of a frame: pixels, points or voxels, with their truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array, BoolArray, IntArray
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.sensing.lens import NONE
from offnominal.sensing.voxel_grid import VoxelGrid
from offnominal.sensing.voxels import Reduction, Voxels, voxelise_scores
from offnominal.worlds.road.scenes import DrivingFrame, EgoPoints, camera_points, lidar_points
from offnominal.worlds.road.scenes.labelled_voxels import ANOMALIES, TruthRule, label_voxels

Unit: TypeAlias = Literal["pixel", "point", "voxel"]
TruthSource: TypeAlias = Literal["all", "scored"]
UNITS: tuple[Unit, ...] = ("pixel", "point", "voxel")
NO_INSTANCE = -1
_ANOMALOUS = np.zeros(256, np.bool_)
_ANOMALOUS[[int(label) for label in ANOMALIES]] = True


@dataclass(frozen=True, eq=False)
class Elements:
    """Elements of a frame that have a score and a true label.

    Args:
        scores: (n,): anomaly scores.
        positive: (n,): whether the label is that of an anomaly.
        distance: (n,): distance from the sensor, of voxels from the ego vehicle, m; infinite in the sky.
        instance: (n,): instance of each element.
        index: (n,): numbers of the voxels in the grid; empty for pixels and points.
    """

    scores: NDArray[np.float32]
    positive: BoolArray
    distance: NDArray[np.float32]
    instance: NDArray[np.int32]
    index: IntArray

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True)
class VoxelMapping:
    """How scores are carried into voxels and compared with the truth.

    Args:
        grid: The grid; None is that of the paper.
        reduction: Score of a voxel: the max or mean of its points, or that of its nearest point.
        rule: Which point decides the label of a voxel, and which is the nearest.
        truth: Sensors that define the truth: all of the frame, or only those with scores, as in the public code.
        any_anomaly: Whether a voxel is positive if any of its points is, not only the one that decides its label.
        front_only: Whether to leave out voxels behind the ego vehicle, as in the public code for cameras.
    """

    grid: VoxelGrid | None = None
    reduction: Reduction = "max"
    rule: TruthRule = "centre"
    truth: TruthSource = "all"
    any_anomaly: bool = False
    front_only: bool = False


def pixel_elements(frame: DrivingFrame, scores: FrameScores) -> Elements:
    """Return all pixels of the scored cameras, also those of the sky."""
    parts = []
    for name, values in scores.cameras.items():
        camera, image = frame.sensors.cameras[name].camera, frame.sensors.cameras[name].image
        assert image.label is not None
        assert image.depth is not None
        wide, high = camera.packed()[12:14].astype(np.float32)
        across = (2.0 * (np.arange(camera.width, dtype=np.float32) + 0.5) / camera.width - 1.0) * wide
        up = (1.0 - 2.0 * (np.arange(camera.height, dtype=np.float32) + 0.5) / camera.height)[:, None] * high
        if camera.distortion != NONE:
            across, up = (each.astype(np.float32) for each in camera.image_plane())
        away = image.depth * np.sqrt(1.0 + across**2 + up**2)
        parts.append(_elements(values, image.label, away, image.instance))
    return _joined(parts)


def point_elements(frame: DrivingFrame, scores: FrameScores) -> Elements:
    """Return all measured points of the scored lidars."""
    parts = []
    for name, values in scores.lidars.items():
        cloud = frame.sensors.lidars[name].measured
        back = cloud.returned
        parts.append(_elements(values, cloud.label[back], cloud.ranges[back], cloud.instance[back]))
    return _joined(parts)


def voxel_elements(
    frame: DrivingFrame, scores: FrameScores, mapping: VoxelMapping | None = None, truth: Voxels | None = None
) -> Elements:
    """Carry the scores of all sensors into voxels, and return the voxels that have a score and a label.

    Pixels are carried by their depth, points by their measured position. Voxels without a score or without a label were
    not observed; they are not part of the result.

    Args:
        frame: The frame.
        scores: Its scores.
        mapping: How scores are carried; None is the default.
        truth: Voxel truth of the frame, if it is already known; None to compute it.
    """
    how = VoxelMapping() if mapping is None else mapping
    cameras = {name: camera_points(frame, name) for name in _cameras(frame, scores, how, truth)}
    measured = {name: lidar_points(frame, name, measured=True) for name in scores.lidars}
    parts = [(cameras[name], np.ravel(values)) for name, values in scores.cameras.items()]
    parts += [(measured[name], np.asarray(values)) for name, values in scores.lidars.items()]
    if not any(len(cloud) for cloud, _ in parts):
        return _joined([])
    labelled = _truth(frame, scores, how, cameras) if truth is None else truth
    found = voxelise_scores(
        np.concatenate([cloud.points for cloud, _ in parts]),
        np.concatenate([values[cloud.source] for cloud, values in parts]),
        grid=labelled.grid,
        reduction=how.reduction,
        rule="centre" if how.rule == "centre" else "corner",
    )
    return matched_voxels(found.index, found.score, labelled, how)


def _cameras(frame: DrivingFrame, scores: FrameScores, how: VoxelMapping, truth: Voxels | None) -> list[str]:
    return list(frame.sensors.cameras if truth is None and how.truth == "all" else scores.cameras)


def _truth(frame: DrivingFrame, scores: FrameScores, how: VoxelMapping, cameras: dict[str, EgoPoints]) -> Voxels:
    lidars = frame.sensors.lidars if how.truth == "all" else scores.lidars
    cloud = EgoPoints.joined([*cameras.values(), *(lidar_points(frame, name) for name in lidars)])
    return label_voxels(cloud, grid=how.grid, rule=how.rule, label_sets=how.any_anomaly)


def matched_voxels(index: IntArray, score: NDArray[np.float32], truth: Voxels, how: VoxelMapping) -> Elements:
    """Return the voxels that have a score and a label; their numbers are in rising order."""
    place = np.minimum(np.searchsorted(truth.index, index), max(len(truth) - 1, 0))
    both = truth.index[place] == index if len(truth) else np.zeros(len(index), np.bool_)
    centres = truth.grid.centres(index)
    if how.front_only:
        both &= centres[:, 0] > 0.0
    rows, chosen = place[both], centres[both]
    positive = truth.contains_label(ANOMALIES)[rows] if how.any_anomaly else _ANOMALOUS[truth.label[rows]]
    instance = np.full(len(rows), NO_INSTANCE, np.int32) if truth.instance is None else truth.instance[rows]
    away = np.sqrt((chosen**2).sum(axis=1)).astype(np.float32)
    return Elements(score[both], positive, away, instance, index[both])


def _elements(scores: Array, label: Array, distance: Array, instance: Array | None) -> Elements:
    labels = np.ravel(label)
    ids = np.full(len(labels), NO_INSTANCE, np.int32) if instance is None else np.ravel(instance).astype(np.int32)
    return Elements(
        np.ravel(scores).astype(np.float32, copy=False),
        _ANOMALOUS[labels],
        np.ravel(distance).astype(np.float32, copy=False),
        ids,
        np.empty(0, np.int64),
    )


def _joined(parts: list[Elements]) -> Elements:
    if len(parts) == 1:
        return parts[0]
    none = np.empty(0, np.float32)
    return Elements(
        np.concatenate([part.scores for part in parts] or [none]),
        np.concatenate([part.positive for part in parts] or [none.astype(np.bool_)]),
        np.concatenate([part.distance for part in parts] or [none]),
        np.concatenate([part.instance for part in parts] or [none.astype(np.int32)]),
        np.empty(0, np.int64),
    )


def visible_area(frame: DrivingFrame) -> float:
    """Return the visible area of anomalies in square metres, across the direction of view.

    Cameras are added up; without an anomaly in any camera, lidars are.
    """
    area = 0.0
    for camera, image in ((each.camera, each.image) for each in frame.sensors.cameras.values()):
        assert image.label is not None
        assert image.depth is not None
        wide, high = camera.packed()[12:14]
        depth = image.depth[_ANOMALOUS[image.label]].astype(np.float64)
        area += float((depth**2).sum() * 4.0 * wide * high / (camera.width * camera.height))
    if area:
        return area
    for each in frame.sensors.lidars.values():
        low, high = np.deg2rad(each.lidar.fov)
        step = (high - low) / max(each.lidar.channels - 1, 1) * 2.0 * np.pi / each.lidar.columns
        area += float((each.exact.ranges[_ANOMALOUS[each.exact.label]].astype(np.float64) ** 2).sum() * step)
    return area
