"""`offnominal train` with algorithms that know how sure they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from offnominal.agents import load_policy
from offnominal.cli import agents
from offnominal.cli.program import program
from offnominal.rollouts import judge

pytest.importorskip("torch", reason="torch is not installed")

WORLD = "OOD-CartPole-v0"
runner = CliRunner()


@pytest.fixture(autouse=True)
def few_episodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "JUDGED_ON_THE_WAY", 4)
    monkeypatch.setattr(agents, "FRESH", 20)


def test_an_agent_is_trained_judged_and_saved(tmp_path: Path) -> None:
    arguments = ["train", WORLD, "--algorithm", "dqn", "--uncertainty", "dropout", "--probability", "0.1"]
    result = runner.invoke(program, [*arguments, "--steps", "640", "--device", "cpu", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    policy, card = load_policy(tmp_path / f"{WORLD}--dqn-dropout")
    assert (card.algorithm, card.uncertainty, card.probability, card.choices) == ("dqn-dropout", "dropout", 0.1, 2)
    wanted = f"offnominal train {WORLD} --algorithm dqn --uncertainty dropout --probability 0.1 --steps 640 --seed 0"
    assert card.command == wanted
    assert card.mean_return == judge(WORLD, policy, 20).mean_return
    assert (card.steps, card.episodes, card.settings["members"]) == (640, 20, 1)


def test_an_unknown_kind_is_refused_with_the_nearest(tmp_path: Path) -> None:
    arguments = ["train", WORLD, "--algorithm", "dqn", "--uncertainty", "ensembel", "--out", str(tmp_path)]
    result = runner.invoke(program, arguments)
    assert result.exit_code != 0
    assert "Did you mean 'ensemble'" in str(result.exception)


def test_an_agent_with_uncertainty_cannot_be_polished(tmp_path: Path) -> None:
    result = runner.invoke(program, ["polish", WORLD, "--algorithm", "dqn-ensemble", "--out", str(tmp_path)])
    assert "only plain networks can be polished" in str(result.exception)


def test_the_usual_algorithm_fits_the_actions():
    from offnominal.cli.agents import usual_algorithm

    assert [usual_algorithm(world) for world in ("OOD-CartPole-v0", "OOD-Pendulum-v0", "SAP-Goal0-v0")] == [
        "dqn",
        "tqc",
        "tqc",
    ]
