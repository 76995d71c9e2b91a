"""Scenario files: all scenarios of one town in one JSON file, a set of them in a folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from offnominal.core.checks import instance_of, instances_of
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.config import Config
from offnominal.core.errors import AlreadyExists, InvalidParameter, MissingFile
from offnominal.core.files import file_errors, made_folder
from offnominal.core.printable import shown
from offnominal.worlds.road.scenarios.description import Scenario, published_town, town_key
from offnominal.worlds.road.scenarios.errors import InvalidScenario, described_at
from offnominal.worlds.road.scenarios.json_entries import Entries, merge, paths
from offnominal.worlds.road.scenarios.published_format import scenario_from_json, scenario_to_json

PREFIX = "scenario_config_map_"


@dataclass(frozen=True)
class ScenarioFile(Config):
    """The scenarios of one town, as one file.

    Args:
        town: Name of the town.
        scenarios: Its scenarios.
        extra: Entries of a file that this package does not know; they are kept.
    """

    town: str
    scenarios: tuple[Scenario, ...]
    extra: dict[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for each in self.scenarios:
            instance_of("a scenario", each, Scenario)
            if each.town != self.town:
                raise InvalidScenario(f"scenario {each.id} is in {each.town}, but its file is that of {self.town}.")
        check_ids(self.scenarios)

    @property
    def name(self) -> str:
        """Published name of the file.

        Example:
            >>> ScenarioFile("grid", ()).name
            'scenario_config_map_Town05.json'
        """
        return f"{PREFIX}{published_town(self.town)}.json"

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file."""
        scenarios = [scenario_to_json(each) for each in self.scenarios]
        return merge(
            {"scenario_definition": {"map": published_town(self.town), "scenarios": scenarios}},
            self.extra,
        )

    def unknown_entries(self) -> list[str]:
        """Return the names of the entries that this package does not know, with the similar names of known ones.

        Example:
            >>> scenario = Scenario("first", "grid", "CLEAR_NOON", seed=3, vehicles=9, pedestrians=9, extra={"note": 1})
            >>> ScenarioFile("grid", (scenario,)).unknown_entries()
            ['scenario first: note']
        """
        found = paths(self.extra, {"scenario_definition": {"map": "", "scenarios": []}})
        for each in self.scenarios:
            known = scenario_to_json(each.replace(extra={}))
            found += [f"scenario {each.id}: {path}" for path in paths(each.extra, known)]
        return found


def check_ids(scenarios: Iterable[Scenario]) -> None:
    """Raise if two scenarios have the same id."""
    seen: set[str] = set()
    for each in scenarios:
        if each.id in seen:
            raise InvalidScenario(f"two scenarios have the id {each.id}; give each its own.")
        seen.add(each.id)


def read_scenario_file(path: Path | str) -> ScenarioFile:
    """Read a scenario file.

    Raises:
        MissingFile: There is no such file.
        DamagedFile: The file is not JSON, or was changed.
        InvalidScenario: An entry is missing or misspelled, or has an invalid value; the message says which one.
        UnknownName: There is no such town, weather, rig, object or behaviour.
    """
    data = read_checked_json(Path(path))
    with described_at(str(path)):
        top = Entries(data, "the file")
        definition = Entries(top.take("scenario_definition"), "scenario_definition")
        town = town_key(definition.take("map"))
        entries = definition.take("scenarios")
        if not isinstance(entries, list):
            raise InvalidScenario(f"scenarios is {shown(entries)}; expected a list of scenarios.")
        scenarios = []
        for number, entry in enumerate(entries):
            with described_at(f"scenario {number}"):
                scenarios.append(scenario_from_json(entry, town))
        extra = top.unknown()
        if definition.unknown():
            extra["scenario_definition"] = definition.unknown()
        return ScenarioFile(town, tuple(scenarios), extra)


def write_scenario_file(file: ScenarioFile, path: Path | str) -> None:
    """Write a scenario file atomically; an existing file is not overwritten.

    Raises:
        AlreadyExists: There is a file of this name.
    """
    target = Path(path)
    with file_errors(target):
        if target.exists():
            raise AlreadyExists(f"{target} already exists; choose another name, or remove it.")
    write_checked_json(target, file.to_json())


def read_scenarios(folder: Path | str) -> dict[str, ScenarioFile]:
    """Read all scenario files of a folder, by their names.

    Raises:
        MissingFile: There is no such folder, or it has no scenario file.
        InvalidScenario: As for :func:`read_scenario_file`, or two scenarios have the same id.
    """
    place = Path(folder)
    with file_errors(place):
        names = sorted(path.name for path in place.iterdir() if path.match(f"{PREFIX}*.json"))
    if not names:
        raise MissingFile(
            f"{place} has no scenario files ({PREFIX}*.json); `offnominal scenarios make --out {place}` writes some."
        )
    files = {name: read_scenario_file(place / name) for name in names}
    with described_at(str(place)):
        check_ids(scenario for file in files.values() for scenario in file.scenarios)
    return files


def write_scenarios(scenarios: Iterable[Scenario], folder: Path | str) -> dict[str, ScenarioFile]:
    """Write scenarios to a new folder, one file per town. The folder appears with all its files or not at all.

    Args:
        scenarios: Scenarios with different ids.
        folder: Folder that does not exist or is empty.

    Returns:
        The files by their names.

    Raises:
        AlreadyExists: The folder is not empty.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from offnominal.worlds.road.scenarios import make_scenarios
        >>> with TemporaryDirectory() as folder:
        ...     written = write_scenarios(make_scenarios("smoke", seed=5), Path(folder) / "smoke")
        ...     read_scenarios(Path(folder) / "smoke") == written
        True
    """
    made = list(instances_of("scenarios", scenarios, Scenario))
    check_ids(made)
    towns = dict.fromkeys(each.town for each in made)
    files = [ScenarioFile(town, tuple(each for each in made if each.town == town)) for town in towns]
    target = _free_folder(folder)
    with made_folder(target.parent), file_errors(target):
        unfinished = target.with_name(f".{uuid4().hex}.unfinished")
        try:
            for file in files:
                write_checked_json(unfinished / file.name, file.to_json())
            unfinished.replace(target)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    return {file.name: file for file in sorted(files, key=lambda each: each.name)}


def _free_folder(folder: Path | str) -> Path:
    """Return the resolved path of a folder that does not exist or is empty."""
    if not isinstance(folder, Path | str) or not str(folder):
        raise InvalidParameter(f"folder is {folder!r}; give the path of a folder.")
    with file_errors(folder):
        path = Path(folder).resolve()
        if not path.name:
            raise InvalidParameter(f"{folder} cannot be the folder of scenario files; choose a folder inside it.")
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise AlreadyExists(f"{path} already exists; choose another folder, or remove it.")
    return path
