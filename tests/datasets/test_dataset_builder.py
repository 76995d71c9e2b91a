"""An interrupted writer leaves nothing visible, and the next one resumes."""

import fcntl
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from offnominal.core.errors import AlreadyExists, SimulationDiverged
from offnominal.datasets import Dataset, Manifest, Recipe, generate
from offnominal.datasets import dataset_builder as builder_module
from offnominal.datasets.dataset_builder import DatasetBuilder, build_folder

pytestmark = pytest.mark.long

WORLD = "SAP-Goal0-v0"
STRENGTHS = {("action/noise", str(level)): 0.1 * level for level in range(8)}
PROGRAM = """
import json, os, signal, sys
from offnominal.datasets import Recipe, generate

folder, limit, strengths = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
touched = 0

def watch(event, arguments):
    global touched
    if event in ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir"):
        touched += any(os.path.dirname(folder) in str(each) for each in arguments)
        if touched == limit:
            os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(watch)
strengths = {tuple(key): value for key, value in strengths}
generate(Recipe.for_world("SAP-Goal0-v0", episodes=20, strengths=strengths), folder)
"""


def files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def quiet(line):
    pass


def killed(folder, limit):
    """Generate in another process, which is killed when it touches the folder for the limit-th time."""
    arguments = [str(folder), str(limit), json.dumps(list(STRENGTHS.items()))]
    return subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, check=False)


def test_an_interrupted_writer_leaves_nothing_visible_and_the_next_resumes_to_the_same_bytes(tmp_path):
    whole, folder, place = tmp_path / "whole", tmp_path / "data", tmp_path / ".data.unfinished"
    generate(Recipe.for_world(WORLD, episodes=20, strengths=STRENGTHS), whole)
    for limit in (random.randint(15, 25), random.randint(1, 15)):
        process = killed(folder, limit)
        assert process.returncode == -signal.SIGKILL, (limit, process.stderr)
        assert sorted(path.name for path in tmp_path.iterdir()) == [".data.unfinished", "whole"], limit
    # Also in the middle of a line of the journal, and with the disk not having kept its word.
    finished = [json.loads(line) for line in (place / "journal.jsonl").read_text().splitlines()]
    with (place / "journal.jsonl").open("a") as journal:
        journal.write('["action/noise@7", {"fi')
    broken = place / "dataset" / finished[0][1]["file"]
    content = bytearray(broken.read_bytes())
    content[50] ^= 1
    broken.write_bytes(content)
    (place / "dataset" / ".0123.unfinished").write_bytes(b"half of a document")

    said = []
    generate(Recipe.for_world(WORLD, episodes=20, strengths=STRENGTHS), folder, report=said.append)
    assert said == [f"Resuming in {place}: {len(finished) - 1} splits are already finished."] * (len(finished) > 1)
    assert files(folder) == files(whole)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "whole"]


def test_only_what_is_missing_is_simulated_again(made, tmp_path, monkeypatch):
    module = sys.modules["offnominal.datasets.generation"]
    simulation = sys.modules["offnominal.datasets.generation"]
    real, simulated = simulation.rollout, []

    def failing(world, policy, seeds, faults, **options):
        if len(simulated) >= 24:
            raise SimulationDiverged("a power cut, more or less")
        simulated.extend(seeds)
        return real(world, policy, seeds, faults, **options)

    monkeypatch.setattr(module, "BATCH", 8)
    monkeypatch.setattr(simulation, "rollout", failing)
    with pytest.raises(SimulationDiverged):
        made(tmp_path / "data")
    assert not (tmp_path / "data").exists()
    monkeypatch.setattr(
        simulation,
        "rollout",
        lambda world, policy, seeds, *rest, **options: (
            simulated.extend(seeds) or real(world, policy, seeds, *rest, **options)
        ),
    )
    made(tmp_path / "data", report=quiet)
    assert 57 <= len(simulated) <= 57 + 24 - 17


