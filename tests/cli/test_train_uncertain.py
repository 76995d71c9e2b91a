"""`offnominal train` for policies with uncertainty estimates."""

from __future__ import annotations

from pathlib import Path

import pytest
from gymnasium.spaces import Discrete
from typer.testing import CliRunner

from offnominal.agents import load_policy
from offnominal.agents.uncertainty import DenseNetworks, UncertainPolicy
from offnominal.cli import agents
from offnominal.cli.program import program
from offnominal.rollouts import evaluate_policy
from offnominal.rollouts import policy_card as evaluated_card
from offnominal.rollouts.policy_evaluation import PolicyEvaluation

pytestmark = pytest.mark.long

pytest.importorskip("torch", reason="torch is not installed")

WORLD = "OOD-CartPole-v0"
runner = CliRunner()


@pytest.fixture(autouse=True)
def few_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "VALIDATION_EPISODES", 4)
    monkeypatch.setattr(agents, "EVALUATION_EPISODES", 20)


def test_an_agent_is_trained_evaluated_and_saved(tmp_path: Path) -> None:
    arguments = ["train", WORLD, "--algorithm", "dqn", "--uncertainty", "dropout", "--probability", "0.1"]
    result = runner.invoke(program, [*arguments, "--steps", "640", "--device", "cpu", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    policy, card = load_policy(tmp_path / f"{WORLD}--dqn-dropout")
    assert (card.algorithm, card.uncertainty, card.probability, card.n_actions) == ("dqn-dropout", "dropout", 0.1, 2)
    wanted = f"offnominal train {WORLD} --algorithm dqn --uncertainty dropout --probability 0.1 --steps 640 --seed 0"
    assert card.command == wanted
    assert card.mean_return == evaluate_policy(WORLD, policy, 20).mean_return
    assert (card.episodes, card.settings["members"]) == (20, 1)
    assert "640 steps" in result.output
    assert 0 < card.steps <= 640


def test_a_run_with_the_same_folder_resumes(tmp_path: Path) -> None:
    arguments = ["train", WORLD, "--algorithm", "dqn", "--uncertainty", "dropconnect", "--device", "cpu"]
    said = [
        runner.invoke(program, [*arguments, "--steps", steps, "--out", str(tmp_path)]).output
        for steps in ("640", "1280")
    ]
    assert ["Resuming from" in each for each in said] == [False, True]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"{WORLD}--dqn-dropconnect.{ending}" for ending in ("checkpoint", "json", "safetensors")]
    assert "1,280 steps" in said[1]
    result = runner.invoke(program, [*arguments, "--seed", "1", "--out", str(tmp_path)])
    assert "delete it, or choose another folder" in str(result.exception)


def test_an_unfinished_game_is_evaluated_at_its_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, object]] = []

    def noted(world: str, policy: object, n: int, **how: object) -> PolicyEvaluation:
        asked.append({"n": n, **how})
        return PolicyEvaluation(n, -21.0, 0.0, 0.0, 764.0)

    monkeypatch.setattr(agents, "evaluate_policy", noted)
    monkeypatch.setattr(evaluated_card, "evaluate_policy", noted)
    policy = UncertainPolicy(DenseNetworks.random((4, 16, 6)), Discrete(6), kind="ensemble")
    assert agents._validate("OOD-Pong-v0", policy) == (-21.0, 0.0)
    assert evaluated_card.evaluated_card("OOD-Pong-v0", "dqn-ensemble", policy).episodes == 30
    assert [(each["n"], each["max_steps"], each["noops"]) for each in asked] == [(4, 4_000, 30), (30, 10_000, 30)]


def test_an_unknown_kind_is_refused_with_the_nearest(tmp_path: Path) -> None:
    arguments = ["train", WORLD, "--algorithm", "dqn", "--uncertainty", "ensembel", "--out", str(tmp_path)]
    result = runner.invoke(program, arguments)
    assert result.exit_code != 0
    assert "Did you mean 'ensemble'" in str(result.exception)


def test_a_policy_with_uncertainty_estimates_cannot_be_fine_tuned(tmp_path: Path) -> None:
    result = runner.invoke(program, ["finetune", WORLD, "--algorithm", "dqn-ensemble", "--out", str(tmp_path)])
    assert "only single networks can be fine-tuned" in str(result.exception)


def test_the_default_algorithm_depends_on_the_actions():
    from offnominal.cli.agents import default_algorithm

    assert [default_algorithm(world) for world in ("OOD-CartPole-v0", "OOD-Pendulum-v0", "SAP-Goal0-v0")] == [
        "dqn",
        "tqc",
        "tqc",
    ]


def test_the_shipped_expert_of_the_same_kind_can_demonstrate(tmp_path: Path) -> None:
    arguments = ["train", WORLD, "--algorithm", "dqn", "--demonstrator", "expert", "--steps", "640", "--device", "cpu"]
    result = runner.invoke(program, [*arguments, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    card = load_policy(tmp_path / f"{WORLD}--dqn-ensemble")[1]
    assert (card.settings["demonstrator"], "--demonstrator expert" in card.command) == ("expert", True)
