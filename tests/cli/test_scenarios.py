"""Scenario files from the command line."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import AlreadyExists, DamagedFile, InvalidParameter, MissingFile
from offnominal.worlds.road.scenarios import (
    ContentAnomaly,
    InvalidScenario,
    Scenario,
    TemporalAnomaly,
    Timing,
    write_scenarios,
)

pytestmark = pytest.mark.long

runner = CliRunner()


def call(*words):
    return runner.invoke(program, ["scenarios", *map(str, words)], env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scenarios") / "set"
    result = call("make", "--preset", "smoke", "--seed", 5, "--out", folder)
    assert result.exit_code == 0, result.output
    assert "4 scenarios in 4 files, 80 frames" in result.output
    return folder


@pytest.fixture
def made(original, tmp_path):
    return Path(shutil.copytree(original, tmp_path / "set"))


@pytest.mark.parametrize("command", ["presets", "make", "show", "check", "run", "visibility"])
def test_every_command_has_an_example(command):
    result = call(command, "--help")
    assert result.exit_code == 0
    assert f"offnominal scenarios {command}" in result.output


def test_presets_are_listed():
    rows = json.loads(call("presets", "--json").output)
    assert {row["preset"]: row["frames"] for row in rows} == {
        "smoke": 80, "mini": 1200, "cityscapes": 2975, "full": 245600, "always-visible": 1200, "public-code": 1200,
    }  # fmt: skip
    assert {row["placing"] for row in rows} == {"published", "always-visible", "public-code"}


def test_scenarios_are_recorded_and_verified(tmp_path):
    short = Scenario("short", "residential", "CLEAR_NOON", seed=3, vehicles=2, pedestrians=2, timing=Timing(1, 1))
    impossible = short.replace(id="impossible", anomaly=TemporalAnomaly("cut-in", "vehicle.sedan"))
    write_scenarios([short, impossible], tmp_path / "set")
    result = call("run", tmp_path / "set", "--out", tmp_path / "scenes")
    assert result.exit_code == 0, result.output
    assert "Discarded impossible: " in result.output
    assert "1 scenes, 1 frames" in result.output
    again = json.loads(call("run", tmp_path / "set", "--out", tmp_path / "scenes", "--json").output)
    assert (again["scenes"], again["frames"], list(again["discarded"])) == (1, 1, ["impossible"])
    verified = runner.invoke(program, ["verify", str(tmp_path / "scenes")])
    assert "1 scenes match the manifest" in verified.output
    (tmp_path / "scenes" / "scenes" / "short" / "frames.arrow").unlink()
    assert runner.invoke(program, ["verify", str(tmp_path / "scenes")]).exit_code == 1


def test_same_seed_gives_the_same_files(made, tmp_path):
    call("make", "--seed", 5, "--out", tmp_path / "again")
    assert {path.name: path.read_bytes() for path in made.iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()
    }


def test_existing_folder_is_not_overwritten(made):
    before = {path: path.read_bytes() for path in made.iterdir()}
    assert isinstance(call("make", "--seed", 6, "--out", made).exception, AlreadyExists)
    assert {path: path.read_bytes() for path in made.iterdir()} == before


def test_scenarios_of_a_file_are_shown(made):
    path = made / "scenario_config_map_Town05.json"
    result = call("show", path)
    assert result.exit_code == 0
    assert "Scenarios of grid" in result.output
    assert "sudden-braking" in result.output
    normal = made / "scenario_config_map_Town03.json"
    assert "object)" in call("show", normal).output
    assert "none (prepared" in " ".join(call("show", normal).output.split())
    shown = json.loads(call("show", normal, "--json").output)
    assert shown["scenarios"][0]["weather"] == "HARD_RAIN_NOON"


def test_unknown_entries_are_named(made):
    path = made / "scenario_config_map_Town03.json"
    data = read_checked_json(path)
    data["scenario_definition"]["scenarios"][0]["note"] = 3
    write_checked_json(path, data)
    for words in (("show", path), ("check", made, "--test-set")):
        result = call(*words)
        assert result.exit_code == 0
        assert "unknown entry, kept" in result.output
        assert ": note" in result.output


def test_misspelled_entries_are_errors(made):
    path = made / "scenario_config_map_Town03.json"
    data = read_checked_json(path)
    data["scenario_definition"]["scenarios"][0]["sead"] = 3
    write_checked_json(path, data)
    for words in (("show", path), ("check", made, "--test-set"), ("run", made, "--out", made / "scenes")):
        with pytest.raises(InvalidScenario, match=r"the unknown entry 'sead'. Did you mean 'seed'\?"):
            raise call(*words).exception


def test_training_set_with_anomalies_is_rejected(made):
    result = call("check", made)
    assert result.exit_code == 1
    assert "3 of 4 scenarios violate normality" in result.output
    rows = json.loads(call("check", made, "--json").output)
    assert {row["file"] for row in rows} == {f"scenario_config_map_Town0{town}.json" for town in (1, 2, 5)}
    assert call("check", made, "--test-set").exit_code == 0


def test_set_without_anomalies_is_accepted(tmp_path):
    made = call("make", "--normal", "--out", tmp_path / "train", "--json")
    assert json.loads(made.output)["scenarios"] == 4
    result = call("check", tmp_path / "train")
    assert result.exit_code == 0
    assert "all 4 scenarios are within normality" in result.output


def test_visible_shares_stand_beside_the_published_ones(tmp_path):
    cow = Scenario(
        "cow", "rural", "CLEAR_NOON", seed=7, vehicles=2, pedestrians=2, anomaly=ContentAnomaly("cow", 60.0),
        timing=Timing(1, 20),
    )  # fmt: skip
    write_scenarios([cow], tmp_path / "set")
    rows = json.loads(call("visibility", tmp_path / "set", "--json").output)
    assert [(row["sensor"], row["scenes"], row["share"], row["published"]) for row in rows] == [
        ("camera", 1, 1.0, 0.148),
        ("lidar", 1, 1.0, 0.748),
    ]
    assert isinstance(call("visibility", tmp_path / "set", "--every", 0).exception, SystemExit | InvalidParameter)


def test_wrong_arguments_are_named_and_write_nothing(tmp_path):
    result = call("make", "--temporal", "cutin", "--out", tmp_path / "set")
    assert isinstance(result.exception, InvalidParameter)
    assert "Did you mean 'cut-in'?" in str(result.exception)
    assert "Choose one of smoke" in str(call("make", "--preset", "huge", "--out", tmp_path / "set").exception)
    assert not list(tmp_path.iterdir())
    assert isinstance(call("check", tmp_path).exception, MissingFile)
    assert isinstance(call("show", tmp_path / "missing.json").exception, MissingFile)
    (tmp_path / "broken.json").write_text("{")
    assert isinstance(call("show", tmp_path / "broken.json").exception, DamagedFile)
