"""The kinds of studies and of their cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from offnominal.core.errors import InvalidParameter, did_you_mean
from offnominal.papers.comparison.image_cell import ImageCell
from offnominal.papers.comparison.image_study import ImageStudy
from offnominal.papers.comparison.table_cell import SearchCell
from offnominal.papers.comparison.table_study import SearchStudy
from offnominal.papers.ood_rl.cell import OODCell
from offnominal.papers.ood_rl.study import OODStudy
from offnominal.studies.cell import Cell, StudyCell
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


def cell_from(data: Mapping[str, Any], *, allow_modules: Collection[str] = ()) -> StudyCell:
    """Return a cell from plain data, whatever its kind.

    Args:
        data: As :meth:`to_dict` of a cell returns it.
        allow_modules: Packages whose classes the data may name although they are not registered.

    Example:
        >>> cell_from(SearchCell("iris", "knn", 1).to_dict()).label
        'iris/knn/1'
    """
    cell: StudyCell = _kind(data, _CELLS, Cell).from_dict(data)
    _check_targets(cell, allow_modules)
    return cell


def study_from(data: Mapping[str, Any], *, allow_modules: Collection[str] = ()) -> AnyStudy:
    """Return a study from plain data, whatever its kind.

    Args:
        data: As :meth:`to_dict` of a study returns it.
        allow_modules: Packages whose classes the data may name although they are not registered.
    """
    study: AnyStudy = _kind(data, _STUDIES, Study).from_dict(data)
    _check_targets(study, allow_modules)
    return study


def _kind(data: Mapping[str, Any], kinds: Mapping[str, Any], default: Any) -> Any:
    kind = data.get("kind", "")
    if not isinstance(kind, str) or kind not in ("", *kinds):
        raise InvalidParameter(
            f"kind is {kind!r}.{did_you_mean(str(kind), kinds)} Choose from {', '.join(kinds)}, or leave it out."
        )
    return kinds.get(kind, default)


def _check_targets(found: AnyStudy | StudyCell, allow_modules: Collection[str]) -> None:
    """Refuse data that names what nobody knows, or classes of packages that nobody allowed, before any import."""
    for registry, name in found.targets():
        registry.find(name, allow_modules=allow_modules)
