"""The classical point detectors on the transitions of episodes."""

from __future__ import annotations

from typing import Any, ClassVar

from offnominal.detectors import points
from offnominal.detectors.on_transitions import OnTransitions
from offnominal.detectors.views import ViewName


class ClassicalOnTransitions(OnTransitions):
    """A classical point detector that scores every transition by a view of it.

    Args:
        view: Which numbers of a transition make a row; see :class:`View`.
        length: Of the window, if that is the view.
        settings: Those of the point detector.
    """

    POINT: ClassVar[str]
    """Name of the point detector in :mod:`offnominal.detectors.points`."""

    def __init__(self, *, view: ViewName = "next_observation", length: int = 5, **settings: Any) -> None:
        super().__init__(getattr(points, self.POINT)(**settings), view=view, length=length)


class ABOD(ClassicalOnTransitions):
    """From outside, all neighbours lie in one direction; see :class:`~offnominal.detectors.points.ABOD`."""

    POINT = "ABOD"


class HBOS(ClassicalOnTransitions):
    """Rare values, column by column; see :class:`~offnominal.detectors.points.HBOS`."""

    POINT = "HBOS"


class KernelSVM(ClassicalOnTransitions):
    """Outside a border of some kernel; see :class:`~offnominal.detectors.points.KernelSVM`."""

    POINT = "KernelSVM"


class LODA(ClassicalOnTransitions):
    """Rare values along random lines; see :class:`~offnominal.detectors.points.LODA`."""

    POINT = "LODA"


class LOF(ClassicalOnTransitions):
    """Thinner than its neighbours; see :class:`~offnominal.detectors.points.LOF`."""

    POINT = "LOF"


class Neighbours(ClassicalOnTransitions):
    """Distances to the k nearest; see :class:`~offnominal.detectors.points.Neighbours`."""

    POINT = "Neighbours"


class PIDForest(ClassicalOnTransitions):
    """Large boxes with few points; see :class:`~offnominal.detectors.points.PIDForest`."""

    POINT = "PIDForest"


class SubspaceForest(ClassicalOnTransitions):
    """An isolation forest on shares of rows and columns; see :class:`~offnominal.detectors.points.SubspaceForest`."""

    POINT = "SubspaceForest"
