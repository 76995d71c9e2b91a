"""Commands that write data sets, killed at several points, resumes to the bytes of a run that was not killed.

A command is killed when it changes its folder for the n-th time, wherever that is: between two files, in the middle of
a file, before a rename.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.worlds.road.scenarios import Scenario, Timing, write_scenarios

pytestmark = pytest.mark.long

HOOK = Path(__file__).parent / "kill_hook"
WORLD = "SAP-Goal0-v0"
SHARES = (0.2, 0.35, 0.5, 0.8)
"""Where a command is killed: at these shares of the changes that the whole command makes, one after the other."""


def files(place: Path) -> dict[str, bytes]:
    """Return the content of all files below a folder, hidden ones and locks left out."""
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in sorted(place.rglob("*"))
        if path.is_file() and not path.name.startswith(".") and path.suffix != ".lock"
    }


@dataclass(frozen=True)
class Command:
    """A command that takes long.

    Args:
        words: The command, with ``{here}`` for the folder that it changes, and ``{inputs}`` for its inputs.
        made: Returns what it has made in the folder.
        patches: Numbers that make it smaller.
    """

    words: str
    made: Callable[[Path], object] = files
    patches: str = ""


COMMANDS = {
    "generate": Command(f"generate {WORLD} --out {{here}} --episodes 6 --level strong --anomaly action/offset --twins"),
    "novelcraft": Command("novelcraft make --out {here}/set --share 0.01 --class normal --class fence --max-frames 2"),
    "scenes": Command("scenarios run {inputs}/scenarios --out {here}/scenes"),
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Return a folder with scenarios."""
    folder = tmp_path_factory.mktemp("inputs")
    short = Scenario("first", "residential", "CLEAR_NOON", seed=3, vehicles=2, pedestrians=2, timing=Timing(1, 2))
    write_scenarios([short, short.replace(id="second", seed=4)], folder / "scenarios")
    return folder


@pytest.fixture
def start(inputs, tmp_path):
    """Start a command that is killed at the limit-th change of its folder; return its exit code and the changes."""

    def run(command: Command, here: Path, limit: int = 0) -> tuple[int, int]:
        (here / "data").mkdir(parents=True, exist_ok=True)
        counter = tmp_path / "changes"
        counter.unlink(missing_ok=True)
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(HOOK), *sys.path]),
            "KILL_FOLDER": str(here),
            "KILL_LIMIT": str(limit),
            "KILL_COUNTER": str(counter),
            "KILL_PATCH": command.patches,
            DATA_VARIABLE: str(here / "data"),
        }
        words = [word.format(here=here, inputs=inputs) for word in command.words.split()]
        done = subprocess.run(
            [sys.executable, "-m", "offnominal", *words],
            env=environment,
            cwd=here,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )
        assert done.returncode in (0, -signal.SIGKILL), done.stderr
        return done.returncode, counter.stat().st_size

    return run


@pytest.mark.hostile
@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_resumes_to_the_same_bytes(start, tmp_path, name):
    command = COMMANDS[name]
    whole, broken = tmp_path / "whole" / "here", tmp_path / "broken" / "here"
    code, changes = start(command, whole)
    assert code == 0
    assert changes >= len(SHARES)
    kills = 0
    for share in SHARES:
        code, _ = start(command, broken, max(1, round(share * changes)))
        kills += code != 0
    assert kills > 1
    assert start(command, broken)[0] == 0
    assert command.made(broken) == command.made(whole)
