"""The tool that calibrates many worlds: its plans, and how tables are joined."""

import importlib.util
import sys
from pathlib import Path

import pytest

from offnominal.agents import RandomPolicy, expert
from offnominal.anomalies.strengths import calibrated_strengths, read_strengths, write_strengths
from offnominal.worlds.catalogue import make_world

TOOL = Path(__file__).parents[2] / "tools" / "calibrate_all.py"
WORLD = "SAP-Goal0-v0"


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("calibrate_all", TOOL)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_world_with_strengths_has_a_plan(tool):
    assert set(tool.PLANS) == {line.world for line in calibrated_strengths()}


def test_a_policy_that_learned_nothing_is_left_out(tool, capsys):
    policies = {"good": expert(WORLD), "random": RandomPolicy(make_world(WORLD, 1).action_space)}
    assert list(tool.those_that_learned(WORLD, policies)) == ["good"]
    assert "random: return" in capsys.readouterr().out


def test_only_complete_worlds_replace_the_shipped_lines(tool, tmp_path):
    old = list(calibrated_strengths())
    new = [line.replace(policies="0" * 12) for line in old if line.world == WORLD]
    write_strengths(tmp_path / f"{WORLD}.csv", new)
    write_strengths(tmp_path / "SAP-Goal1-v0.csv", [line.replace(policies="0" * 12) for line in old[:3]])
    joined = tool._joined(old, tmp_path, "", read_strengths, 4)
    assert len(joined) == len(old)
    assert {line.world for line in joined if line.policies == "0" * 12} == {WORLD}
    assert [line.name for line in joined] == [line.name for line in old]
