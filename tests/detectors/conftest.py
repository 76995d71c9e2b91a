"""Episodes that the tests of detectors share."""

import pytest

from offnominal.agents import RandomPolicy, expert
from offnominal.anomalies import Fault
from offnominal.rollouts import collect
from offnominal.worlds.catalogue import make_world

WORLD = "SAP-Goal0-v0"


@pytest.fixture(scope="session")
def nominal():
    return collect(WORLD, expert(WORLD), 60, seed=1)


@pytest.fixture(scope="session")
def faulty():
    return collect(WORLD, expert(WORLD), 20, faults=Fault("observation/offset", 1.0, 4), seed=500)


@pytest.fixture(scope="session")
def restless():
    return collect(WORLD, RandomPolicy(make_world(WORLD, 1).action_space), 10, seed=900)
