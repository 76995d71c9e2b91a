"""The plugin that keeps tests without the mark `long` cheap."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
TESTS = """
import subprocess, sys, time
import pytest

BUSY = "import time\\nwhile time.process_time() < 0.6: pass"

def busy():
    end = time.process_time() + 0.6
    while time.process_time() < end:
        pass

def test_busy():
    busy()

def test_with_a_busy_child():
    subprocess.run([sys.executable, "-c", BUSY], check=True)

@pytest.mark.long
def test_marked():
    busy()

def test_waiting():
    time.sleep(0.6)

@pytest.fixture
def made():
    busy()

def test_with_a_busy_fixture(made):
    pass

def test_compiling():
    from numba.core import event
    with event.trigger_event("numba:compiler_lock"), event.trigger_event("numba:compiler_lock"):
        busy()
"""
PROGRAM = """
import sys, cpu_limit, pytest
cpu_limit.LIMIT = 0.5
sys.exit(pytest.main(["-q", "-p", "cpu_limit", "-p", "no:cacheprovider", "-rfE", "test_costs.py"]))
"""


@pytest.mark.long
def test_only_processor_time_of_a_test_without_a_mark_is_limited(tmp_path):
    (tmp_path / "test_costs.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = long\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env={"PYTHONPATH": str(TOOLS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    failed = {line.split()[1].partition("::")[2] for line in done.stdout.splitlines() if line.startswith("FAILED")}
    assert failed == {"test_busy", "test_with_a_busy_child"}, done.stdout + done.stderr
    assert "mark it with @pytest.mark.long" in done.stdout
    assert "4 passed" in done.stdout
