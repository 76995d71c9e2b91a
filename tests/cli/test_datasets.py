"""Datasets from the command line."""

import json
import shutil
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from offnominal.cli import main
from offnominal.cli.program import program
from offnominal.core.directories import DATA_VARIABLE
from offnominal.datasets import Dataset, Recipe, load_dataset

pytestmark = pytest.mark.long

runner = CliRunner()
WORLD = "SAP-Goal0-v0"
FEW = ["--episodes", "2", "--anomaly", "action/offset", "--level", "medium"]


def run(*arguments):
    return runner.invoke(program, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("cli")
    result = run("generate", WORLD, "--out", place, *FEW, "--twins", "--extras", "--nominal", "11")
    assert result.exit_code == 0, result.output
    assert "SAP-Goal0-v0" in result.output
    return place / WORLD


def test_every_command_has_help_with_an_example():
    for command in ("generate", "verify", "export", "import"):
        assert command in run("--help").output
        assert f"Example: offnominal {command}" in " ".join(run(command, "--help").output.split())


def test_the_requested_splits_are_generated(folder):
    data = Dataset(folder)
    sizes = {name: len(data[name]) for name in data}
    assert sizes == {"train": 11, "validation": 2, "test": 2, "twins": 2, "action/offset@medium": 2}
    assert "clean_observations" in data["test"][0].extras


def test_several_worlds_go_into_folders_of_their_own(tmp_path):
    result = run("generate", WORLD, "SAP-Goal1-v0", "--out", tmp_path, *FEW, "--json")
    rows = json.loads(result.stdout)
    assert [row["world"] for row in rows] == [WORLD, "SAP-Goal1-v0"]
    assert [row["folder"] for row in rows] == [str(tmp_path / WORLD), str(tmp_path / "SAP-Goal1-v0")]


def test_load_finds_what_was_generated_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    (row,) = json.loads(run("generate", WORLD, *FEW, "--json").stdout)
    data = load_dataset(Recipe.for_world(WORLD, episodes=2, anomalies=["action/offset"], levels=["medium"]))
    assert row["folder"] == str(data.folder)


def test_frames_are_recorded_and_counted(tmp_path):
    options = ["--out", tmp_path, "--episodes", "1", "--anomaly", "observation/offset", "--level", "medium"]
    (row,) = json.loads(run("generate", WORLD, *options, "--frames", "--camera", "affected", "--json").stdout)
    data = Dataset(tmp_path / WORLD)
    assert data.manifest.recipe.camera == "affected"
    assert row["frames"] == sum(entry.frames.count for entry in data.manifest.splits.values())
    assert row["MB"] == round(sum(path.stat().st_size for path in data.folder.glob("*/*.parquet")) / 1e6, 2)
    assert json.loads(run("datasets", tmp_path, "--json").stdout) == [row]
    refused = run("generate", WORLD, "--out", tmp_path, "--frames", "--camera", "dirty")
    assert "choose 'clean' or 'affected'" in str(refused.exception)


def test_verify_distinguishes_intact_from_damaged(folder, tmp_path):
    result = run("verify", folder)
    assert result.exit_code == 0
    assert "intact" in result.output
    run("generate", WORLD, "--out", tmp_path, *FEW)
    path = tmp_path / WORLD / "splits" / "train.parquet"
    path.write_bytes(path.read_bytes()[::-1])
    result = run("verify", tmp_path / WORLD)
    assert result.exit_code == 1
    assert "train.parquet has SHA-256" in result.output.replace("\n", "")
    rows = json.loads(run("verify", tmp_path / WORLD, "--json").stdout)
    assert [row["split"] for row in rows if row["problem"]] == ["train"]


def test_export_and_import_through_minari(folder, tmp_path, monkeypatch):
    pytest.importorskip("minari", reason="minari is not installed")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    rows = json.loads(run("export", folder, "--to", "minari", "--split", "train", "--json").stdout)
    assert rows[0]["id"] == "offnominal/SAP-Goal0-v0/train-v0"
    assert rows[0]["episodes"] == 11
    result = run("import", rows[0]["id"], "--from", "minari", "--out", tmp_path / "back", "--json")
    assert json.loads(result.stdout)[0]["episodes"] == 11
    assert Dataset(tmp_path / "back")["train"].seeds.tolist() == list(range(10_000_000, 10_000_009))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["generate", "SAP-Gaol0-v0"], "Did you mean 'SAP-Goal0-v0'?"),
        (["generate", WORLD, "--level", "mediun"], "Did you mean 'medium'?"),
        (["verify", "nowhere"], "nowhere/manifest.json does not exist"),
        (["datasets", "nosuch"], "'nosuch' is neither a folder nor a dataset in the data home"),
        (["generate", WORLD, "--seed", "1" + "0" * 30], "'--seed'"),
        (["generate", WORLD, "--episodes", "1" + "0" * 30], "'--episodes'"),
        (["export", "nowhere", "--to", "lerobot"], "expected 'minari'"),
        (["import", "x", "--out", "y", "--from", "d4rl"], "expected 'minari'"),
    ],
)
def test_invalid_arguments_are_one_line_and_exit_code_two(arguments, complaint, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["offnominal", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert complaint in capsys.readouterr().err


def test_another_recipe_is_an_error_before_anything_is_overwritten(folder, tmp_path, monkeypatch, capsys):
    run("generate", WORLD, "--out", tmp_path, *FEW)
    monkeypatch.setattr(
        sys, "argv", ["offnominal", "generate", WORLD, "--out", str(tmp_path), "--episodes", "3", *FEW[2:]]
    )
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert "it differs in episodes, nominal" in capsys.readouterr().err
    assert run("generate", WORLD, "--out", tmp_path, "--episodes", "3", *FEW[2:], "--overwrite").exit_code == 0
    assert len(Dataset(tmp_path / WORLD)["test"]) == 3


def test_stored_datasets_are_listed(folder, tmp_path):
    (row,) = json.loads(run("datasets", folder.parent, "--json").stdout)
    assert (row["world"], row["splits"]) == (WORLD, 5)
    assert json.loads(run("datasets", tmp_path, "--json").stdout) == []


def test_one_dataset_is_listed_by_its_name_and_a_wrong_name_gets_the_nearest(folder, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(folder.parent))
    for name in (WORLD, folder):
        (row,) = json.loads(run("datasets", name, "--json").stdout)
        assert row["world"] == WORLD
    result = run("datasets", "SAP-Gaol0-v0")
    assert result.exit_code != 0
    assert "Did you mean 'SAP-Goal0-v0'?" in str(result.exception)


def test_a_dataset_that_cannot_be_opened_does_not_hide_the_others(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "intact")
    shutil.copytree(folder, tmp_path / "broken")
    (tmp_path / "broken" / "manifest.json").write_text("{")
    result = run("datasets", tmp_path, "--json")
    assert [row["folder"] for row in json.loads(result.stdout)] == [str(tmp_path / "intact")]
    assert "broken cannot be opened" in result.stderr.replace("\n", "")


def test_the_list_says_how_many_public_sets_there_are(tmp_path, monkeypatch):
    monkeypatch.setenv("OFFNOMINAL_DATA", str(tmp_path))
    said = " ".join(run("datasets").stdout.split())
    assert "Public tables and image sets: 0 present, " in said
    assert "must be placed by hand. offnominal tables lists them" in said
    assert "Public tables" not in run("datasets", tmp_path).stdout


def test_a_log_is_previewed_and_imported_by_name(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    lines = [f"2020-03-09 10:{n // 60:02}:{n % 60:02};{n % 7};5.0;{int(n >= 150)}" for n in range(200)]
    log = tmp_path / "pump.csv"
    log.write_text("\n".join(["datetime;Current;Voltage;anomaly", *lines]))
    options = ["--time", "datetime", "--label", "anomaly", "--window", "10"]
    shown = json.loads(run("import", log, "--preview", *options, "--json").stdout)
    assert shown["log"]["rows per second"] == 1.0
    assert shown["log"]["labelled rows"] == 0.25
    assert [channel["column"] for channel in shown["channels"]] == ["Current"]
    assert [(each["column"], each["left out as"]) for each in shown["left out"]] == [("Voltage", "constant")]
    assert not (tmp_path / "home").exists()
    result = run("import", log, "--as", "pump", *options)
    assert result.exit_code == 0
    assert "Current" in result.stdout
    data = load_dataset("pump")
    assert {name: len(data[name]) for name in data} == {"train": 8, "validation": 3, "test": 3, "faulty": 5}
    assert data.faulty == ["faulty"]
    assert data.world == "pump"


@pytest.mark.parametrize(("per_day", "outcome"), [(0.0, 0), (0.3, 1)])
def test_a_log_whose_days_differ_is_imported_with_a_warning(per_day, outcome, tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "home"))
    random = np.random.default_rng(0)
    rows = random.normal(size=(1201, 2)) + per_day * (np.arange(1201) // 120)[:, None]
    log = tmp_path / "pump.csv"
    log.write_text("\n".join(["flow,pressure", *(f"{flow},{pressure}" for flow, pressure in rows)]))
    result = run("import", log, "--as", "pump", "--window", 10)
    assert result.exit_code == 0
    assert ("the nominal episodes change with time" in " ".join(result.stderr.split())) is bool(outcome)
    shown = run("check", "order", tmp_path / "home" / "pump", "--json")
    assert shown.exit_code == outcome
    found = json.loads(shown.stdout)
    assert found["rejected"] is bool(outcome)
    assert found["episodes"] == 80
    assert (found["rate"] > 0.5) is bool(outcome)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["import", "log.csv"], "give --as NAME"),
        (["import", "log.csv", "--as", "mine"], "log.csv does not exist"),
        (["import", "log.csv", "--as", "../mine"], "--as is '../mine'"),
    ],
)
def test_an_import_without_a_log_or_a_name_is_an_error(arguments, complaint, tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    assert complaint in str(run(*arguments).exception)


def test_a_mistake_in_one_of_several_worlds_is_found_before_any_is_recorded(tmp_path):
    result = run("generate", WORLD, "OOD-Pong-v0", "--out", tmp_path, *FEW)
    assert result.exit_code != 0
    assert "has a known strength in OOD-Pong-v0" in str(result.exception)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_a_number_of_hundreds_of_digits_is_refused_in_one_message(value, tmp_path):
    result = run("generate", WORLD, "--out", tmp_path, "--episodes", value)
    assert result.exit_code == 2
    assert "than" in result.output
