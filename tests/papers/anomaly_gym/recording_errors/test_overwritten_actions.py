"""Faults whose changed actions are recorded as the commanded ones, as in the public code of Anomaly-Gym."""

import numpy as np
import pytest

from offnominal.core.errors import UnknownName
from offnominal.datasets import Recipe, generate

pytestmark = pytest.mark.long

FACTOR = 0.25
FAULTS = ("dynamics/brake_fail", "dynamics/steer_fail")


def recorded(folder, **fields):
    strengths = {(fault, "weak"): FACTOR for fault in (*FAULTS, "dynamics/slippery_road")}
    recipe = Recipe.for_world("CAR-LaneKeep-v0", episodes=2, nominal=1, max_steps=120, strengths=strengths, **fields)
    return generate(recipe, folder)


def test_only_the_recorded_actions_of_overwriting_faults_differ_and_only_while_they_act(tmp_path):
    plain, changed = recorded(tmp_path / "plain"), recorded(tmp_path / "changed", changes={"overwriting": FAULTS})
    for split in plain.splits:
        for once, again in zip(plain[split], changed[split], strict=True):
            np.testing.assert_array_equal(once.observations, again.observations)
            expected = once.actions.copy()
            if split == "dynamics/brake_fail@weak":
                expected[once.active & (expected[:, 0] < 0.0), 0] *= FACTOR
            if split == "dynamics/steer_fail@weak":
                expected[once.active, 1] *= FACTOR
            np.testing.assert_allclose(again.actions, expected, rtol=1e-6)
    assert any((once.active & (once.actions[:, 0] < 0.0)).any() for once in plain["dynamics/brake_fail@weak"])


def test_a_recipe_without_overwritten_actions_keeps_its_hash():
    recipe = Recipe.for_world("CAR-LaneKeep-v0", episodes=3, levels=[])
    assert "overwriting" not in recipe.to_dict()
    assert recipe.digest() != recipe.replace(changes={"overwriting": FAULTS}).digest()


def test_faults_that_change_no_actions_cannot_overwrite_them():
    with pytest.raises(UnknownName, match="brake_fail"):
        Recipe.for_world("CAR-LaneKeep-v0", levels=[], changes={"overwriting": ("dynamics/slippery_road",)})
