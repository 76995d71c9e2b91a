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

from offnominal.agents import expert
from offnominal.agents.files import load_policy
from offnominal.core.directories import DATA_VARIABLE
from offnominal.core.files import sha256_of
from offnominal.datasets import from_minari, save_dataset
from offnominal.rollouts import collect
from offnominal.studies import open_run
from offnominal.worlds.road.scenarios import Scenario, Timing, write_scenarios

pytestmark = pytest.mark.long

HOOK = Path(__file__).parent / "kill_hook"
COSTS = ("_s", "_mb")
"""Ends of the names of measured times and memory."""
WORLD = "SAP-Goal0-v0"
SHARES = (0.2, 0.35, 0.5, 0.8)
"""Where a command is killed: at these shares of the changes that the whole command makes, one after the other."""


def files(place: Path) -> dict[str, bytes | None]:
    """Return the content of all files below a folder, hidden ones too, and None for its folders."""
    return {
        path.relative_to(place).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(place.rglob("*"))
    }


def finished_files(place: Path) -> dict[str, bytes | None]:
    """Return the same without the hidden files that a killed writer of a single file leaves beside it."""
    return {name: content for name, content in files(place).items() if not name.endswith(".unfinished")}


def study_results(place: Path) -> tuple[object, ...]:
    """Return the rows of a study without times and memory, its data, and the names of the files of its report.

    The store joins the results of finished runs, so its files depend on the number of runs.
    """
    (manifest,) = place.rglob("run.json")
    table = open_run(manifest.parent).table
    rows = table.select([name for name in table.column_names if not name.endswith(COSTS)]).to_pylist()
    return sorted(rows, key=str), files(place / "data"), sorted(finished_files(manifest.parent))


def is_whole(checkpoint: bytes) -> bool:
    """Return whether a checkpoint has the hash that it states."""
    header, _, content = checkpoint.partition(b"\n")
    return header.split()[-1].decode() == sha256_of(content)


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


SMALL = "--episodes 6 --level strong --anomaly action/offset"
CALIBRATION = "--anomaly action/offset --anomaly action/noise --level 0.9 --level 0.75 --budget 200 --fresh 100"
SAMPLES = {"STARTS": 500, "MAX_REFERENCE_EPISODES": 500, "REFERENCE_EPISODES": 200}
COMMANDS = {
    "generate": Command(f"generate {WORLD} --out {{here}} {SMALL} --twins"),
    "generate with workers": Command(f"generate {WORLD} --out {{here}} {SMALL} --workers 2"),
    "import": Command("import {inputs}/log.csv --out {here}/set --episode run --label fault --overwrite"),
    "novelcraft": Command("novelcraft make --out {here}/set --share 0.01 --class normal --class fence --max-frames 2"),
    "scenes": Command("scenarios run {inputs}/scenarios --out {here}/scenes"),
    "calibrate": Command(
        f"calibrate {WORLD} {CALIBRATION} --policy scripted --out {{here}}/strengths.csv",
        finished_files,
        ";".join(f"offnominal.calibration.sampler:{name}={value}" for name, value in SAMPLES.items()),
    ),
    "finetune": Command(
        "finetune MJC-CartpoleSwingup-v0 --algorithm tqc-0 --gradient-steps 2 --threads 1 --out {here}/tuned",
        finished_files,
        "offnominal.cli.agents:VALIDATION_EPISODES=4;offnominal.cli.agents:EVALUATION_EPISODES=8",
    ),
    "run": Command(
        "run {inputs}/small.toml --out {here}/run --store {here}/store --workers 1",
        study_results,
    ),
}
STUDY = """
name = "small"
title = "Two detectors"
summary = "Two detectors on one fault."
worlds = ["SAP-Goal0-v0"]
replicates = 10
data = { episodes = 6, nominal = 20, validation = 20, anomalies = ["action/offset"], levels = ["strong"] }
detectors = [{ name = "KNN" }, { name = "Random" }]
alarms = [{ name = "episode maximum", alarm = "EpisodeMaximum" }]
"""
EXPORT = Command("export {inputs}/set --split train --id killed")
HIDDEN = "/.offnominal"
# It learns after 5,000 transitions.
TRAINING = Command(
    f"train {WORLD} --algorithm sac --steps 5504 --demonstrator none --device cpu --out {{here}}/agents",
    patches="offnominal.cli.agents:VALIDATION_EPISODES=8;offnominal.cli.agents:EVALUATION_EPISODES=20;"
    "offnominal.cli.agents:EVALUATIONS=12",
)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Return a folder with scenarios and a study."""
    folder = tmp_path_factory.mktemp("inputs")
    short = Scenario("first", "residential", "CLEAR_NOON", seed=3, vehicles=2, pedestrians=2, timing=Timing(1, 2))
    write_scenarios([short, short.replace(id="second", seed=4)], folder / "scenarios")
    (folder / "small.toml").write_text(STUDY)
    rows = [f"{run},{(run * step) % 7},{step},{int(run > 9)}" for run in range(12) for step in range(20)]
    (folder / "log.csv").write_text("\n".join(["run,flow,pressure,fault", *rows]))
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
            "MINARI_DATASETS_PATH": str(here / "minari"),
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


@pytest.mark.hostile
def test_a_killed_training_resumes_from_whole_files_and_completes(start, tmp_path):
    """Not to the same bytes: a checkpoint does not have the replay buffer."""
    here, place = tmp_path / "here", tmp_path / "here" / "agents"
    code, changes = start(TRAINING, tmp_path / "whole")
    assert code == 0
    checkpoint = place / f"{WORLD}--sac.checkpoint"
    before = b""
    for limit in (round(share * changes) for share in SHARES):
        assert start(TRAINING, here, limit)[0] == -signal.SIGKILL
        if checkpoint.exists():
            before = checkpoint.read_bytes()
            assert is_whole(before)
    assert before
    assert start(TRAINING, here)[0] == 0
    _, card = load_policy(place / f"{WORLD}--sac")
    assert card.episodes == 20
    assert is_whole(checkpoint.read_bytes())
    assert checkpoint.read_bytes() != before
    assert finished_files(here).keys() == finished_files(tmp_path / "whole").keys()


def minari_datasets(here):
    """Return the episodes of all datasets that Minari finds."""
    minari = pytest.importorskip("minari", reason="minari is not installed")
    found = [path for path in sorted((here / "minari").rglob("data")) if HIDDEN not in path.as_posix()]
    return {path.parent.relative_to(here).as_posix(): from_minari(minari.MinariDataset(path)) for path in found}


@pytest.mark.hostile
def test_a_killed_export_leaves_a_whole_dataset_or_none(start, inputs, tmp_path, count_cases):
    """The next export removes what the killed one left."""
    save_dataset(inputs / "set", {"train": collect(WORLD, expert(WORLD), 3, max_steps=20)}, world=WORLD)
    code, changes = start(EXPORT, tmp_path / "whole")
    whole = minari_datasets(tmp_path / "whole")
    assert (code, len(whole)) == (0, 1)
    limits = [*range(1, changes - 4, 3), *range(changes - 4, changes)]
    count_cases(len(limits), 1)
    left = []
    for limit in limits:
        here = tmp_path / f"{limit}"
        assert start(EXPORT, here, limit)[0] == -signal.SIGKILL
        left.append(minari_datasets(here))
        if not left[-1]:
            assert start(EXPORT, here)[0] == 0
            assert minari_datasets(here) == whole
            assert not [path for path in (here / "minari").rglob("*") if HIDDEN in path.as_posix()]
    assert {} in left
    assert all(each in ({}, whole) for each in left)
