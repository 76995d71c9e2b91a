"""Evaluation of score files in the format of AnoVox's benchmark, so that detectors of others get the same metrics.

A file belongs to one frame. It has an array of numbers in NumPy's format: of pixels (height, width), of points (n,) in
the order of the points of the lidar's file, or of voxels (n, 4) with their position along x, y and z in the grid and
their score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from offnominal.core.checks import instance_of, one_of
from offnominal.core.errors import InvalidParameter, InvalidScores, OffnominalError, UnknownName, did_you_mean
from offnominal.core.files import content_errors, file_errors
from offnominal.core.types import Array
from offnominal.datasets.scenes.published_names import PREFIX
from offnominal.datasets.scenes.published_scenes import PublishedDrive
from offnominal.datasets.scenes.reading import DrivingScene
from offnominal.detectors.scenes.frame_scores import FrameScores
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.scenes.elements import (
    UNITS,
    Elements,
    Unit,
    VoxelMapping,
    matched_voxels,
    pixel_elements,
    point_elements,
)
from offnominal.evaluation.scenes.scene_evaluation import choose_thresholds, evaluate_frames
from offnominal.evaluation.scenes.scene_report import SceneReport
from offnominal.evaluation.scenes.score_checks import check_scores
from offnominal.evaluation.scenes.scored_scenes import SceneSettings, ScoredFrame, scored_frame
from offnominal.sensing.voxel_grid import VoxelGrid
from offnominal.sensing.voxels import Voxels
from offnominal.worlds.road.scenes import VOXEL_GRIDS, DrivingFrame, voxel_truth

ENDING = ".npy"


@dataclass(frozen=True)
class ScoreFileReport:
    """Metrics of a folder of score files.

    Args:
        report: The metrics.
        matched_by: How files were matched with frames: ``"scene and frame"``, ``"frame"`` or ``"order"``.
        files: Number of files that were evaluated.
        left_out: Why files are left out, by their paths.
        unscored: Number of frames without a file.
    """

    report: SceneReport
    matched_by: str
    files: int
    left_out: dict[str, str] = field(default_factory=dict)
    unscored: int = 0


def evaluate_score_files(
    folder: Path | str,
    scenes: Iterable[DrivingScene],
    unit: Unit,
    *,
    sensor: str | None = None,
    grid: VoxelGrid | None = None,
    validation: tuple[Path | str, Iterable[DrivingScene]] | None = None,
    as_published: bool = False,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> ScoreFileReport:
    """Evaluate score files of recorded scenes.

    Files in folders ``Scenario_<id>`` or ``<id>`` belong to the frame of that scene whose number ends their names.
    Files that are all in one folder belong to the frame of that number if it is that of one frame only. Otherwise they
    are taken in the order of the numbers in their names, as in the public code of AnoVox, and there must be as many of
    them as frames.

    Args:
        folder: Folder with the files.
        scenes: Scenes, such as those of :func:`~offnominal.datasets.scenes.open_recording`.
        unit: What has scores: ``"pixel"``, ``"point"`` or ``"voxel"``.
        sensor: Camera or lidar of the scores; None if the scenes have one.
        grid: Grid of the voxels; None is that of the recorded voxels of a scene, or of the public code of AnoVox.
        validation: Files and scenes on which the threshold of F1 is chosen; None for a report without it.
        as_published: Whether to compute the metrics of the public code of AnoVox as well.
        replicates: Bootstrap replicates, over scenarios.
        seed: Seed of the bootstrap.

    Raises:
        MissingFile: There is no such folder.
        InvalidScores: No file could be matched with a frame, or evaluated.
    """
    one_of("unit", unit, UNITS)
    reader = _ScoreFiles(unit, sensor, grid)
    thresholds: dict[Unit, float] = {}
    known: list[ScoredFrame] = []
    if validation is not None:
        known = reader.scored(Path(validation[0]), list(validation[1]), {})[0]
        thresholds = choose_thresholds(known, reader.settings)
    found, matched_by, left_out, unscored = reader.scored(Path(folder), list(scenes), thresholds)
    report = evaluate_frames(
        found,
        validation=known,
        thresholds=thresholds,
        settings=reader.settings,
        as_published=as_published,
        replicates=replicates,
        seed=seed,
    )
    return ScoreFileReport(report, matched_by, len(found), left_out, unscored)


class _ScoreFiles:
    """Reader of the score files of one sensor."""

    def __init__(self, unit: Unit, sensor: str | None, grid: VoxelGrid | None) -> None:
        self.unit, self.sensor, self.grid = unit, sensor, grid
        self.settings = SceneSettings(units=(unit,), mapping=VoxelMapping(grid=grid))

    def scored(
        self, folder: Path, scenes: list[DrivingScene], thresholds: dict[Unit, float]
    ) -> tuple[list[ScoredFrame], str, dict[str, str], int]:
        """Return the scored frames, how files were matched, what is left out, and how many frames have no file."""
        files, matched_by, left_out = match_files(folder, scenes)
        found: list[ScoredFrame] = []
        for scene in scenes:
            for number in range(len(scene)):
                path = files.get((scene.id, number))
                if path is None:
                    continue
                try:
                    found.append(self._frame(scene, number, path, thresholds))
                except OffnominalError as error:
                    left_out[str(path.relative_to(folder))] = str(error)
        if not found:
            reasons = "; ".join(f"{path}: {reason}" for path, reason in list(left_out.items())[:3])
            raise InvalidScores(f"no file of {folder} could be evaluated ({reasons or 'there are none'}).")
        return found, matched_by, left_out, sum(map(len, scenes)) - len(files)

    def _frame(self, scene: DrivingScene, number: int, path: Path, thresholds: dict[Unit, float]) -> ScoredFrame:
        values = _numbers(path)
        frame = scene[number]
        scores, settings = FrameScores(), self.settings
        if self.unit == "voxel":
            truth = self._truth(scene, frame)
            settings = SceneSettings(units=("voxel",), mapping=VoxelMapping(grid=truth.grid))
            elements = _voxels(values, truth, path)
        else:
            scores = self._scores(scene, frame, values)
            check_scores(scores, frame)
            elements = pixel_elements(frame, scores) if self.unit == "pixel" else point_elements(frame, scores)
        return scored_frame(scene, frame, {self.unit: elements}, scores, settings, thresholds)

    def _scores(self, scene: DrivingScene, frame: DrivingFrame, values: Array) -> FrameScores:
        """Return the scores of a camera or of a lidar."""
        known: Sequence[str] = list(frame.sensors.cameras if self.unit == "pixel" else frame.sensors.lidars)
        noun = "camera" if self.unit == "pixel" else "lidar"
        if self.sensor is None and len(known) != 1:
            raise InvalidParameter(
                f"the frame has the {noun}s {', '.join(known) or '(none)'}; name that of the scores."
            )
        name = known[0] if self.sensor is None else self.sensor
        if name not in known:
            raise UnknownName(f"the frame has no {noun} {name!r}.{did_you_mean(name, known)}")
        if self.unit == "pixel":
            camera = frame.sensors.cameras[name].camera
            shape = (camera.height, camera.width)
            return FrameScores({name: values.reshape(shape) if values.size == shape[0] * shape[1] else values})
        flat = values.reshape(-1)
        if isinstance(scene, PublishedDrive):
            order = scene.reader.point_orders(scene.details.frames[frame.number])[name]
            if len(flat) == len(order):
                flat = flat[order]
        return FrameScores({}, {name: flat})

    def _truth(self, scene: DrivingScene, frame: DrivingFrame) -> Voxels:
        """Return the recorded voxels if they have the grid of the scores, otherwise those of the sensors."""
        settings = scene.voxel_settings
        if settings is not None and self.grid in (None, settings.grid):
            return scene.voxels(frame.number)
        return voxel_truth(frame, grid=self.grid or VOXEL_GRIDS["public-code"])


def _voxels(values: Array, truth: Voxels, path: Path) -> Elements:
    """Return the voxels of a file that have a label."""
    if values.ndim != 2 or values.shape[1] != 4:
        raise InvalidScores(f"{path} has the shape {values.shape}; expected voxels (n, 4): x, y, z and score.")
    index = truth.grid.numbers(values[:, :3])
    order = np.argsort(index, kind="stable")
    if (np.diff(index[order]) == 0).any():
        raise InvalidScores(f"{path} has two scores of one voxel.")
    return matched_voxels(index[order], values[order, 3].astype(np.float32), truth, VoxelMapping(grid=truth.grid))


def match_files(
    folder: Path, scenes: Sequence[DrivingScene]
) -> tuple[dict[tuple[str, int], Path], str, dict[str, str]]:
    """Return the file of each frame by the id of its scene and its number, how they were matched, and what is left out.

    Raises:
        MissingFile: There is no such folder.
        InvalidScores: The files of one folder cannot be matched.
    """
    with file_errors(folder):
        inside = sorted(folder.iterdir())
    ticks = {scene.id: {int(tick): number for number, tick in enumerate(scene.ticks)} for scene in scenes}
    folders = {path.name.removeprefix(PREFIX): path for path in inside if path.is_dir()}
    if folders:
        return _by_scene(folders, ticks, folder)
    files = [path for path in inside if path.suffix == ENDING]
    left_out = {path.name: f"it does not end in {ENDING}" for path in inside if path.suffix != ENDING}
    numbers = [_number(path) for path in files]
    frames = [(tick, id, number) for id, known in ticks.items() for tick, number in known.items()]
    places = {tick: (id, number) for tick, id, number in frames}
    unique = len(places) == len(frames) and len(set(numbers)) == len(files) and None not in numbers
    if unique and any(number in places for number in numbers):
        found = {places[n]: path for n, path in zip(numbers, files, strict=True) if n is not None and n in places}
        left_out |= {path.name: f"no frame {n}" for n, path in zip(numbers, files, strict=True) if n not in places}
        return found, "frame", left_out
    if len(files) != len(frames):
        raise InvalidScores(
            f"{folder} has {len(files)} files for {len(frames)} frames, and their numbers are not those of "
            f"the frames; put them into folders {PREFIX}<id>, or name them after the frames."
        )
    ordered = sorted(files, key=lambda path: (-1 if (n := _number(path)) is None else n, path.name))
    return (
        {(id, number): path for (_, id, number), path in zip(sorted(frames), ordered, strict=True)},
        "order",
        left_out,
    )


def _by_scene(
    folders: dict[str, Path], ticks: dict[str, dict[int, int]], folder: Path
) -> tuple[dict[tuple[str, int], Path], str, dict[str, str]]:
    found: dict[tuple[str, int], Path] = {}
    left_out: dict[str, str] = {}
    for id, place in folders.items():
        if id not in ticks:
            left_out[place.name] = f"there is no scene {id!r}.{did_you_mean(id, ticks)}"
            continue
        with file_errors(place):
            paths = sorted(place.rglob(f"*{ENDING}"))
        for path in paths:
            tick = _number(path)
            if tick is None or tick not in ticks[id]:
                left_out[str(path.relative_to(folder))] = f"scene {id} has no frame {tick}"
            else:
                found[id, ticks[id][tick]] = path
    return found, "scene and frame", left_out


def _number(path: Path) -> int | None:
    """Return the number at the end of a name.

    Example:
        >>> _number(Path("pcd_voxel_scores_000012.npy")), _number(Path("scores.npy"))
        (12, None)
    """
    digits = path.stem[len(path.stem.rstrip("0123456789")) :]
    return int(digits) if digits else None


def _numbers(path: Path) -> Array:
    with content_errors(path, "an array"), file_errors(path), path.open("rb") as file:
        found = instance_of(f"the content of {path}", np.load(file, allow_pickle=False), np.ndarray)
    if found.dtype.kind not in "fiu" or not found.size:
        raise InvalidScores(f"{path} has {found.size} values of {found.dtype}; expected numbers.")
    if not np.isfinite(found).all():
        raise InvalidScores(f"{path}: {int((~np.isfinite(found)).sum())} values are not finite.")
    return found.squeeze() if found.ndim > 2 else found