def test_unfinished_work_of_another_recipe_is_dropped_aloud(made, tmp_path, monkeypatch):
    module = sys.modules["offnominal.datasets.generation"]
    monkeypatch.setattr(module, "describe", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made(tmp_path / "data", episodes=2)
    monkeypatch.undo()
    with pytest.warns(UserWarning, match="Discarding an unfinished dataset"):
        data = made(tmp_path / "data", episodes=3)
    assert len(data["test"]) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_unfinished_work_of_another_version_is_dropped(made, tmp_path, monkeypatch):
    module = sys.modules["offnominal.datasets.generation"]
    monkeypatch.setattr(module, "describe", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made(tmp_path / "data", episodes=2)
    monkeypatch.undo()
    begun = tmp_path / ".data.unfinished" / "begun" / "manifest.json"
    begun.write_text(begun.read_text().replace('"numpy": "', '"numpy": "0.'))
    said = []
    made(tmp_path / "data", episodes=2, report=said.append)
    assert "Discarding an unfinished dataset" in said[0]


def test_overwriting_keeps_the_old_dataset_until_the_new_one_is_complete(made, tmp_path, monkeypatch):
    old = made(tmp_path / "data", episodes=2)
    before = files(old.folder)
    module = sys.modules["offnominal.datasets.generation"]
    monkeypatch.setattr(module, "describe", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made(tmp_path / "data", episodes=3, overwrite=True)
    assert files(tmp_path / "data") == before


def test_an_overwritten_dataset_goes_in_one_move(made, tmp_path, monkeypatch):
    folder = made(tmp_path / "data", episodes=1).folder
    removed = []
    real = Path.unlink
    monkeypatch.setattr(Path, "unlink", lambda path, **options: removed.append(path) or real(path, **options))
    made(folder, episodes=2, overwrite=True)
    assert not [path for path in removed if path.is_relative_to(folder)]
    assert tmp_path / ".data.unfinished" / "discarded" / "manifest.json" in removed
    assert len(Dataset(folder)["test"]) == 2


def test_a_writer_killed_between_the_two_moves_of_a_replacement_loses_nothing(made, tmp_path, monkeypatch):
    folder = made(tmp_path / "data", episodes=1).folder
    before = files(folder)
    real = Path.rename

    def killed(path, target):
        if path.name == "dataset":
            raise KeyboardInterrupt
        return real(path, target)

    monkeypatch.setattr(Path, "rename", killed)
    with pytest.raises(KeyboardInterrupt):
        made(folder, episodes=2, overwrite=True)
    monkeypatch.undo()
    assert not folder.exists()
    with pytest.raises(AlreadyExists, match="differs in episodes, nominal"):
        made(folder, episodes=2)
    assert files(folder) == before
    assert len(made(folder, episodes=2, overwrite=True, report=quiet)["test"]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


@pytest.mark.parametrize("step", ["clear", "unlink", "rmdir"])
def test_a_hidden_folder_that_a_killed_writer_could_not_remove_does_not_stay(made, tmp_path, monkeypatch, step):
    place = builder_module if step == "clear" else Path
    real = getattr(place, step)

    def killed(*arguments, **options):
        if (tmp_path / "data").exists():
            raise SystemExit
        return real(*arguments, **options)

    with monkeypatch.context() as dying:
        dying.setattr(place, step, killed)
        with pytest.raises(SystemExit):
            made(tmp_path / "data", episodes=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".data.unfinished", "data"]
    before = files(tmp_path / "data")
    made(tmp_path / "data", episodes=1)
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    assert files(tmp_path / "data") == before


def test_the_hidden_folder_of_an_unfinished_or_running_writer_is_kept(made, tmp_path, monkeypatch):
    made(tmp_path / "data", episodes=1)
    hidden = tmp_path / ".data.unfinished"
    (hidden / "begun").mkdir(parents=True)
    with (hidden / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made(tmp_path / "data", episodes=1)
        assert (hidden / "begun").exists()
    (hidden / "dataset").mkdir()
    made(tmp_path / "data", episodes=1)
    assert (hidden / "begun").exists()
    (hidden / "dataset").rmdir()
    (hidden / "notes.txt").touch()
    made(tmp_path / "data", episodes=1)
    assert (hidden / "begun").exists()
    (hidden / "notes.txt").unlink()
    made(tmp_path / "data", episodes=1)
    assert not hidden.exists()


def test_of_two_writers_one_waits_and_takes_what_the_other_made(made, tmp_path, monkeypatch):
    module = sys.modules["offnominal.datasets.generation"]
    real, runs, results, said = module.rollout, [], [], []

    def slow(*arguments, **options):
        runs.append(1)
        while not said:
            time.sleep(0.001)
        return real(*arguments, **options)

    monkeypatch.setattr(module, "rollout", slow)

    def write():
        results.append(made(tmp_path / "data", episodes=2, report=said.append))

    writers = [Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert len(runs) == 1
    assert [line for line in said if "Waiting for another process" in line] == said
    assert results[0].manifest == results[1].manifest
    assert [path.name for path in tmp_path.iterdir()] == ["data"]


def test_a_hidden_folder_that_was_removed_meanwhile_is_created_again(tmp_path):
    with build_folder(tmp_path / "data", quiet) as place:
        entered = []

        def enter():
            with build_folder(tmp_path / "data", lambda line: shutil.rmtree(place)):
                entered.append((place / "lock").exists())

        second = Thread(target=enter)
        second.start()
        while place.exists():
            time.sleep(0.001)
    second.join(60)
    assert entered == [True]
    assert list(tmp_path.iterdir()) == []


def test_episodes_without_a_recipe_are_never_taken_over(tmp_path, recorded):
    place = tmp_path / ".data.unfinished"
    place.mkdir()
    first = DatasetBuilder(place, Manifest.here("mine", "save"), quiet)
    first.add("train", [recorded()], {})
    second = DatasetBuilder(place, Manifest.here("mine", "save"), quiet)
    assert second.splits == {}
    assert not (place / "journal.jsonl").exists()


def test_what_is_visible_is_on_the_disk(made, tmp_path, monkeypatch):
    flushed = set()
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: flushed.add(os.fstat(handle).st_ino) or real(handle))
    data = made(tmp_path / "data", episodes=1)
    assert {path.stat().st_ino for path in data.folder.rglob("*") if path.is_file()} <= flushed
    assert len(Dataset(data.folder)) == 8
