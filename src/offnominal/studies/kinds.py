"""The registry of study kinds, and studies and cells of any kind from plain data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.imported_modules import check_module_name, import_modules
from offnominal.core.registry import Registry, check_allowed
from offnominal.studies.base import BaseCell, BaseStudy
from offnominal.studies.kind import StudyKind
from offnominal.studies.results import STUDY

study_kinds: Registry[StudyKind[Any, Any]] = Registry(
    "study_kind", StudyKind, catalogue="offnominal.papers.catalogue:register_study_kinds"
)
"""Study kinds by id; other packages add theirs by an entry point in the group ``offnominal.study_kinds``."""


def study_kind(name: str) -> StudyKind[Any, Any]:
    """Return a study kind.

    Args:
        name: A registered id, or ``"package.module:Class"``.

    Example:
        >>> study_kind("serach")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no study kind 'serach'. Did you mean 'search'? There are ...
    """
    try:
        return study_kinds.build(name)
    except UnknownName:
        if name in study_kinds or ":" in name:
            raise
        ids = study_kinds.ids()
        raise UnknownName(f"no study kind {name!r}.{did_you_mean(name, ids)} There are {', '.join(ids)}.") from None


def kind_of(found: BaseCell | BaseStudy) -> StudyKind[Any, Any]:
    """Return the kind of a study or of a cell."""
    return study_kind(found.kind)


def cell_from(data: Mapping[str, Any], *, allow_modules: Collection[str] = ()) -> BaseCell:
    """Return a cell of any kind from plain data.

    Args:
        data: As ``to_dict`` of a cell returns it.
        allow_modules: Packages whose classes the data may name although they are not registered.

    Example:
        >>> from offnominal.kinds import Cell
        >>> cell_from(Cell("SAP-Goal0-v0", "KNN", "KNN").to_dict()).label
        'SAP-Goal0-v0/expert/KNN/0'
    """
    try:
        _import_modules(data, allow_modules)
        cell: BaseCell = _kind_in(data, allow_modules).parse_cell(data)
        _check_targets(cell, allow_modules)
    except RecursionError:
        raise InvalidParameter("the cell is nested too deeply.") from None
    return cell


def study_from(data: Mapping[str, Any], *, allow_modules: Collection[str] = ()) -> BaseStudy:
    """Return a study of any kind from plain data.

    Args:
        data: As ``to_dict`` of a study returns it.
        allow_modules: Packages whose classes the data may name although they are not registered.
    """
    _import_modules(data, allow_modules)
    fields = {name: value for name, value in data.items() if (name, value) != ("kind", STUDY)}
    study: BaseStudy = _kind_in(data, allow_modules).parse_study(fields)
    _check_targets(study, allow_modules)
    return study


def _import_modules(data: Mapping[str, Any], allow_modules: Collection[str]) -> None:
    """Import the modules that plain data list, if all of them are allowed."""
    modules = data.get("modules", ())
    if not isinstance(modules, list | tuple):
        raise InvalidParameter(f"modules is {modules!r}; expected a list of names, such as ['my_package'].")
    for module in modules:
        check_allowed(check_module_name(module), allow_modules)
    import_modules(modules)


def _kind_in(data: Mapping[str, Any], allow_modules: Collection[str]) -> StudyKind[Any, Any]:
    """Return the kind that plain data name; nothing is imported from a package that is not allowed."""
    name = data.get("kind", "") or STUDY
    ids = study_kinds.ids()
    if not isinstance(name, str) or (name not in ids and ":" not in name):
        raise InvalidParameter(
            f"kind is {name!r}.{did_you_mean(str(name), ids)} Choose from {', '.join(ids)}, or leave it out."
        )
    study_kinds.find(name, allow_modules=allow_modules)
    return study_kind(name)


def _check_targets(found: BaseStudy | BaseCell, allow_modules: Collection[str]) -> None:
    """Raise an error for unknown ids, and for classes of packages that are not allowed, before anything is imported."""
    for registry, name in found.targets():
        registry.find(name, allow_modules=allow_modules)
