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
from functools import cache
from pathlib import Path

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.worlds.road.scenarios import Scenario, Timing, write_scenarios

pytestmark = pytest.mark.long

HOOK = Path(__file__).parent / "kill_hook"
WORLD = "SAP-Goal0-v0"
SHARES = (0.2, 0.35, 0.5, 0.8)
"""Where a command is killed: at these shares of the changes that the whole command makes, one after the other."""


def files(place: Path) -> dict[str, bytes | None]:
    """Return the content of all files below a folder, hidden ones too, and None for its folders."""
    return {
        path.relative_to(place).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(place.rglob("*"))
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


@pytest.fixture(scope="module")
def start(inputs, tmp_path_factory):
    """Start a command that is killed at the limit-th change of its folder; return its exit code and the changes."""

    def run(command: Command, here: Path, limit: int = 0) -> tuple[int, int]:
        (here / "data").mkdir(parents=True, exist_ok=True)
        counter = tmp_path_factory.mktemp("counter") / "changes"
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


@pytest.fixture(scope="module")
def whole(start, tmp_path_factory):
    """Return what a command makes that is not killed, and the number of changes that it makes for this."""

    @cache
    def run(name: str) -> tuple[object, int]:
        here = tmp_path_factory.mktemp("whole") / "here"
        code, changes = start(COMMANDS[name], here)
        assert code == 0
        return COMMANDS[name].made(here), changes

    return run


@pytest.mark.hostile
@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_resumes_to_the_same_bytes(start, whole, tmp_path, name):
    command, here = COMMANDS[name], tmp_path / "here"
    made, changes = whole(name)
    assert changes >= len(SHARES)
    kills = sum(start(command, here, max(1, round(share * changes)))[0] != 0 for share in SHARES)
    assert kills > 1
    assert start(command, here)[0] == 0
    assert command.made(here) == made


@pytest.mark.hostile
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_killed_at_its_last_change_but_one_leaves_nothing_for_good(start, whole, tmp_path, name):
    command, here = COMMANDS[name], tmp_path / "here"
    made, changes = whole(name)
    assert start(command, here, changes - 1)[0] == -signal.SIGKILL
    assert start(command, here)[0] == 0
    assert command.made(here) == made
