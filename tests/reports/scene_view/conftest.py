"""Recorded scenes of the stand-in of the datasets, in both layouts, and a detector."""

import importlib.util
from pathlib import Path

import pytest

from offnominal.datasets.scenes import VoxelSettings, open_scenes, record_scenes
from offnominal.detectors.scenes import HeightAboveRoad, save_scene_detector

STAND_IN = Path(__file__).parents[2] / "datasets" / "scenes" / "stand_in.py"


@pytest.fixture(scope="package")
def sets(tmp_path_factory):
    """A folder with scenes in the compact and the published layout, and a fitted detector."""
    spec = importlib.util.spec_from_file_location("scene_view_stand_in", STAND_IN)
    stand_in = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stand_in)
    folder = tmp_path_factory.mktemp("view")
    record_scenes(stand_in.SCENARIOS[:2], folder / "compact", source=stand_in.Run)
    record_scenes(
        stand_in.SCENARIOS[1:2], folder / "published", layout="published", source=stand_in.Run, voxels=VoxelSettings()
    )
    save_scene_detector(folder / "height", HeightAboveRoad().fit([open_scenes(folder / "compact")[0]]))
    return folder
