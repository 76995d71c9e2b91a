"""The classical point detectors on the transitions of episodes."""

from __future__ import annotations

from typing import Any

from offnominal.detectors import rows as points
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.transitions.on_transitions import FromSettings


class ABOD(FromSettings):
    """From outside, all neighbours lie in one direction; see :class:`~offnominal.detectors.rows.ABOD`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return points.ABOD(**settings)


class HBOS(FromSettings):
    """Rare values, column by column; see :class:`~offnominal.detectors.rows.HBOS`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return points.HBOS(**settings)


class KernelSVM(FromSettings):
    """Outside a border of some kernel; see :class:`~offnominal.detectors.rows.KernelSVM`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return points.KernelSVM(**settings)


class LODA(FromSettings):
    """Rare values along random lines; see :class:`~offnominal.detectors.rows.LODA`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return points.LODA(**settings)


class LOF(FromSettings):
    """Thinner than its neighbours; see :class:`~offnominal.detectors.rows.LOF`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return points.LOF(**settings)


class Neighbours(FromSettings):
    """Distances to the k nearest; see :class:`~offnominal.detectors.rows.Neighbours`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return points.Neighbours(**settings)


class PIDForest(FromSettings):
    """Large boxes with few points; see :class:`~offnominal.detectors.rows.PIDForest`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return points.PIDForest(**settings)


class SubspaceForest(FromSettings):
    """An isolation forest on shares of rows and columns; see :class:`~offnominal.detectors.rows.SubspaceForest`."""

    @staticmethod
    def _point(**settings: Any) -> RowDetector:
        return points.SubspaceForest(**settings)
