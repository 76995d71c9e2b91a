"""Recorded scenes of a stand-in for the simulation."""

import importlib
import sys
from pathlib import Path

import pytest

from offnominal.datasets.scenes import open_scenes, record_scenes

HERE = str(Path(__file__).parent)


@pytest.fixture(scope="session")
def stand_in():
    """The module of the stand-in, which other processes can import."""
    sys.path.insert(0, HERE)
    yield importlib.import_module("stand_in")
    sys.path.remove(HERE)


@pytest.fixture(scope="session")
def recorded(stand_in, tmp_path_factory):
    """A set of scenes with twins that no test changes."""
    folder = tmp_path_factory.mktemp("scenes") / "compact"
    record_scenes(stand_in.SCENARIOS, folder, twins=True, source=stand_in.Run)
    return open_scenes(folder)


@pytest.fixture(scope="session")
def older():
    """The module that writes files of AnoVox's older release."""
    sys.path.insert(0, HERE)
    yield importlib.import_module("older_release")
    sys.path.remove(HERE)
