"""Voxel ground truth of a frame: the labels of all sensors in one grid around the ego vehicle."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from offnominal.core.checks import one_of
from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.sensing.voxel_grid import VoxelGrid
from offnominal.sensing.voxels import Voxels, voxelise
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenes.driving_frame import DrivingFrame
from offnominal.worlds.road.scenes.sensor_points import FARTHEST, EgoPoints, ego_points

TruthRule: TypeAlias = Literal["centre", "corner", "published"]
VOXEL_GRIDS: dict[str, VoxelGrid] = {
    "paper": VoxelGrid(),
    "public-code": VoxelGrid((-250.0, -250.0, -14.2), (250.0, 250.0, 17.8)),
}
ANOMALIES = tuple(label for label in Label if label.is_anomaly)


def voxel_grid(name: str) -> VoxelGrid:
    """Return a grid by its name: ``"paper"``, 100 x 100 x 64 m, or ``"public-code"``, 500 x 500 x 32 m.

    Both have voxels of 0.5 m and are centred 1.8 m above the ground, the height of the sensors.

    Example:
        >>> voxel_grid("public-code").shape
        (1000, 1000, 64)
    """
    if name not in VOXEL_GRIDS:
        raise UnknownName(
            f"no voxel grid named {name!r}.{did_you_mean(name, VOXEL_GRIDS)} Choose one of {', '.join(VOXEL_GRIDS)}."
        )
    return VOXEL_GRIDS[name]


def voxel_truth(
    frame: DrivingFrame,
    *,
    grid: VoxelGrid | None = None,
    rule: TruthRule = "centre",
    cameras: Iterable[str] | None = None,
    lidars: Iterable[str] | None = None,
    label_sets: bool = False,
    max_distance: float = FARTHEST,
) -> Voxels:
    """Return the labelled voxels of a frame.

    A voxel has the label and instance of the point nearest to its centre; at equal distances anomalies win, then the
    lowest label. Cameras contribute through their depths, lidars through their exact points.

    Args:
        frame: The frame.
        grid: The grid; None is that of the paper.
        rule: ``"centre"``; ``"corner"``, the point nearest to the lower corner, as in the public code of AnoVox; or
            ``"published"``, which is ``"corner"`` with a second defect of that code: any point of a road line makes the
            whole voxel a road line, also that of an anomaly.
        cameras: Names of the cameras; None are all of them.
        lidars: Names of the lidars; None are all of them.
        label_sets: Whether to store the labels of all points of a voxel.
        max_distance: Points farther from their sensor are left out, m.

    Raises:
        UnknownName: The frame has no such sensor, or a label that does not exist.
        InvalidPoints: There are no points.
    """
    cloud = ego_points(frame, cameras=cameras, lidars=lidars, max_distance=max_distance)
    return label_voxels(cloud, grid=grid, rule=rule, label_sets=label_sets)


def label_voxels(
    cloud: EgoPoints, *, grid: VoxelGrid | None = None, rule: TruthRule = "centre", label_sets: bool = False
) -> Voxels:
    """Return the labelled voxels of points; see :func:`voxel_truth`."""
    one_of("rule", rule, get_args(TruthRule))
    published = rule == "published"
    found = voxelise(
        cloud.points,
        cloud.label,
        cloud.instance,
        grid=grid,
        rule="centre" if rule == "centre" else "corner",
        first=ANOMALIES,
        label_sets=label_sets or published,
    )
    if not published:
        return found
    label = np.where(found.contains_label((Label.ROAD_LINE,)), np.uint8(Label.ROAD_LINE), found.label)
    return replace(found, label=label, label_sets=found.label_sets if label_sets else None)
