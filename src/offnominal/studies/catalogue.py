"""Studies by name, and studies in users' files."""

from __future__ import annotations

import json
import runpy
import tomllib
from collections.abc import Collection, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from offnominal.core.errors import InvalidParameter, MissingFile, UnknownName, did_you_mean
from offnominal.core.files import read_text
from offnominal.core.registry import Registry, Spec
from offnominal.studies.base import BaseStudy
from offnominal.studies.kinds import study_from

studies: Registry[BaseStudy] = Registry("study", catalogue="offnominal.papers.catalogue:register_studies")
"""Studies by name; other packages add theirs by an entry point in the group ``offnominal.studies``."""


def study_file(id: str, package: str, file: str, summary: str) -> Spec:
    """Return the registry entry of a study in a TOML file of an installed package.

    Args:
        id: Name of the study.
        package: Package that holds the file.
        file: Name of the file.
        summary: One line for listings.
    """
    return Spec(id, "offnominal.studies.catalogue:read_study", summary, {"package": package, "file": file})


def read_study(package: str, file: str) -> BaseStudy:
    """Return the study in a TOML file of an installed package."""
    return parse(files(package).joinpath(file).read_text(encoding="utf-8"), file)


def load_study(source: str | Path, *, allow_modules: Collection[str] = ()) -> BaseStudy:
    """Return a study by name, or from a TOML file, or from a Python file that defines `study`.

    Args:
        source: Name of a registered study, or path of a file that ends in ``.toml`` or ``.py``. A Python file is run.
        allow_modules: Packages whose classes a TOML file may name although they are not registered through an entry
            point. Classes are imported when the study is run, and importing runs code: allow what you trust.

    Raises:
        ModuleNotAllowed: The TOML file names a class of another package.

    Example:
        >>> load_study("anomaly-gym").at("smoke").worlds
        ('SAP-Goal0-v0', 'MJC-CartpoleSwingup-v0')
    """
    path = Path(source)
    if path.suffix not in (".toml", ".py"):
        return studies.make(str(source))
    try:
        text = read_text(path)
    except MissingFile:
        raise InvalidParameter(
            f"there is no file {path}; give the path of a study, or the name of a registered one."
        ) from None
    if path.suffix == ".toml":
        return parse(text, str(path), allow_modules=allow_modules)
    study = runpy.run_path(str(path)).get("study")
    if not isinstance(study, BaseStudy):
        raise InvalidParameter(f"{path} defines no `study` that is a study; add `study = Study(...)`.")
    return study


def parse(text: str, where: str, *, allow_modules: Collection[str] = ()) -> BaseStudy:
    """Return the study that a TOML text describes.

    Args:
        text: The TOML text.
        where: Name of the text in errors.
        allow_modules: See :func:`load_study`.
    """
    try:
        data = tomllib.loads(text)
        # Cells are named by a hash of their JSON, which has no dates and a limited depth.
        json.dumps(data)
    except RecursionError:
        raise InvalidParameter(f"{where} is not a study: it is nested too deeply.") from None
    except (ValueError, TypeError) as error:
        raise InvalidParameter(f"{where} is not a study in TOML: {error}.") from None
    if isinstance(data.get("scales"), dict):
        data["scales"] = extended_scales(data["scales"])
    return study_from(data, allow_modules=allow_modules)


EXTENDS = "extends"


def extended_scales(scales: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of all scales, each with what it takes from the scale that it extends.

    Args:
        scales: Tables by name. One with ``extends = "NAME"`` has the values of that scale where it has none of its own,
            in tables within it too. It has its own summary.

    Raises:
        UnknownName: There is no scale of that name.
        InvalidParameter: Scales extend each other.

    Example:
        >>> laptop = {"seeds": [0], "data": {"episodes": 20}}
        >>> extended_scales({"laptop": laptop, "long": {"extends": "laptop", "data": {"episodes": 50}}})["long"]
        {'seeds': [0], 'data': {'episodes': 50}}
    """
    return {name: _extended(scales, [name]) for name in scales}


def _extended(scales: Mapping[str, Any], names: list[str]) -> Any:
    """Return the last scale of a chain in which each extends the next one."""
    table = scales[names[-1]]
    if not isinstance(table, Mapping) or EXTENDS not in table:
        return table
    base = table[EXTENDS]
    if not isinstance(base, str) or base not in scales:
        raise UnknownName(
            f"scale {names[-1]!r} extends {base!r}, which is no scale.{did_you_mean(str(base), scales)} "
            f"There are: {', '.join(scales)}."
        )
    if base in names:
        raise InvalidParameter(f"scales extend each other: {', '.join([*names, base])}; one must not have {EXTENDS!r}.")
    own = {name: value for name, value in table.items() if name != EXTENDS}
    whole = _extended(scales, [*names, base])
    # A scale that is no table is an error that is reported when the study is made.
    taken = {name: value for name, value in whole.items() if name != "summary"} if isinstance(whole, Mapping) else {}
    return _merged(taken, own)


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with the values of two; of tables in both, with the values of both."""
    both = {
        name: _merged(base[name], value)
        for name, value in own.items()
        if isinstance(value, Mapping) and isinstance(base.get(name), Mapping)
    }
    return {**base, **own, **both}
