"""Streets that no test changes."""

import pytest

from offnominal.laws import street_scene


@pytest.fixture(scope="session")
def streets():
    """Normal scenes."""
    return [street_scene(4, seed=seed) for seed in range(3)]


@pytest.fixture(scope="session")
def cow():
    """A scene with a cow on the lane."""
    return street_scene(4, seed=90, anomaly=True)
