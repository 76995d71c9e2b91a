"""Measurements of CARLA's lidars as point clouds of one whole turn.

CARLA sends the returns of each laser in the order of its turn, without the rays that return nothing. Here each return
is put into the cell of its laser and its direction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.sensing.lidar import Lidar, PointCloud
from offnominal.worlds.road.carla.coordinates import mirrored, pose
from offnominal.worlds.road.carla.errors import CarlaError
from offnominal.worlds.road.carla.semantic_tags import labels_of
from offnominal.worlds.road.labels import Label

MEASURED = np.dtype([("place", "<f4", 3), ("intensity", "<f4")])
EXACT = np.dtype([("place", "<f4", 3), ("cosine", "<f4"), ("actor", "<u4"), ("tag", "<u4")])


def decode(measured: Any, exact: Any, lidar: Lidar) -> tuple[PointCloud, PointCloud]:
    """Return the point clouds of a lidar and of the semantic lidar at the same place.

    The labels of the measured points are those of the exact ones in the same direction. Instances are ids of actors of
    CARLA, 0 for everything else. The intensity of the exact points is the cosine of the angle of incidence.

    Args:
        measured: Measurement of the lidar.
        exact: Measurement of the semantic lidar.
        lidar: The lidar.
    """
    truth = _records(exact, EXACT, lidar)
    turn = _turns(truth["place"], lidar)
    # The rays of both lidars have the same directions, which are between those of our columns.
    phase = _phase(turn)
    cells = _cells(exact, turn - phase, truth["place"], lidar)
    fields = {"label": labels_of(truth["tag"]), "instance": truth["actor"].astype(np.int32)}
    true_cloud = _cloud(exact, truth["place"], truth["cosine"], cells, lidar, fields)
    found = _records(measured, MEASURED, lidar)
    cells = _cells(measured, _turns(found["place"], lidar) - phase, found["place"], lidar)
    cloud = _cloud(measured, found["place"], found["intensity"], cells, lidar, {})
    both = cloud.returned & true_cloud.returned
    cloud.label[both], cloud.instance[both] = true_cloud.label[both], true_cloud.instance[both]
    cloud.label[cloud.returned & ~both] = Label.UNLABELED
    return cloud, true_cloud


def _records(measurement: Any, kind: np.dtype[Any], lidar: Lidar) -> Array:
    if measurement.channels != lidar.channels:
        raise CarlaError(f"a lidar measures {measurement.channels} channels; expected {lidar.channels}.")
    return np.frombuffer(measurement.raw_data, kind)


def _turns(place: Array, lidar: Lidar) -> FloatArray:
    """Return the direction of each point in columns, from the centre of the first one."""
    across, ahead = -place[:, 1].astype(np.float64), place[:, 0].astype(np.float64)
    return (np.arctan2(across, ahead) / (2.0 * np.pi) + 0.5) * lidar.columns - 0.5


def _phase(turn: FloatArray) -> float:
    """Return the common part of directions that differ by whole columns, between -0.5 and 0.5."""
    return float(np.angle(np.exp(2j * np.pi * turn).sum()) / (2.0 * np.pi)) if len(turn) else 0.0


def _cells(measurement: Any, turn: FloatArray, place: Array, lidar: Lidar) -> tuple[IntArray, IntArray, IntArray]:
    """Return order, row and column of the points, the nearest last."""
    counts = [measurement.get_point_count(channel) for channel in range(lidar.channels)]
    if sum(counts) != len(place):
        raise CarlaError(f"a lidar has {len(place)} points, but {sum(counts)} in its channels.")
    order = np.argsort(-(place.astype(np.float64) ** 2).sum(axis=1), kind="stable")
    rows = np.repeat(np.arange(lidar.channels), counts)
    columns = np.rint(turn).astype(np.int64) % lidar.columns
    return order, rows[order], columns[order]


def _cloud(
    measurement: Any,
    place: Array,
    brightness: Array,
    cells: tuple[IntArray, IntArray, IntArray],
    lidar: Lidar,
    fields: dict[str, NDArray[np.int32]],
) -> PointCloud:
    size = (lidar.channels, lidar.columns)
    order, rows, columns = cells
    position, rotation = pose(measurement.transform)
    local = place.astype(np.float64)[order]
    cloud = PointCloud(
        np.full(size, np.inf, np.float32),
        np.full((*size, 3), np.nan, np.float32),
        np.full(size, Label.SKY, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.float32),
    )
    assert cloud.intensity is not None
    cloud.ranges[rows, columns] = np.sqrt((local**2).sum(axis=1))
    cloud.points[rows, columns] = position + mirrored(local) @ rotation.T
    cloud.intensity[rows, columns] = brightness[order]
    for name, values in fields.items():
        getattr(cloud, name)[rows, columns] = values[order]
    return cloud
