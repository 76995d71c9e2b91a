"""`offnominal calibrate`: the table on disk, resumed and replaced."""

import json
import sys

import pytest
from typer.testing import CliRunner

from offnominal.agents import experts
from offnominal.agents.weights import shipped_policy
from offnominal.anomalies.strengths import read_strengths, write_strengths
from offnominal.calibration import sampler
from offnominal.cli.program import program
from offnominal.core.errors import MissingFile

pytestmark = pytest.mark.long

ASK = [
    "calibrate",
    "SAP-Goal0-v0",
    "--anomaly",
    "action/offset",
    "--level",
    "0.75",
    "--budget",
    "400",
    "--fresh",
    "200",
]


@pytest.fixture(autouse=True)
def _rougher_references(monkeypatch):
    monkeypatch.setattr(sampler, "REFERENCE_EPISODES", 1000)
    monkeypatch.setattr(sampler, "STARTS", 5000)


def run(*words):
    return CliRunner().invoke(program, [*map(str, words)], catch_exceptions=False)


def test_the_table_is_written_shown_and_resumed(tmp_path, monkeypatch):
    path = tmp_path / "new" / "strengths.csv"
    shown = run(*ASK, "--out", path)
    assert "action/offset strong" in shown.output
    (line,) = read_strengths(path)
    assert line.attainable
    monkeypatch.setattr(sys.modules["offnominal.calibration.calibration"], "StrengthSearch", None)
    told = run(*ASK, "--out", path, "--json")
    assert json.loads(told.output)[0]["parameter"] == pytest.approx(line.parameter)
    assert len(read_strengths(path)) == 1


def test_a_stale_line_is_replaced_and_others_are_kept(tmp_path):
    path = tmp_path / "strengths.csv"
    run(*ASK, "--out", path)
    (line,) = read_strengths(path)
    other = line.replace(world="SAP-Goal1-v0")
    write_strengths(path, [line.replace(policies="0" * 12), other])
    run(*ASK, "--out", path)
    assert read_strengths(path) == [other, line]


@pytest.mark.parametrize("command", [ASK, ["match", "SAP-Goal0-v0", "--anomaly", "action/offset", "--fresh", "4"]])
def test_missing_weights_of_a_later_world_leave_no_table(command, tmp_path, monkeypatch):
    monkeypatch.setattr(experts, "shipped_policy", without_those_of("SAP-Goal1-v0"))
    with pytest.raises(MissingFile, match="SAP-Goal1"):
        run(*command, "SAP-Goal1-v0", "--out", tmp_path / "table.csv")
    assert not list(tmp_path.iterdir())


def without_those_of(world):
    """Return the loader of shipped policies of a machine that lacks the weights of a world."""

    def load(name):
        if name.startswith(world):
            raise MissingFile(f"the weights {name} are missing.")
        return shipped_policy(name)

    return load


def test_help_has_an_example():
    assert "offnominal calibrate SAP-Goal0-v0" in run("calibrate", "--help").output.replace("\n", " ")
