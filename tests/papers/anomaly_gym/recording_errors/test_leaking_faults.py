"""Faults that are never undone between episodes, as in the public code of Anomaly-Gym."""

import numpy as np
import pytest

from offnominal.datasets import Recipe, generate

pytestmark = pytest.mark.long

LEAKING, OTHER = "dynamics/force@strong", "dynamics/mass@strong"


def recorded(folder, **fields):
    recipe = Recipe.for_world(
        "SAP-Goal0-v0",
        episodes=6,
        nominal=2,
        anomalies=["dynamics/force", "dynamics/mass"],
        levels=["strong"],
        **fields,
    )
    return generate(recipe, folder)


def test_after_the_first_episode_a_leaking_fault_acts_from_the_first_step_but_is_labelled_from_its_onset(tmp_path):
    plain = recorded(tmp_path / "plain")
    leaking = recorded(tmp_path / "leaking", changes={"leaking": ("dynamics/force",)}, extras=("applied",))
    for once, same in zip(plain[OTHER], leaking[OTHER], strict=True):
        np.testing.assert_array_equal(once.observations, same.observations)
    for number, (once, leaked) in enumerate(zip(plain[LEAKING], leaking[LEAKING], strict=True)):
        assert leaked.events == once.events
        onset = once.events[0].onset
        np.testing.assert_array_equal(leaked.active, np.arange(len(leaked)) >= onset)
        first_acting = int(np.argmax(leaked.extras["applied"][:, 0] > 0))
        assert first_acting == (onset if number == 0 else 0)


def test_a_recipe_without_leaks_keeps_its_hash():
    recipe = Recipe.for_world("SAP-Goal0-v0", episodes=3, levels=[])
    assert "leaking" not in recipe.to_dict()
    assert recipe.digest() != recipe.replace(changes={"leaking": ("dynamics/force",)}).digest()
