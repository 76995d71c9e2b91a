"""Scenes to draw: a scenario that is simulated, or a recorded scene in either layout."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

from offnominal.core.errors import DamagedFile, InvalidParameter, MissingFile, UnknownName, did_you_mean
from offnominal.datasets.scenes import DrivingScene, PublishedScene, open_published, open_recording, open_scenes
from offnominal.datasets.scenes.index import SCENES, SceneManifest
from offnominal.reports.scene_view.frame_view import DrivingView, FrameView, PublishedView
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenarios import ContentAnomaly, Scenario, read_scenario_file
from offnominal.worlds.road.scenes import ScenarioRun


class SceneSource(ABC):
    """A scene that can be drawn."""

    id: str
    """Name of the scene."""
    facts: tuple[str, ...]
    """What the title says of it: town, weather, rig and anomaly."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of frames."""

    @abstractmethod
    def frames(self, numbers: Sequence[int]) -> Iterator[FrameView]:
        """Return some frames, in rising order of their numbers."""

    def scored_frames(self, numbers: Sequence[int]) -> Iterator[FrameView]:
        """Return some frames as detectors can score them."""
        return self.frames(numbers)


class SimulatedSource(SceneSource):
    """A scenario that is simulated while it is drawn.

    Args:
        scenario: The scenario.
        rig: Sensor rig; None is that of the scenario.
    """

    def __init__(self, scenario: Scenario, rig: Rig | str | None = None) -> None:
        self._run = ScenarioRun(scenario, rig=rig)
        self.id = scenario.id
        self.facts = _facts(scenario, self._run.rig.name)

    def __len__(self) -> int:
        return len(self._run)

    def frames(self, numbers: Sequence[int]) -> Iterator[FrameView]:
        """Return some frames; the others are simulated, but not rendered."""
        last = max(numbers, default=-1)
        for frame in self._run.frames(numbers=numbers):
            yield DrivingView(frame)
            if frame.number == last:
                return


class RecordedSource(SceneSource):
    """A recorded scene in the compact layout.

    Args:
        scene: The scene.
    """

    def __init__(self, scene: DrivingScene) -> None:
        self._scene = scene
        self.id = scene.id
        self.facts = _facts(scene.scenario, scene.rig.name, twin=scene.twin)

    def __len__(self) -> int:
        return len(self._scene)

    def frames(self, numbers: Sequence[int]) -> Iterator[FrameView]:
        """Return some frames."""
        return (DrivingView(self._scene[number], self._scene) for number in sorted(numbers))


class PublishedSource(SceneSource):
    """A recorded scene in the published layout.

    Args:
        scene: The scene.
    """

    def __init__(self, scene: PublishedScene) -> None:
        self._scene = scene
        self.id = scene.id
        self.facts = ("published layout",) if scene.scenario is None else _facts(scene.scenario, scene.scenario.rig)

    def __len__(self) -> int:
        return len(self._scene)

    def frames(self, numbers: Sequence[int]) -> Iterator[FrameView]:
        """Return some frames."""
        return (PublishedView(self._scene[number], number) for number in sorted(numbers))

    def scored_frames(self, numbers: Sequence[int]) -> Iterator[FrameView]:
        """Return some frames as detectors can score them.

        Raises:
            DamagedFile: A frame lacks what detectors need.
        """
        recording = open_recording(self._scene.folder)
        drives = {drive.id: drive for drive in recording}
        at = {int(tick): number for number, tick in enumerate(drives[self.id].ticks)} if drives else {}
        for number in sorted(numbers):
            tick = self._scene.frame_ids[number]
            if tick not in at:
                reasons = "; ".join(f"{place}: {reason}" for place, reason in recording.left_out.items())
                raise DamagedFile(f"frame {number} of scene {self.id} cannot be scored ({reasons}).")
            view = DrivingView(drives[self.id][at[tick]], drives[self.id])
            view.number = number
            yield view


def open_scene_source(path: Path | str, scene: str | int | None = None, *, rig: Rig | str | None = None) -> SceneSource:
    """Open a scene to be drawn.

    Args:
        path: A scenario file, which is simulated, or a folder of recorded scenes in the compact or published layout.
        scene: Id of the scene, the beginning of it if no other scene begins so, or its position from 0; None for the
            first one.
        rig: Sensor rig of a simulated scenario; None is that of the scenario.

    Raises:
        MissingFile: There is no such file, or the folder has no scenes.
        UnknownName: There is no such scene.
        InvalidParameter: A rig is given for a recorded scene.
    """
    where = Path(path)
    if where.is_file():
        scenarios = {each.id: each for each in read_scenario_file(where).scenarios}
        return SimulatedSource(scenarios[chosen_id(list(scenarios), scene, where)], rig)
    if not where.exists():
        raise MissingFile(f"{where} does not exist; give a scenario file or a folder of recorded scenes.")
    if rig is not None:
        raise InvalidParameter(
            f"{where} is recorded with its own sensors; a rig can only be given for a scenario file."
        )
    if (where / SCENES).exists() and SceneManifest.read(where).layout == "compact":
        scenes = open_scenes(where)
        return RecordedSource(scenes[chosen_id(scenes.ids, scene, where)])
    published = {each.id: each for each in open_published(where)}
    return PublishedSource(published[chosen_id(list(published), scene, where)])


def chosen_id(ids: Sequence[str], scene: str | int | None, where: Path) -> str:
    """Return the id of a scene.

    Example:
        >>> chosen_id(["3fa2", "3fb7"], "3fb", Path("scenes")), chosen_id(["3fa2", "3fb7"], 0, Path("scenes"))
        ('3fb7', '3fa2')
    """
    if not ids:
        raise MissingFile(f"{where} has no scenes.")
    if scene is None:
        return ids[0]
    text = str(scene)
    if text in ids:
        return text
    if text.isdecimal() and int(text) < len(ids):
        return ids[int(text)]
    begun = [id for id in ids if text and id.startswith(text)]
    if len(begun) == 1:
        return begun[0]
    hint = did_you_mean(text, ids)
    raise UnknownName(
        f"no scene {text!r} in {where}.{hint} It has {len(ids)}: give an id, or a number below {len(ids)}."
    )


def _facts(scenario: Scenario, rig: str, *, twin: bool = False) -> tuple[str, ...]:
    anomaly = scenario.anomaly
    if twin or anomaly is None:
        found = "nominal twin" if twin else "no anomaly"
    elif isinstance(anomaly, ContentAnomaly):
        found = f"anomaly: {anomaly.name} ({anomaly.size})"
    else:
        found = f"anomaly: {anomaly.kind}"
    return scenario.town, scenario.weather, f"rig {rig}", found
