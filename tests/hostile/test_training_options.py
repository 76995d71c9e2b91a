"""Invalid numbers for training, collection and evaluation are refused before anything is written."""

import json
import math
import sys

import pytest

import offnominal as off
from offnominal.agents import expert
from offnominal.agents.training.settings import TrainingSettings
from offnominal.agents.training.uncertainty_settings import UncertaintyTrainingSettings
from offnominal.cli import agents, main
from offnominal.core.errors import InvalidParameter, OffnominalError
from offnominal.datasets import Recipe, generate
from offnominal.rollouts import collect, evaluate_policy, twins
from offnominal.rollouts.twin_rollouts import effective_onset

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
WRONG = [math.nan, math.inf, -math.inf, -1, 10**30, True, "many", [3], 0.5j, 10**5000]
WRONG_COUNTS = [*WRONG, 0, 2.5]
POLICY = expert(WORLD)


def named(values):
    return pytest.mark.parametrize("value", values, ids=lambda value: str(type(value).__name__))


@named([*WRONG, 0])
@pytest.mark.parametrize("train", ["train", "train_with_uncertainty", "finetune"])
def test_minutes_are_a_positive_number(train, value, tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    given = {
        "train": (WORLD, "tqc"),
        "train_with_uncertainty": ("OOD-CartPole-v0", "dqn"),
        "finetune": ("MJC-CartpoleSwingup-v0",),
    }
    with pytest.raises(InvalidParameter, match="minutes is"):
        getattr(agents, train)(*given[train], tmp_path / "runs" / "agents", minutes=value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--minutes", "--steps", "--seed", "--probability"])
@pytest.mark.parametrize("value", ["nan", "inf", "-3", "1" + "0" * 30, "many"])
def test_the_command_line_refuses_them_with_exit_code_two(option, value, tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch", reason="torch is not installed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["offnominal", "train", "OOD-CartPole-v0", option, value])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert option.strip("-") in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


SETTINGS = pytest.mark.parametrize("settings", [TrainingSettings, UncertaintyTrainingSettings])


@named([math.nan, math.inf, 0.5j, 10**5000, "many", None, {}])
@SETTINGS
def test_no_setting_of_a_training_is_anything_but_a_finite_number_or_a_known_word(settings, value):
    for name in settings().to_dict():
        with pytest.raises(InvalidParameter):
            settings(**{name: value})


@named([-1, 10**30, True, 2.5])
@SETTINGS
def test_sizes_of_a_training_are_integers_in_their_range(settings, value):
    sizes = [name for name, default in settings().to_dict().items() if type(default) is int]
    for change in [*({name: value} for name in sizes), {"hidden": (64, value)}, {"critic_hidden": value}]:
        with pytest.raises(InvalidParameter, match=next(iter(change))):
            settings(**change)


@named(WRONG_COUNTS)
def test_numbers_of_episodes_and_steps_are_positive_integers(value, tmp_path):
    for call in (
        lambda: collect(WORLD, POLICY, value),
        lambda: twins(WORLD, POLICY, value, faults=off.Fault("action/offset", 0.3)),
        lambda: evaluate_policy(WORLD, POLICY, value),
        lambda: collect(WORLD, POLICY, 1, max_steps=value),
        lambda: collect(WORLD, POLICY, 1, batch=value),
        lambda: generate(Recipe.for_world(WORLD, episodes=value, levels=[]), tmp_path / "data"),
        lambda: generate(Recipe.for_world(WORLD, nominal=value, levels=[]), tmp_path / "data"),
        lambda: generate(Recipe.for_world(WORLD, validation=value, levels=[]), tmp_path / "data"),
    ):
        with pytest.raises(OffnominalError):
            call()
    assert list(tmp_path.iterdir()) == []


@named([*WRONG, 2.5])
def test_seeds_are_integers_that_exist(value, tmp_path):
    for call in (
        lambda: collect(WORLD, POLICY, 1, seed=value),
        lambda: evaluate_policy(WORLD, POLICY, 1, seed=value),
        lambda: generate(Recipe.for_world(WORLD, episodes=1, levels=[], seed=value), tmp_path / "data"),
    ):
        with pytest.raises(InvalidParameter):
            call()
    assert list(tmp_path.iterdir()) == []


def test_the_last_seeds_of_a_dataset_exist_too(tmp_path):
    with pytest.raises(InvalidParameter, match="is outside"):
        generate(Recipe.for_world(WORLD, episodes=1, levels=[], seed=2**63 - 2), tmp_path / "data")
    assert list(tmp_path.iterdir()) == []


@named([math.nan, -1.0, True, "none"])
def test_a_tolerance_is_a_number_of_at_least_zero(value):
    (pair,) = twins(WORLD, POLICY, 1, faults=off.Fault("action/offset", 0.3), max_steps=3)
    with pytest.raises(InvalidParameter, match="tolerance is"):
        effective_onset(pair, tolerance=value)


def test_a_folder_that_is_a_file_is_named(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    (tmp_path / "file").write_text(json.dumps({}))
    with pytest.raises(OffnominalError, match="file"):
        agents.train(WORLD, "tqc", tmp_path / "file" / "agents", minutes=0.001)


def test_a_training_that_cannot_begin_leaves_no_folder(tmp_path):
    pytest.importorskip("torch", reason="torch is not installed")
    for changes in ({"device": "tpu"}, {"steps": 1}, {"demonstrator": "nobdy"}):
        with pytest.raises(InvalidParameter):
            agents.train(WORLD, "tqc", tmp_path / "runs" / "agents", **changes)
    assert list(tmp_path.iterdir()) == []
