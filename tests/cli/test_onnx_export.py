"""`offnominal export-onnx` writes a saved detector; the ONNX file runs without torch and without this package."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("onnx", reason="onnx is not installed")
pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

import offnominal as off
from offnominal.alarms import make_alarm, save_alarm
from offnominal.cli.program import program
from offnominal.detectors import make_detector, save_detector

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
SCRIPT = Path(__file__).parents[2] / "examples/onnx_runtime.py"
ALONE = """
import runpy, sys
for name in ("torch", "offnominal", "onnx", "sklearn", "scipy"):
    sys.modules[name] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0])
"""
run = CliRunner().invoke


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    nominal = off.collect(WORLD, off.expert(WORLD), 30, seed=1, max_steps=25)
    detector = make_detector("Mahalanobis", view="window", window_length=3).fit(nominal)
    alarm = make_alarm("EpisodeEwma", alpha=0.1).fit(detector.score(nominal))
    save_detector(folder / "detector", detector)
    save_alarm(folder / "alarm.json", alarm)
    return folder, detector, alarm


def test_the_example_prints_the_alarms_without_torch_and_without_this_package(saved):
    folder, detector, alarm = saved
    model = folder / "model.onnx"
    result = run(program, ["export-onnx", str(folder / "detector"), str(model), "--alarm", str(folder / "alarm.json")])
    assert result.exit_code == 0, result.output
    assert "observation, action, next_observation, state_0" in result.output
    (episode,) = off.collect(WORLD, off.expert(WORLD), 1, faults=off.Fault("observation/offset", 1.0, 4), seed=500)
    np.savez(folder / "episode.npz", observations=episode.observations, actions=episode.actions)
    command = [sys.executable, "-c", ALONE, str(SCRIPT), str(model), str(folder / "episode.npz")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    (scores,) = detector.score([episode])
    (raised,) = alarm.alarm([scores])
    assert raised.any()
    assert printed.splitlines() == [f"step {t}: alarm, score {scores[t]:.3f}" for t in np.flatnonzero(raised)]
    assert len(SCRIPT.read_text(encoding="utf-8").split('"""')[2].strip().splitlines()) <= 23


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["detector", "model.onnx", "--alarm", "alarm.json", "--threshold", "3"], "both"),
        (["missing", "model.onnx"], "does not exist"),
        (["detector", "model.onnx", "--alarm", "detector.json"], "detector.json"),
        (["detector", "model.onnx", "--threshold", "nan"], "alarm is nan"),
    ],
)
def test_wrong_arguments_are_named_errors(arguments, message, saved, monkeypatch):
    monkeypatch.chdir(saved[0])
    result = run(program, ["export-onnx", *arguments])
    assert result.exit_code
    assert message in f"{result.output}{result.exception}"


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    """A log without actions, and a detector that was fitted to it."""
    folder = tmp_path_factory.mktemp("logged")
    table = np.random.default_rng(0).normal(size=(200, 3))
    np.savetxt(folder / "log.csv", table, delimiter=",", header="x,y,z", comments="")
    np.savetxt(folder / "other.csv", table[:50] + 1.0, delimiter=",", header="x,y,z", comments="")
    save_detector(folder / "detector", make_detector("KNN").fit(off.episodes_from(folder / "log.csv")))
    return folder


def test_an_export_of_a_log_without_actions_is_replayed_and_verified_later(logged, monkeypatch):
    monkeypatch.chdir(logged)
    result = run(program, ["export-onnx", "detector", "model.onnx", "--episodes", "log.csv"])
    assert result.exit_code == 0, result.output
    result = run(program, ["verify", "model.onnx", "--episodes", "log.csv"])
    assert result.exit_code == 0, result.output
    assert "model.onnx gives the scores of its detector in 1 episodes" in result.output
    result = run(program, ["verify", "model.onnx", "--episodes", "other.csv", "--detector", "detector"])
    assert result.exit_code == 0, result.output
    save_detector(logged / "changed", make_detector("KNN", n_neighbors=9).fit(off.episodes_from(logged / "log.csv")))
    result = run(program, ["verify", "model.onnx", "--episodes", "other.csv", "--detector", "changed"])
    assert result.exit_code == 1
    assert "instead of" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["model.onnx"], "--episodes LOG"),
        (["none.onnx", "--episodes", "log.csv"], "none.onnx does not exist"),
        (["bad.onnx", "--episodes", "log.csv"], "onnxruntime cannot read bad.onnx"),
        (["model.onnx", "--episodes", "other.csv"], "not those of the export"),
        (["model.onnx", "--episodes", "none.csv"], "none.csv"),
    ],
)
def test_what_cannot_be_verified_is_named(arguments, message, logged, monkeypatch):
    monkeypatch.chdir(logged)
    Path("bad.onnx").write_bytes(b"bad")
    result = run(program, ["export-onnx", "detector", "model.onnx", "--episodes", "log.csv"])
    assert result.exit_code == 0, result.output
    result = run(program, ["verify", *arguments])
    assert result.exit_code
    assert message in f"{result.output}{result.exception}"


def test_a_dataset_is_replayed_by_its_validation_split(logged, monkeypatch):
    from offnominal.cli.onnx_export import logged_episodes
    from offnominal.datasets import episodes_from, import_log

    monkeypatch.chdir(logged)
    made = import_log(episodes_from("log.csv", window=20), logged / "data", name="data")
    found = logged_episodes(logged / "data")
    np.testing.assert_array_equal(found[0].observations, made["validation"][0].observations)
