"""The recorded scenes of a study, in the data home."""

from __future__ import annotations

import json
from dataclasses import dataclass

from offnominal.core.directories import data_home
from offnominal.core.errors import MissingFile
from offnominal.core.files import sha256_of
from offnominal.datasets.scenes import DrivingScenes, VoxelSettings, open_scenes, record_scenes
from offnominal.papers.anovox.scene_data import SPLITS, SceneData, Split

FOLDER = "driving-scenes"
DIGITS = 16
"""Length of the hash in the name of a folder."""


@dataclass(frozen=True, eq=False)
class SceneSets:
    """The recorded scenes of all splits.

    Args:
        train: Normal scenes for training; None if there are none.
        validation: Scenes on which thresholds are chosen; None if there are none.
        test: Scenes of the evaluation.
    """

    train: DrivingScenes | None
    validation: DrivingScenes | None
    test: DrivingScenes | None

    def content_hash(self) -> str:
        """Return a hash of all frames."""
        found = {
            split: {id: entry.sha256 for id, entry in scenes.manifest.scenes.items()}
            for split in SPLITS
            if (scenes := getattr(self, split)) is not None
        }
        return sha256_of(json.dumps(found, sort_keys=True))


_OPEN: dict[str, SceneSets] = {}


def open_scene_sets(data: SceneData, *, workers: int = 1) -> SceneSets:
    """Return the scenes of some data, recorded on first use; they stay open for cells with the same data.

    An interrupted recording resumes with the same call.

    Args:
        data: Description of the scenes.
        workers: Number of processes of a recording.
    """
    key = f"{data_home()} {data.digest()}"
    if key not in _OPEN:
        _OPEN.clear()
        _OPEN[key] = SceneSets(*(_open(data, split, workers) for split in SPLITS))
    return _OPEN[key]


def _open(data: SceneData, split: Split, workers: int) -> DrivingScenes | None:
    """Return the scenes of a split, or None if it has none."""
    scenarios = data.scenarios(split)
    if not scenarios:
        return None
    folder = data_home() / FOLDER / f"{split}-{data.recipe(split)[:DIGITS]}"
    try:
        return open_scenes(folder)
    except MissingFile:
        record_scenes(
            scenarios,
            folder,
            twins=data.twins and split == "test",
            rig=data.sensors(),
            voxels=VoxelSettings(),
            workers=workers,
        )
    return open_scenes(folder)
