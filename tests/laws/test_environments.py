"""Environments with dict observations obey the laws of environments; broken environments fail them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.classic_control import CartPoleEnv

from offnominal.core.errors import UnknownName
from offnominal.laws import check_environment
from offnominal.worlds.catalogue import TOWN

pytestmark = pytest.mark.long


def test_the_town_obeys_the_laws_of_environments() -> None:
    report = check_environment(TOWN, steps=8, town="residential", vehicles=3, pedestrians=3)
    report.raise_if_broken()
    assert all(finding.holds for finding in report)


class Unseeded(CartPoleEnv):
    """Draws from a generator of its own."""

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        _, info = super().reset(**options)
        self.state = np.random.default_rng().normal(0.0, 0.01, 4)
        return np.array(self.state, np.float32), info


class Remembering(CartPoleEnv):
    """Starts where the last episode ended."""

    last = 0.0

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = super().reset(**options)
        return observation + np.float32(self.last), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, *outcome = super().step(action)
        self.last = float(observation[0])
        return observation, *outcome


class Reused(CartPoleEnv):
    """Returns the same array at every step."""

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = super().reset(**options)
        self.held = observation
        return self.held, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, *outcome = super().step(action)
        self.held[:] = observation
        return self.held, *outcome


class Infinite(CartPoleEnv):
    """Has infinite rewards."""

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        observation, _, *ends = super().step(action)
        return observation, float("inf"), *ends


@pytest.mark.parametrize(
    ("broken", "law"),
    [
        (Unseeded, "an episode is reproducible by its seed"),
        (Remembering, "a reset removes all state"),
        (Reused, "a step changes no array that others hold"),
        (Infinite, "observations and rewards match their spaces"),
    ],
)
def test_broken_environments_fail(broken: type[gymnasium.Env[Any, Any]], law: str) -> None:
    report = check_environment(broken)
    assert law in [finding.law for finding in report if finding.problem]


def test_unknown_environments_are_named_errors() -> None:
    with pytest.raises(UnknownName, match=r"Did you mean .*ROAD-Town-v0"):
        check_environment("offnominal/ROAD-Towm-v0")
