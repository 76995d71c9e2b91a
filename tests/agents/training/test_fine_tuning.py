"""Polished policies earn more, the same way every time, and say how they came to be."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents import expert, expert_card  # noqa: E402
from offnominal.agents.files import load_policy, policy_hash, save_policy  # noqa: E402
from offnominal.agents.network import NetworkPolicy  # noqa: E402
from offnominal.agents.training.fine_tuning import FineTuningSettings, fine_tune  # noqa: E402
from offnominal.cli.agents import finetune as finetune_command  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402
from offnominal.rollouts import evaluate_policy  # noqa: E402

pytestmark = pytest.mark.long

CARTPOLE = "MJC-CartpoleSwingup-v0"
SHORT = FineTuningSettings(gradient_steps=6, episodes=8)


def earned(policy):
    seen = evaluate_policy(CARTPOLE, policy, 32, seed=123)
    return seen.mean_return, seen.success


def shaken():
    """An expert whose weights were disturbed."""
    generator, policy = np.random.default_rng(0), expert(CARTPOLE, "tqc-0")
    layers = [(weight * (1.0 + 0.03 * generator.standard_normal(weight.shape)), bias) for weight, bias in policy.layers]
    return NetworkPolicy(layers, policy.space)


def test_fine_tuning_improves_the_return():
    begun = shaken()
    fine_tuned, curve = fine_tune(CARTPOLE, begun, SHORT, earned, evaluations=3)
    assert [each.steps for each in curve] == [2 * 8 * 200, 4 * 8 * 200, 6 * 8 * 200]
    assert earned(fine_tuned)[0] == max(each.mean_return for each in curve)
    assert earned(fine_tuned)[0] > earned(begun)[0] + 0.05


def test_the_same_settings_give_the_same_policy():
    settings = SHORT.replace(gradient_steps=2, episodes=2)
    first, again, other = (
        fine_tune(CARTPOLE, expert(CARTPOLE), settings.replace(seed=seed), earned, evaluations=1)[0]
        for seed in (0, 0, 1)
    )
    assert policy_hash(first) == policy_hash(again) != policy_hash(other)


def test_time_ends_it():
    _, curve = fine_tune(CARTPOLE, expert(CARTPOLE), SHORT.replace(episodes=4), earned, minutes=1e-6)
    assert len(curve) <= 2


def test_the_card_has_both_commands(tmp_path):
    begun = tmp_path / "begun"
    card = save_policy(begun, expert(CARTPOLE, "rl-finetuned-sac"), expert_card(CARTPOLE, "rl-finetuned-sac"))
    path, fine_tuned = finetune_command(CARTPOLE, tmp_path / "out", policy=begun, gradient_steps=2, episodes=4)
    assert fine_tuned == load_policy(path)[1]
    assert (fine_tuned.world, fine_tuned.algorithm, fine_tuned.episodes) == (CARTPOLE, "rl-finetuned-sac", 1000)
    assert fine_tuned.command.startswith(
        f"{card.command} && offnominal finetune {CARTPOLE} --policy begun --gradient-steps 2"
    )
    assert fine_tuned.settings["fine_tuning"][-1]["gradient_steps"] == 2
    assert fine_tuned.settings["discount"] == card.settings["discount"]
    assert fine_tuned.steps == card.steps + 2 * 4 * 200


def test_policies_and_worlds_without_fine_tuning_are_refused(tmp_path):
    policy = expert(CARTPOLE, "tqc-0")
    with pytest.raises(InvalidParameter, match="ReLU"):
        fine_tune(CARTPOLE, NetworkPolicy(policy.layers, policy.space, activation="tanh"), SHORT, earned)
    with pytest.raises(InvalidParameter, match="positions and velocities"):
        finetune_command("SAP-Goal0-v0", tmp_path)
    save_policy(tmp_path / "other", policy, expert_card(CARTPOLE))
    with pytest.raises(InvalidParameter, match="not for MJC-Reacher3D-v0"):
        finetune_command("MJC-Reacher3D-v0", tmp_path, policy=tmp_path / "other")
