"""NovelCraft sets from the command line."""

import json

from typer.testing import CliRunner

from offnominal.cli.program import program

runner = CliRunner()


def call(*words):
    return runner.invoke(program, list(map(str, words)), env={"COLUMNS": "200"})


def test_a_set_is_made_counted_exported_and_verified(tmp_path):
    folder = tmp_path / "set"
    words = ("novelcraft", "make", "--out", folder, "--share", 0.01, "--class", "normal", "--max-frames", 2)
    made = call(*words)
    assert made.exit_code == 0, made.output
    assert "3 episodes of 1 classes, 6 frames" in made.output
    assert json.loads(call(*words, "--json").output)["frames"] == 6
    rows = json.loads(call("novelcraft", "summary", folder, "--json").output)
    assert [(row["split"], row["images kept"]) for row in rows] == [
        ("train Normal", 2),
        ("valid Normal", 2),
        ("test Normal", 2),
    ]
    assert "1 classes" not in call("novelcraft", "summary", folder, "--classes").output
    assert call("novelcraft", "export", folder, "--out", tmp_path / "files").exit_code == 0
    assert (tmp_path / "files" / "normal" / "2" / "1.png").exists()
    assert "3 episodes match the manifest" in call("verify", folder).output
    (folder / "normal" / "1.zip").write_bytes(b"")
    assert call("verify", folder).exit_code == 1


def test_every_command_has_an_example():
    for command in ("make", "summary", "export"):
        assert f"offnominal novelcraft {command}" in call("novelcraft", command, "--help").output


def test_agents_are_checked_for_leaks():
    checked = call("check", "novelcraft", "planner", "--json")
    assert checked.exit_code == 0, checked.output
    refused = call("check", "novelcraft", "publishd")
    assert refused.exit_code == 1
    assert "Did you mean 'published'?" in str(refused.exception)
    assert call("novelcraft", "make", "--out", "nowhere", "--agents", "publishd").exit_code == 1
