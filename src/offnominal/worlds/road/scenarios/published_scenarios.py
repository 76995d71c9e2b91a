"""Scenario files of other generators: what cannot be read is left out, and the rest goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from offnominal.core.checksum import KEY, without_checksum
from offnominal.core.errors import DamagedFile, MissingFile, OffnominalError, UnknownName
from offnominal.core.files import file_errors, read_json, sha256_of
from offnominal.worlds.road.assets.catalogue import anomaly_object, catalogue
from offnominal.worlds.road.scenarios.description import town_key
from offnominal.worlds.road.scenarios.errors import InvalidScenario
from offnominal.worlds.road.scenarios.published_format import scenario_from_json
from offnominal.worlds.road.scenarios.scenario_file import PREFIX, ScenarioFile

STAND_IN = "stands_in_for"
"""Entry of an anomaly whose object is not in the catalogue: its blueprint id."""


@dataclass(frozen=True)
class PublishedScenarios:
    """Scenario files of a folder, as far as they can be read.

    Args:
        files: Files by their names, with the scenarios that can be read.
        refused: Why files and scenarios are left out, by the name of the file and the id of the scenario.
        stand_ins: Objects of the catalogue that stand in for unknown ones, by their blueprint ids.
    """

    files: dict[str, ScenarioFile]
    refused: dict[str, str] = field(default_factory=dict)
    stand_ins: dict[str, str] = field(default_factory=dict)


def read_published_scenarios(folder: Path | str, *, stand_ins: bool = True) -> PublishedScenarios:
    """Read the scenario files of another generator, such as AnoVox.

    A scenario with an error is left out, and the others of its file are read. For an object that the catalogue does not
    have, another one of its class can stand in, which its blueprint id decides.

    Args:
        folder: Folder with files ``scenario_config_map_<town>.json``.
        stand_ins: Whether objects of the catalogue stand in for unknown ones; without, their scenarios are left out.

    Raises:
        MissingFile: The folder has no scenario files.
    """
    place = Path(folder)
    with file_errors(place):
        paths = sorted(path for path in place.iterdir() if path.match(f"{PREFIX}*.json"))
    if not paths:
        raise MissingFile(f"{place} has no scenario files ({PREFIX}*.json).")
    found = PublishedScenarios({})
    seen: set[str] = set()
    for path in paths:
        try:
            file = _read(path, found, seen, stand_ins)
        except OffnominalError as error:
            found.refused[path.name] = str(error)
        else:
            found.files[path.name] = file
    return found


def _read(path: Path, found: PublishedScenarios, seen: set[str], stand_ins: bool) -> ScenarioFile:
    data = read_json(path)
    # Files of other generators have no checksum.
    data = without_checksum(data, path) if KEY in data else data
    definition = data.get("scenario_definition") if isinstance(data, Mapping) else None
    if not isinstance(definition, Mapping) or not isinstance(definition.get("scenarios"), list):
        raise DamagedFile(f"{path} has no list scenario_definition.scenarios; it is no scenario file.")
    town = town_key(definition.get("map"))
    scenarios = []
    for number, entry in enumerate(definition["scenarios"]):
        id = entry.get("id") if isinstance(entry, Mapping) else None
        try:
            known = _with_known_object(entry, found.stand_ins) if stand_ins else entry
            scenario = scenario_from_json(known, town)
            if scenario.id in seen:
                raise InvalidScenario(f"another scenario has the id {scenario.id}.")
        except (OffnominalError, TypeError) as error:
            found.refused[f"{path.name}, scenario {id or number}"] = str(error)
        else:
            seen.add(scenario.id)
            scenarios.append(scenario)
    return ScenarioFile(town, tuple(scenarios))


def _with_known_object(entry: Any, stand_ins: dict[str, str]) -> Any:
    """Return a scenario whose object is in the catalogue; an entry tells for which one it stands in."""
    anomaly = entry.get("anomaly_config") if isinstance(entry, Mapping) else None
    blueprint = anomaly.get("anomaly_bp_name") if isinstance(anomaly, Mapping) else None
    if not isinstance(anomaly, Mapping) or anomaly.get("anomalytype") != "STATIC" or not isinstance(blueprint, str):
        return entry
    try:
        anomaly_object(blueprint)
    except UnknownName:
        name = stand_in_for(blueprint)
        stand_ins[blueprint] = name
        return {**entry, "anomaly_config": {**anomaly, "anomaly_bp_name": name, STAND_IN: blueprint}}
    return entry


def stand_in_for(blueprint: str) -> str:
    """Return the object of the catalogue that stands in for an unknown one: of its class, drawn by its blueprint id.

    Raises:
        UnknownName: The id does not end in a class of objects.

    Example:
        >>> stand_in_for("static.prop.o_barbedwire_special") == stand_in_for("static.prop.o_barbedwire_special")
        True
    """
    super_class = blueprint.rpartition("_")[2].lower()
    names = [each.name for each in catalogue().values() if each.super_class.name.lower() == super_class]
    if not names:
        classes = sorted({each.super_class.name.lower() for each in catalogue().values()})
        raise UnknownName(
            f"no object named {blueprint!r}, and it does not end in a class of objects: {', '.join(classes)}."
        )
    return names[int(sha256_of(blueprint)[:8], 16) % len(names)]
