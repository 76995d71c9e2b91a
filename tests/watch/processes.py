"""The program as a process of its own."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

REFUSED = ("gymnasium", "jinja2", "mujoco", "numba", "onnx", "pandas", "pyarrow", "scipy", "sklearn", "torch")
"""Packages that are not among the requirements of the monitor."""
REFUSING = f"""
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {REFUSED}:
            raise ModuleNotFoundError(f"refused: {{name}}", name=name)
sys.meta_path.insert(0, Refuse())
"""
PROGRAM = f"""{REFUSING}
from offnominal.cli import main
sys.argv[0] = "offnominal"
main()
"""


def command(*words):
    return [sys.executable, "-c", PROGRAM, "watch", *map(str, words)]


def start(*words, **options):
    """Start the program, in which torch and other large packages cannot be imported."""
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command(*words), **{**streams, **options})


def run(*words, given="", timeout=60):
    process = start(*words)
    out, errors = process.communicate(given.encode(), timeout)
    return process.returncode, [json.loads(line) for line in out.decode().splitlines()], errors.decode()


def until(condition, seconds=30.0):
    """Wait for a condition, and return its value."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "the condition did not become true in time"
        time.sleep(0.02)
    return found


def told(path):
    """Return the complete lines of a file."""
    return [json.loads(line) for line in Path(path).read_text().splitlines()] if Path(path).exists() else []


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait(10)
