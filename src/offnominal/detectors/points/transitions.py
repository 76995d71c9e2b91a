"""The classical point detectors on the transitions of episodes."""

from __future__ import annotations

from typing import Any

from offnominal.detectors import points
from offnominal.detectors.on_transitions import FromSettings
from offnominal.detectors.points.point import PointDetector


class ABOD(FromSettings):
    """From outside, all neighbours lie in one direction; see :class:`~offnominal.detectors.points.ABOD`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return points.ABOD(**settings)


class HBOS(FromSettings):
    """Rare values, column by column; see :class:`~offnominal.detectors.points.HBOS`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return points.HBOS(**settings)


class KernelSVM(FromSettings):
    """Outside a border of some kernel; see :class:`~offnominal.detectors.points.KernelSVM`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return points.KernelSVM(**settings)


class LODA(FromSettings):
    """Rare values along random lines; see :class:`~offnominal.detectors.points.LODA`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return points.LODA(**settings)


class LOF(FromSettings):
    """Thinner than its neighbours; see :class:`~offnominal.detectors.points.LOF`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return points.LOF(**settings)


class Neighbours(FromSettings):
    """Distances to the k nearest; see :class:`~offnominal.detectors.points.Neighbours`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return points.Neighbours(**settings)


class PIDForest(FromSettings):
    """Large boxes with few points; see :class:`~offnominal.detectors.points.PIDForest`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return points.PIDForest(**settings)


class SubspaceForest(FromSettings):
    """An isolation forest on shares of rows and columns; see :class:`~offnominal.detectors.points.SubspaceForest`."""

    @staticmethod
    def _point(**settings: Any) -> PointDetector:
        return points.SubspaceForest(**settings)
