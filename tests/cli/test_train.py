"""`offnominal train` through Stable-Baselines3, and its import of agents."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from offnominal.agents import load_policy
from offnominal.agents.policy_ids import check_policy_id
from offnominal.agents.training.ppo_settings import settings_of_population
from offnominal.agents.training.settings import published
from offnominal.cli import agents, main, population
from offnominal.cli.program import program
from offnominal.core.errors import InvalidParameter
from offnominal.rollouts import evaluate_policy
from offnominal.worlds.catalogue import make_single

pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")

from stable_baselines3 import SAC

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
runner = CliRunner()


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("agents") / "agent.zip"
    SAC("MlpPolicy", make_single(WORLD), buffer_size=10, gamma=0.97, policy_kwargs={"net_arch": [16]}).save(path)
    return path


def test_a_policy_is_trained_through_stable_baselines3_and_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents, "VALIDATION_EPISODES", 4)
    arguments = ["train", WORLD, "--learner", "sb3", "--algorithm", "sac", "--steps", "120", "--device", "cpu"]
    outputs = []
    for _ in range(2):
        result = runner.invoke(program, [*arguments, "--out", str(tmp_path)])
        assert result.exit_code == 0, result.output
        outputs.append(result.output)
    assert "1,000 new episodes" in outputs[0]
    assert "Resuming from" not in outputs[0]
    assert "Resuming from" in outputs[1]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"{WORLD}--sac-sb3.{ending}" for ending in ("checkpoint", "json", "safetensors")]
    card = load_policy(tmp_path / f"{WORLD}--sac-sb3")[1]
    assert card.command == f"offnominal train {WORLD} --algorithm sac --learner sb3 --steps 120 --seed 0"
    assert (card.settings["learner"], card.settings["n_envs"], card.settings["batch_size"]) == ("sb3", 5, 256)
    assert (card.algorithm, card.episodes) == ("sac", 1000)
    assert "120 steps" in outputs[0]
    assert 0 < card.steps <= 120


def test_the_published_settings_are_kept_with_more_simulations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents, "VALIDATION_EPISODES", 4)
    given = ["--settings", "published", "--steps", "240", "--seed", "3", "--device", "cpu"]
    result = runner.invoke(program, ["train", WORLD, "--algorithm", "tqc", *given, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    card = load_policy(tmp_path / f"{WORLD}--tqc-published-3")[1]
    assert card.algorithm == "tqc-published-3"
    known = published(WORLD, "tqc")
    assert (card.settings["batch_size"], card.settings["learning_rate"]) == (known.batch_size, known.learning_rate)
    assert card.settings["n_envs"] / card.settings["gradient_steps"] == known.n_envs / known.gradient_steps == 5
    assert card.settings["n_envs"] > known.n_envs
    assert "--settings published" in card.command


@pytest.mark.parametrize(
    ("algorithm", "changes"), [("tqc", {}), ("ppo", {"rollout_steps": 2, "batch_size": 40})], ids=["tqc", "ppo"]
)
def test_several_seeds_are_trained_at_once(
    algorithm: str, changes: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(population, "EVALUATION_EPISODES", 8)
    given = ["--seed", "3", "--seed", "5", "--steps", "240", "--evaluations", "2", "--evaluators", "1"]
    assignments = [word for name, value in changes.items() for word in ("--set", f"{name}={value}")]
    arguments = ["train-seeds", WORLD, "--algorithm", algorithm, *given, *assignments, "--device", "cpu"]
    result = runner.invoke(program, [*arguments, "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert not list(tmp_path.glob("*.checkpoint"))
    curves = json.loads((tmp_path / f"{WORLD}--{algorithm}.curves.json").read_text())
    assert curves["settings"] == settings_of_population(WORLD, algorithm).replace(steps=240, **changes).to_dict()
    cards = {}
    for seed in (3, 5):
        policy, cards[seed] = load_policy(tmp_path / f"{WORLD}--{algorithm}-{seed}")
        curve = curves["curves"][str(seed)]
        assert [each["steps"] for each in curve] == [120, 240]
        best = max(curve, key=lambda each: each["mean_return"])
        assert cards[seed].steps == best["steps"]
        assert evaluate_policy(WORLD, policy, 256, seed=40_000_000).mean_return == best["mean_return"]
        assert (cards[seed].algorithm, cards[seed].settings["seed"]) == (f"{algorithm}-{seed}", seed)
        check_policy_id(cards[seed])
        assert cards[seed].settings["demonstrator"] == "none"
        assert cards[seed].mean_return == evaluate_policy(WORLD, policy, 8).mean_return
    assert cards[3].sha256 != cards[5].sha256
    begin = f"offnominal train-seeds {WORLD} --algorithm {algorithm} --seed 3 --seed 5 --steps 240 --evaluations 2"
    assert cards[3].command == " ".join([begin, *assignments])


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (["--algorithm", "dqn"], "'tqc', 'sac', 'td3', 'ppo'"),
        (["--algorithm", "sac", "--set", "algorithm=td3"], "choose it by --algorithm"),
        (["--algorithm", "ppo", "--set", "polyak=0.1"], "no field 'polyak'"),
        (["--set", "minutes=1"], "no field 'minutes'"),
    ],
)
def test_settings_of_another_algorithm_are_refused(given: list[str], complaint: str, tmp_path: Path) -> None:
    result = runner.invoke(program, ["train-seeds", WORLD, *given, "--out", str(tmp_path)])
    assert isinstance(result.exception, InvalidParameter)
    assert complaint in str(result.exception)


def test_a_seed_is_trained_once(tmp_path: Path) -> None:
    result = runner.invoke(program, ["train-seeds", WORLD, "--seed", "3", "--seed", "3", "--out", str(tmp_path)])
    assert isinstance(result.exception, InvalidParameter)


def test_an_agent_is_imported_evaluated_and_saved(agent: Path, tmp_path: Path) -> None:
    result = runner.invoke(program, ["train", WORLD, "--from-sb3", str(agent), "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "SAP-Goal0-v0 by sac" in result.output
    policy, card = load_policy(tmp_path / f"{WORLD}--sac-imported")
    assert card.mean_return == evaluate_policy(WORLD, policy).mean_return
    assert card.settings["file_sha256"] == hashlib.sha256(agent.read_bytes()).hexdigest()
    assert card.settings["gamma"] == 0.97
    assert card.command == f"offnominal train {WORLD} --from-sb3 agent.zip"
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".safetensors"]
    assert json.loads((tmp_path / f"{WORLD}--sac-imported.json").read_text())["activation"] == "relu"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([WORLD, "--learner", "sb4"], "Did you mean 'sb3'?"),
        ([WORLD, "--learner", "sb3", "--algorithm", "ppo"], "Choose from tqc, sac, td3, dqn, ddpg."),
        ([WORLD, "--settings", "publish"], "Did you mean 'published'?"),
        ([WORLD, "--learner", "sb3", "--settings", "preset"], "no settings 'preset' of learner 'sb3'"),
        ([WORLD, "--from-sb3", "nowhere.zip"], "nowhere.zip is not a file"),
        ([WORLD, "--from-sb3", "AGENT", "--algorithm", "tqc"], "contains a sac agent, not tqc"),
        (["MJC-HalfCheetah-v0", "--from-sb3", "AGENT"], "MJC-HalfCheetah-v0 has 18 and 6"),
    ],
)
def test_invalid_training_arguments_are_one_line_and_exit_code_two(
    arguments: list[str],
    complaint: str,
    agent: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [str(agent) if word == "AGENT" else word for word in arguments]
    monkeypatch.setattr(sys, "argv", ["offnominal", "train", *given, "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert complaint in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("missing", "learner"), [("sb3_contrib", "sb3"), ("stable_baselines3", "sb3"), ("torch", "offnominal")]
)
def test_a_missing_package_is_an_error_with_the_install_command(
    missing: str, learner: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [name for name in sys.modules if name.startswith("offnominal.agents.training.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr(sys, "argv", ["offnominal", "train", WORLD, "--learner", learner])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    complaint = capsys.readouterr().err
    assert missing in complaint
    assert "pip install offnominal[train]" in complaint
