"""The kinds of studies and of their cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offnominal.studies.cell import Cell, Doable
from offnominal.studies.detector_comparison.cell import SearchCell
from offnominal.studies.detector_comparison.study import SearchStudy
from offnominal.studies.study import Study

AnyStudy = Study | SearchStudy


def cell_from(data: Mapping[str, Any]) -> Doable:
    """Return a cell from plain data, whatever its kind.

    Example:
        >>> cell_from(SearchCell("iris", "knn", 1).to_dict()).label
        'iris/knn/1'
    """
    return SearchCell.from_dict(data) if data.get("kind") == "search" else Cell.from_dict(data)


def study_from(data: Mapping[str, Any]) -> AnyStudy:
    """Return a study from plain data, whatever its kind."""
    return SearchStudy.from_dict(data) if data.get("kind") == "search" else Study.from_dict(data)
