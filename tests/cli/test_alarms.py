"""`offnominal audit`: tables, JSON and exit codes."""

import csv
import json
import sys

import pytest
from typer.testing import CliRunner

from offnominal import alarms
from offnominal.agents import experts
from offnominal.agents.weights import shipped_policy
from offnominal.alarms import GuaranteeAudit
from offnominal.cli import main
from offnominal.cli.alarms import _detector
from offnominal.cli.program import program
from offnominal.core.errors import InvalidParameter, MissingFile

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
SMALL = ["--episodes", "50", "--calibrations", "2", "--calibration", "25", "--training", "5"]


def run(*words):
    return CliRunner().invoke(program, ["audit", *map(str, words)])


def test_help_has_an_example():
    assert "Example: offnominal audit SAP-Goal0-v0" in " ".join(run("--help").output.split())


def test_a_table_per_detector_and_a_conclusion():
    result = run(WORLD, "--detectors", "Mahalanobis,Time", *SMALL, "--calibration", "74")
    assert result.exit_code == 0, result.output
    assert "Mahalanobis in SAP-Goal0-v0" in result.output
    assert "Time in SAP-Goal0-v0" in result.output
    assert "of 12 guarantees are kept" in result.output


def test_results_are_printed_as_json_and_written_as_csv(tmp_path):
    path = tmp_path / "new" / "audit.csv"
    words = ["--detectors", "Time", "--alarms", "EpisodeMaximum,ThreeSigma", "--levels", "0.05,0.1", *SMALL]
    rows = json.loads(run(WORLD, "SAP-Goal1-v0", *words, "--json", "--out", path).stdout)
    assert [(row["world"], row["alarm"], row["guarantee"]) for row in rows] == [
        (world, alarm, level)
        for world in (WORLD, "SAP-Goal1-v0")
        for alarm, level in (("EpisodeMaximum", 0.05), ("EpisodeMaximum", 0.1), ("ThreeSigma", None))
    ]
    assert rows[0]["episodes"] == 50
    with path.open() as file:
        assert [float(row["rate"]) for row in csv.DictReader(file)] == [row["rate"] for row in rows]


def test_a_folder_as_target_is_refused_before_anything_is_computed(tmp_path, monkeypatch):
    monkeypatch.setattr(alarms, "audit_world", None)
    result = run(WORLD, "--out", tmp_path)
    assert result.exit_code == 2
    assert "directory" in result.output


def test_missing_weights_of_a_later_world_leave_no_table(tmp_path, monkeypatch):
    def load(name):
        if name.startswith("SAP-Goal1"):
            raise MissingFile(f"the weights {name} are missing.")
        return shipped_policy(name)

    monkeypatch.setattr(experts, "shipped_policy", load)
    result = run(WORLD, "SAP-Goal1-v0", "--detectors", "Time", *SMALL, "--out", tmp_path / "audit.csv")
    assert isinstance(result.exception, MissingFile)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("unsuitable", ["LDM", "PolicyUncertainty"])
def test_a_detector_of_other_episodes_leaves_no_table(unsuitable, tmp_path):
    result = run(WORLD, "--detectors", f"Time,{unsuitable}", *SMALL, "--out", tmp_path / "audit.csv")
    assert isinstance(result.exception, InvalidParameter)
    assert not list(tmp_path.iterdir())


def test_another_seed_gives_other_episodes():
    words = [WORLD, "--detectors", "Mahalanobis", "--alarms", "Quantile", *SMALL, "--json"]
    once, again, other = (json.loads(run(*words, "--seed", seed).stdout) for seed in (1, 1, 9000))
    assert once == again != other


def test_a_broken_guarantee_is_exit_code_one(monkeypatch):
    monkeypatch.setattr(GuaranteeAudit, "outcome", "broken")
    assert run(WORLD, "--detectors", "Time", "--alarms", "EpisodeMaximum", *SMALL).exit_code == 1


def test_epochs_are_for_detectors_that_train():
    pytest.importorskip("torch", reason="torch is not installed")
    assert _detector("MLP-DM", 3).get_params()["n_epochs"] == 3
    assert _detector("MLP-DM", None).get_params()["n_epochs"] > 3
    assert _detector("KNN", 3).get_params() == _detector("KNN", None).get_params()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["SAP-Gaol0-v0"], "Did you mean 'SAP-Goal0-v0'?"),
        ([WORLD, "--detectors", "KNM"], "Did you mean 'KNN'?"),
        ([WORLD, "--detectors", "Time,Randon"], "Did you mean 'Random'?"),
        ([WORLD, "--alarms", "TimeBond"], "Did you mean 'TimeBand'?"),
        ([WORLD, "--levels", "5%"], "expected numbers such as 0.05,0.1"),
        ([WORLD, "--levels", "5"], "alpha is 5.0"),
        ([WORLD, "--levels", "0.01"], "too few for alpha 0.01"),
    ],
)
def test_invalid_arguments_are_one_line_and_exit_code_two(arguments, message, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["offnominal", "audit", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
