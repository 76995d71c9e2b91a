"""Classes of the user, named on the command line as module:Class."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from offnominal.cli.failures import exit_code_of
from offnominal.cli.program import program
from offnominal.datasets import Dataset
from offnominal.detectors.catalogue import detectors

pytestmark = pytest.mark.long

MODULE = """
from pathlib import Path

from offnominal.alarms.thresholds import Maximum
from offnominal.detectors import Mahalanobis, OnTransitions


class Mine(OnTransitions):
    def __init__(self):
        super().__init__(Mahalanobis())


class Needy(Mine):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight


class Loudest(Maximum):
    pass


def touch():
    Path("touched").touch()
"""
ENVIRONMENT = """
import gymnasium
import numpy as np


class Still(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-9, 9, (2,), np.float32)
    action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return self.np_random.normal(size=2).astype(np.float32), {}

    def step(self, action):
        self.steps += 1
        return self.np_random.normal(size=2).astype(np.float32), 0.0, False, self.steps == 6, {}


def control(observations):
    return np.zeros((len(observations), 1), np.float32)
"""
OWN = ["own_environment:Still", "--policy", "own_environment:control"]
REGISTERS = """
from offnominal.core.registry import Spec
from offnominal.detectors import detectors

detectors.register(Spec("Loud-v0", "own_module:Mine", "registered by a module"))
"""
SMALL = ["--episodes", "10", "--calibrations", "2", "--calibration", "20", "--training", "10"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in a folder with a module that is not installed."""
    (tmp_path / "own_module.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    for module in ("own_module", "own_environment"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return tmp_path


def run(*words: str) -> int:
    return exit_code_of(partial(program, words))


@pytest.mark.parametrize(("kind", "name"), [("detector", "Mine"), ("alarm", "Loudest")])
def test_laws_are_checked_for_a_class_in_the_working_directory(
    kind: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", kind, f"own_module:{name}") in (0, 1)
    assert name in capsys.readouterr().out


def test_an_audit_takes_ids_and_classes(capsys: pytest.CaptureFixture[str]) -> None:
    detectors, alarms = "own_module:Mine,Mahalanobis", "own_module:Loudest,Maximum"
    assert run("audit", "SAP-Goal0-v0", "--detectors", detectors, "--alarms", alarms, *SMALL) == 0
    said = capsys.readouterr().out
    assert "own_module:Mine in SAP-Goal0-v0" in said
    assert "Mahalanobis in SAP-Goal0-v0" in said
    assert "own_module:Loudest" in said


def test_a_module_is_imported_first_so_that_what_it_registers_can_be_named(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(detectors, "_specs", {**detectors._specs})
    (here / "own_registry.py").write_text(REGISTERS)
    assert run("--import", "own_registry", "detectors") == 0
    assert "Loud-v0" in capsys.readouterr().out
    (here / "own_failure.py").write_text("1 / 0")
    assert run("--import", "own_failure", "detectors") == 2
    assert "cannot be imported: ZeroDivisionError" in capsys.readouterr().err


def test_commands_take_environments_and_policies_of_a_module(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "own_environment.py").write_text(ENVIRONMENT)
    assert run("generate", *OWN, "--fault", "action/noise=0.5", "--episodes", "4", "--out", "data") == 0
    assert Dataset("data/own_environment-Still").splits == ["train", "validation", "test", "action/noise@0.5"]
    assert run("audit", *OWN, "--detectors", "Mahalanobis", "--alarms", "Maximum", *SMALL) == 0
    assert "Mahalanobis in own_environment:Still" in capsys.readouterr().out
    assert run("check", "environment", "own_environment:Still") == 0
    given = []
    monkeypatch.setattr("offnominal.calibration.calibrate", lambda *places, **options: given.append(places) or [])
    assert run("calibrate", *OWN) == 0
    assert given[0][0](1).card.id == "Still"
    (policy,) = given[0][1]
    assert policy(np.zeros((3, 2))).shape == (3, 1)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["own_environment:Stil"], "has no 'Stil'. Did you mean 'Still'?"),
        (["Pendlum-v1"], "no world or Gymnasium environment 'Pendlum-v1'. Did you mean 'Pendulum-v1'?"),
        (["Pendulum-v1"], "Pendulum-v1 has no shipped policy; give --policy"),
        (["Pendulum-v1", "--policy", "tqc"], "--policy is 'tqc'; expected a .safetensors file"),
        ([*OWN, "--fault", "action/noise"], "expected ANOMALY=PARAMETER"),
        ([*OWN, "--fault", "action/noise=-1"], "expected at least 0"),
        ([*OWN, "--fault", "action/noise=strong"], "give a number"),
        ([OWN[0], "--policy", "own_environment:Still"], "is the class Still; expected a subclass of Policy"),
    ],
)
def test_an_invalid_world_policy_or_fault_is_named(
    here: Path, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "own_environment.py").write_text(ENVIRONMENT)
    assert run("generate", *words, "--out", "data") == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "complaint"),
    [
        ("own_module:touch", "is a function; expected a subclass of Detector"),
        ("own_module:Loudest", "is the class Loudest; expected a subclass of Detector"),
        ("own_module:Mien", "own_module has no 'Mien'. Did you mean 'Mine'?"),
        ("own_module:Needy", "missing a required argument: 'weight'"),
        ("missing_module:Mine", "there is no module 'missing_module'"),
        (":", "is not the path of a class"),
    ],
)
@pytest.mark.parametrize("command", [["check", "detector"], ["audit", "SAP-Goal0-v0", *SMALL, "--detectors"]])
def test_a_class_that_is_not_a_detector_is_refused_before_it_is_called(
    command: list[str], target: str, complaint: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*command, target) == 2
    assert complaint in capsys.readouterr().err
    assert not (here / "touched").exists()
