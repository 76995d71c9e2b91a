"""A deployable folder of a point mass, and its nominal and faulty episodes as samples."""

import shutil

import pytest

from offnominal.agents import expert
from offnominal.alarms import EpisodeMaximum
from offnominal.anomalies import Fault
from offnominal.detectors import make_detector
from offnominal.rollouts import collect
from offnominal.watch import Deployment, write_deployment

pytest.importorskip("onnx")
pytest.importorskip("torch")

WORLD = "SAP-Goal0-v0"
RATE = 50.0


@pytest.fixture(scope="session")
def calibration():
    return collect(WORLD, expert(WORLD), 60, seed=1000)


@pytest.fixture(scope="session")
def detector():
    return make_detector("Mahalanobis", view="window", window_length=3).fit(collect(WORLD, expert(WORLD), 60))


@pytest.fixture(scope="session")
def alarm(detector, calibration):
    return EpisodeMaximum(0.1).fit(detector.score(calibration))


@pytest.fixture(scope="session")
def written(tmp_path_factory, detector, alarm, calibration):
    """The folder; tests that change it take `folder`."""
    folder = tmp_path_factory.mktemp("deployments") / "point"
    write_deployment(folder, detector, alarm, calibration, rate=RATE)
    return folder


@pytest.fixture
def folder(tmp_path, written):
    return shutil.copytree(written, tmp_path / "point")


@pytest.fixture(scope="session")
def deployment(written):
    return Deployment.load(written)


@pytest.fixture(scope="session")
def nominal():
    return collect(WORLD, expert(WORLD), 20, seed=3000)


@pytest.fixture(scope="session")
def faulty():
    return collect(WORLD, expert(WORLD), 20, faults=Fault("observation/offset", 2.0, 3), seed=3000)
