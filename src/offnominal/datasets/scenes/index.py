"""Index of one driving scene, and the manifest of a set of scenes, with the hash of every file."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Literal, TypeAlias

from offnominal.core.checks import file_name
from offnominal.core.config import Config
from offnominal.core.errors import DamagedFile, UnsupportedEnvironment
from offnominal.core.files import content_errors, file_errors, read_json, sha256_of
from offnominal.core.printable import shown
from offnominal.datasets.manifest_file import ManifestFile, damage_named, installed, this_platform
from offnominal.datasets.scenes.scene_run import RUN, RunSource, SceneRun, source_name
from offnominal.datasets.scenes.voxel_files import VoxelSettings
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.rigs import MODELS, Rig
from offnominal.worlds.road.scenarios import Scenario, scenario_from_json, scenario_to_json
from offnominal.worlds.road.scenes import AnomalyTruth, Hit

SCENES, SCENE = "scenes.json", "scene.json"
TWIN = "-twin"
AGAIN = "record the scenes again into another folder"

Layout: TypeAlias = Literal["compact", "published"]


@dataclass(frozen=True)
class Part(Config):
    """Part of a file that belongs to a frame.

    Args:
        file: Path relative to the folder of the scene.
        offset: First byte.
        size: Number of bytes.
        sha256: SHA-256 of these bytes.
    """

    file: str
    offset: int
    size: int
    sha256: str


@dataclass(frozen=True)
class FrameEntry(Config):
    """A frame in the index of a scene, with its truth.

    Args:
        number: Number of the frame, from 0.
        tick: Tick of the scenario.
        anomalous: Whether an anomaly is active.
        instances: Instances that are anomalies or behave anomalously.
        pixels: Number of pixels of all cameras with the label of an anomaly.
        points: Number of measured points of all lidars with the label of an anomaly.
        parts: Where the frame is stored.
    """

    number: int
    tick: int
    anomalous: bool
    instances: tuple[int, ...]
    pixels: int
    points: int
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class SceneIndex(Config):
    """Description of a recorded scene.

    Args:
        id: Name of the scene: that of its scenario, with ``-twin`` for the nominal twin.
        town: Name of the town.
        scenario: The scenario, as in a scenario file.
        twin: Whether it is the nominal twin of the scenario.
        rig: Sensors, as plain data.
        route: Points of the route of the ego vehicle, m.
        truth: Ground truth of the anomaly; None if there is none.
        frames: Frames.
        documents: SHA-256 of files that do not belong to one frame alone, by name.
        look: Look of the scene, as plain data; None is the plain one.
    """

    id: str
    town: str
    scenario: dict[str, Any]
    twin: bool
    rig: dict[str, Any]
    route: tuple[tuple[float, float], ...]
    truth: dict[str, Any] | None
    frames: tuple[FrameEntry, ...]
    documents: dict[str, str]
    look: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; the plain look is left out, as in files that were written before there were others."""
        data = super().to_dict()
        return data if self.look is not None else {name: value for name, value in data.items() if name != "look"}

    @property
    def files(self) -> set[str]:
        """Files of the scene besides its index, relative to its folder."""
        return {part.file for frame in self.frames for part in frame.parts} | set(self.documents)


@dataclass(frozen=True)
class SceneEntry(Config):
    """A scene in the manifest of a set.

    Args:
        folder: Folder relative to the manifest.
        frames: Number of frames.
        size: Size of all its files, bytes.
        sha256: SHA-256 of its index.
    """

    folder: str
    frames: int
    size: int
    sha256: str


@dataclass(frozen=True)
class SceneManifest(ManifestFile):
    """Description of a set of driving scenes.

    Args:
        layout: Layout of the files, ``"compact"`` or ``"published"``.
        recipe_sha256: Hash of the scenarios and of everything else that decides the content.
        versions: Versions of the packages that wrote it.
        platform: Operating system and processor on which it was written.
        scenes: Scenes by id.
        discarded: Why a scene was discarded, by id.
        documents: SHA-256 of the other files.
        format: Version of the manifest.
        sha256: Hash of all other fields.
    """

    FILE: ClassVar[str] = SCENES
    FORMAT: ClassVar[int] = 1
    NOUN: ClassVar[str] = "a set of driving scenes"
    REMEDY: ClassVar[str] = AGAIN

    layout: Layout
    recipe_sha256: str
    versions: dict[str, str]
    platform: str
    scenes: dict[str, SceneEntry] = field(default_factory=dict)
    discarded: dict[str, str] = field(default_factory=dict)
    documents: dict[str, str] = field(default_factory=dict)
    format: int = FORMAT
    sha256: str = ""

    @classmethod
    def here(cls, layout: Layout, recipe_sha256: str) -> SceneManifest:
        """Return the manifest of a new set on this machine, without scenes."""
        return cls(layout, recipe_sha256, installed(), this_platform())


