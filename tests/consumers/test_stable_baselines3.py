"""Stable-Baselines3 accepts our environments."""

from __future__ import annotations

import warnings

import gymnasium
import pytest

import offnominal as off
from offnominal.worlds import worlds

pytestmark = pytest.mark.long

env_checker = pytest.importorskip("stable_baselines3.common.env_checker", reason="stable-baselines3 is not installed")


@pytest.mark.parametrize("id", worlds.ids())
def test_its_check_passes_on_every_world(id: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*symmetric and normalized.*")
        env = gymnasium.make(f"offnominal/{id}", disable_env_checker=True)
        env_checker.check_env(env, skip_render_check="camera" not in worlds.spec(id).tags)


@pytest.mark.parametrize("anomaly", ["observation/noise", "action/delay", "dynamics/mass"])
def test_its_check_passes_on_a_faulty_world(anomaly: str) -> None:
    env_checker.check_env(off.make("SAP-Goal0-v0", anomaly, strength=2.0), skip_render_check=True)


@pytest.mark.parametrize("id", ["SAP-Goal0-v0", "MJC-CartpoleSwingup-v0"])
@pytest.mark.parametrize("observation", ["image", "both"])
def test_its_check_passes_on_image_observations(id: str, observation: str) -> None:
    env = gymnasium.make(f"offnominal/{id}", observation=observation, disable_env_checker=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*symmetric and normalized.*")
        env_checker.check_env(env, skip_render_check=True)
