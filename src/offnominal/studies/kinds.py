"""The kinds of studies and of their cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offnominal.studies.cell import Cell, Doable
from offnominal.studies.detector_comparison.cell import SearchCell
from offnominal.studies.detector_comparison.image_cell import ImageCell
from offnominal.studies.detector_comparison.image_study import ImageStudy
from offnominal.studies.detector_comparison.study import SearchStudy
from offnominal.studies.ood_rl.cell import OODCell
from offnominal.studies.ood_rl.study import OODStudy
from offnominal.studies.study import Study

AnyStudy = Study | SearchStudy | ImageStudy | OODStudy
_CELLS: dict[str, type[SearchCell | ImageCell | OODCell]] = {
    "search": SearchCell,
    "image-search": ImageCell,
    "ood-rl": OODCell,
}
_STUDIES: dict[str, type[SearchStudy | ImageStudy | OODStudy]] = {
    "search": SearchStudy,
    "image-search": ImageStudy,
    "ood-rl": OODStudy,
}


def cell_from(data: Mapping[str, Any]) -> Doable:
    """Return a cell from plain data, whatever its kind.

    Example:
        >>> cell_from(SearchCell("iris", "knn", 1).to_dict()).label
        'iris/knn/1'
    """
    return _CELLS.get(data.get("kind", ""), Cell).from_dict(data)


def study_from(data: Mapping[str, Any]) -> AnyStudy:
    """Return a study from plain data, whatever its kind."""
    return _STUDIES.get(data.get("kind", ""), Study).from_dict(data)