@dataclass(frozen=True)
class ScenePlan:
    """A scene to record.

    Args:
        scenario: Its scenario.
        twin: Whether to record the nominal twin.
        rig: Sensors; None are those of the scenario.
        voxels: How voxel truth is computed; None to record none.
    """

    scenario: Scenario
    twin: bool = False
    rig: Rig | None = None
    voxels: VoxelSettings | None = None

    @cached_property
    def id(self) -> str:
        """Name of the scene."""
        return file_name("the id of a scene", self.scenario.id + (TWIN if self.twin else ""))

    @property
    def recipe(self) -> dict[str, Any]:
        """Everything that decides the content of the scene."""
        rig = self.rig and rig_to_dict(self.rig)
        found = {
            "town": self.scenario.town,
            "scenario": scenario_to_json(self.scenario),
            "twin": self.twin,
            "rig": rig,
        }
        return found if self.voxels is None else {**found, "voxels": self.voxels.to_dict()}

    def start(self, source: RunSource) -> SceneRun:
        """Return the run of the scenario.

        Raises:
            UnsupportedEnvironment: The source returns something else.
        """
        run = source(self.scenario, rig=self.rig, twin=self.twin)
        if missing := sorted(RUN - set(dir(run))):
            raise UnsupportedEnvironment(
                f"{source_name(source)} returns {shown(run)}, which has no {', '.join(missing)}; expected the run of a "
                "scenario, such as a ScenarioRun."
            )
        return run


def rig_to_dict(rig: Rig) -> dict[str, Any]:
    """Return a rig as plain data for :meth:`Rig.from_dict`."""
    data = {each.name: getattr(rig, each.name) for each in dataclasses.fields(rig) if each.init}
    # Ideal sensors are left out, as in files that were written before there were others.
    for name, kind in MODELS.items():
        model = data.pop(name)
        data |= {} if model == kind() else {name: model.to_dict()}
    return data | {"mounts": [dataclasses.asdict(mount) for mount in rig.mounts], "lidar_fov": list(rig.lidar_fov)}


def truth_to_dict(truth: AnomalyTruth | None) -> dict[str, Any] | None:
    """Return the ground truth of an anomaly as plain data."""
    return None if truth is None else {**dataclasses.asdict(truth), "label": truth.label.name}


def truth_from_dict(data: dict[str, Any] | None) -> AnomalyTruth | None:
    """Return the ground truth of :func:`truth_to_dict`."""
    if data is None:
        return None
    with content_errors("the index of a scene", "the ground truth of an anomaly"):
        size, position = tuple(data["size"]), tuple(data["position"])
        hits = tuple(Hit(**each) for each in data.get("hits", ()))
        known = {"label": Label[data["label"]], "size": size, "position": position, "hits": hits}
        return AnomalyTruth(**{**data, **known})


def scenario_of(index: SceneIndex) -> Scenario:
    """Return the scenario of a scene."""
    return scenario_from_json(index.scenario, index.town)


def read_scene_index(folder: Path, entry: SceneEntry) -> SceneIndex:
    """Read the index of a scene of a set; raise :class:`DamagedFile` if it is not the one of the manifest."""
    path = folder / _inside(entry.folder, folder) / SCENE
    if sha256_of(path) != entry.sha256:
        raise DamagedFile(f"{path} is not the file that {folder / SCENES} lists; {AGAIN}.")
    data = read_json(path)
    with damage_named(path, AGAIN):
        return SceneIndex.from_dict(data)


def read_part(folder: Path, part: Part) -> bytes:
    """Return a part of a file, or raise :class:`DamagedFile` if it does not have its hash."""
    path = folder / _inside(part.file, folder)
    with file_errors(path), path.open("rb") as file:
        file.seek(part.offset)
        content = file.read(part.size)
    if sha256_of(content) != part.sha256:
        raise DamagedFile(
            f"{path}: bytes {part.offset} to {part.offset + part.size} do not have the SHA-256 in the index; {AGAIN}."
        )
    return content


def _inside(path: str, folder: Path) -> str:
    """Return a path of an index if it is inside the folder."""
    plain = PurePosixPath(path)
    if plain.is_absolute() or ".." in plain.parts or not plain.name:
        raise DamagedFile(f"an index lists {path!r}, which is not in {folder}; {AGAIN}.")
    return path
