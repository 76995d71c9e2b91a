"""The table of attacks counts the cases that tests try, and those that do not hold."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from .attack_counts import COUNTS_VARIABLE

pytestmark = pytest.mark.long

TESTS = """\"\"\"Attacks on nothing.\"\"\"

def test_one_case(): ...

def test_many_cases(count_cases):
    count_cases(10)

def test_three_of_ten_fail(count_cases):
    count_cases(10, 3)
    assert False

def test_that_stops_early():
    assert False
"""


def test_cases_that_hold_and_that_fail_are_counted(tmp_path, monkeypatch):
    """Also in a run of all tests by several processes, of which the main one collects none."""
    here, folder = Path(__file__).parent, tmp_path / "tests" / "hostile"
    folder.mkdir(parents=True)
    for name in ("conftest.py", "attack_counts.py"):
        (folder / name).write_text((here / name).read_text())
    (folder.parent / "conftest.py").write_text("from .hostile.attack_counts import pytest_terminal_summary")
    (folder / "test_nothing.py").write_text(TESTS)
    monkeypatch.setenv(COUNTS_VARIABLE, str(tmp_path / "counts.csv"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "-n", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    with (tmp_path / "counts.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == [{"attack": "Attacks on nothing", "file": "test_nothing.py", "tried": "22", "held": "18"}]
