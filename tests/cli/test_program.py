"""The commands of the program."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from offnominal._version import __version__
from offnominal.agents.weights import shipped_names
from offnominal.cli import main
from offnominal.cli.program import program
from offnominal.worlds import worlds

pytestmark = pytest.mark.long

runner = CliRunner()


def test_help_groups_every_command() -> None:
    result = runner.invoke(program, ["--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    panels = re.findall(r"╭─ (\w+) ─", result.output)
    assert panels == ["Options", "Explore", "Data", "Run", "Check", "Serve"]
    for command in ("worlds", "anomalies", "agents", "check", "train", "export-onnx", "quickstart"):
        assert command in result.output


def test_the_help_of_a_command_fits_a_terminal_and_is_one_line_in_the_list() -> None:
    for name, command in commands():
        summary = (command.help or "").split("\n\n")[0]
        assert len(summary) <= 59, f"{name}: {summary}"
        said = runner.invoke(program, [*name.split(), "--help"], env={"COLUMNS": "80"})
        assert said.exit_code == 0
        assert max(map(len, said.output.splitlines())) <= 80, name


def commands(group: Any = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every command of the program, with its name."""
    for name, command in (group or typer.main.get_command(program)).commands.items():
        yield f"{prefix}{name}", command
        if hasattr(command, "commands"):
            yield from commands(command, f"{prefix}{name} ")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys\nimport offnominal.cli.program\n"
    code += "print({'numpy', 'gymnasium', 'pyarrow', 'torch', 'numba'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize(
    "words",
    [["worlds", "SAP-Goal0-v0"], ["anomalies", "action/noise"], ["alarms", "Quantile"], ["studies", "quickstart"]],
    ids=" ".join,
)
def test_details_of_one_object_are_shown_and_printed_as_json(words: list[str]) -> None:
    shown = runner.invoke(program, words)
    told = json.loads(runner.invoke(program, [*words, "--json"]).output)
    assert shown.exit_code == 0
    assert told["name"] == words[1]
    assert told["documentation"] in shown.output.replace("\n", "")


def test_untrained_baselines_are_listed_with_all_and_as_json() -> None:
    assert "PE-DM-untrained" not in runner.invoke(program, ["detectors"]).output
    for option in ("--all", "--json"):
        assert "PE-DM-untrained" in runner.invoke(program, ["detectors", option]).output


def test_version_is_printed() -> None:
    assert runner.invoke(program, ["--version"]).output.strip() == __version__


def test_worlds_are_listed_as_table_and_as_json() -> None:
    assert all(id in runner.invoke(program, ["worlds"]).output for id in worlds.ids())
    rows = json.loads(runner.invoke(program, ["worlds", "--json"]).output)
    assert [row["id"] for row in rows] == worlds.ids()


def test_anomalies_of_a_world_include_its_physics_parameters() -> None:
    rows = json.loads(runner.invoke(program, ["anomalies", "--world", "SAP-Goal0-v0", "--json"]).output)
    neutral = {row["id"]: row["neutral"] for row in rows}
    assert neutral["dynamics/damping"] == 0.25
    assert neutral["action/scaling"] == 1.0
    assert "dynamics/friction" not in neutral


def test_check_reports_laws_and_exits_with_zero() -> None:
    result = runner.invoke(program, ["check", "world", "SAP-Goal0-v0"])
    assert result.exit_code == 0
    assert "an episode is reproducible by its seed" in result.output
    rows = json.loads(
        runner.invoke(program, ["check", "anomaly", "action/offset", "--world", "SAP-Goal0-v0", "--json"]).output
    )
    assert {row["subject"] for row in rows} == {"action/offset in SAP-Goal0-v0"}
    assert not any(row["problem"] for row in rows)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["check", "scenes", "smok"], "Did you mean 'smoke'?"),
        (["check", "world", "SAP-Gaol0-v0"], "Did you mean 'SAP-Goal0-v0'?"),
        (["check", "anomaly", "observation/noize"], "Did you mean 'observation/noise'?"),
        (["check", "anomaly", "dynamics/friction", "--world", "SAP-Goal0-v0"], "exists in none of"),
        (["anomalies", "--world", "Goal0"], "no world named 'Goal0'"),
        (["train", "SAP-Goal0-v0", "--algorithm", "tqq"], "Did you mean 'tqc'?"),
    ],
)
def test_an_unknown_name_is_one_line_and_exit_code_two(
    arguments: list[str], complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["offnominal", *arguments])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert complaint in capsys.readouterr().err


def test_trained_policies_are_listed_with_their_returns(monkeypatch: pytest.MonkeyPatch) -> None:
    # Nothing that their worlds need must be installed for it.
    monkeypatch.setitem(sys.modules, "ale_py", None)
    rows = json.loads(runner.invoke(program, ["agents", "--json"]).output)
    assert {row["world"] for row in rows} == {name.partition("--")[0] for name in shipped_names()}
    # That of Pong won every game without losing a point.
    assert all(row["±95%"] > 0 or row["return"] == 21.0 for row in rows)
    printed = runner.invoke(program, ["agents"], env={"COLUMNS": "80"}).output
    assert "…" not in printed


def test_a_policy_is_trained_saved_and_resumed(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    arguments = [
        "train",
        "SAP-Goal0-v0",
        "--algorithm",
        "td3",
        "--steps",
        "256",
        "--device",
        "cpu",
        "--out",
        str(tmp_path),
    ]
    for _ in range(2):
        result = runner.invoke(program, arguments)
        assert result.exit_code == 0, result.output
        assert "1,000 new episodes" in result.output
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"SAP-Goal0-v0--td3.{ending}" for ending in ("checkpoint", "json", "safetensors")]


def test_import_is_light_and_registers_with_gymnasium_in_either_order() -> None:
    code = """
import sys
import offnominal
assert not {"torch", "matplotlib", "numba", "gymnasium", "numpy"} & set(sys.modules), sorted(sys.modules)
import gymnasium
assert "numba" not in sys.modules
print(len([id for id in gymnasium.registry if id.startswith("offnominal/")]))
"""
    other = "import gymnasium, offnominal\nprint(len([i for i in gymnasium.registry if i.startswith('offnominal/')]))"
    for text in (code, other):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
        # The town is an environment, but not a batched world.
        assert int(done.stdout) == len(worlds) + 1
