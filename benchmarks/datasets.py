"""Datasets beside Minari: the same episodes written, kept and loaded; and what recording them costs."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import offnominal as off
from benchmarks.measure import rates
from offnominal.core.home import VARIABLE
from offnominal.datasets import Split, save, to_minari
from offnominal.rollouts.collect import rollout

Row = dict[str, Any]
WORLDS = ("SAP-Goal0-v0", "MJC-HalfCheetah-v0")
EPISODES = 100
OFFSET = {"SAP-Goal0-v0": 0.5, "MJC-HalfCheetah-v0": 0.3}


@contextmanager
def workplace() -> Any:
    """A folder in which both stores keep what they write."""
    before = {name: os.environ.get(name) for name in ("MINARI_DATASETS_PATH", VARIABLE)}
    with TemporaryDirectory() as folder:
        os.environ["MINARI_DATASETS_PATH"] = f"{folder}/minari"
        yield Path(folder)
    for name, value in before.items():
        os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def recorded(world: str, folder: Path) -> Split:
    """Return a split of faulty episodes of the shipped expert."""
    strengths = {("action/offset", "own"): OFFSET[world]}
    data = off.generate(world, folder / world, episodes=EPISODES, nominal=1, strengths=strengths)
    return data["action/offset@own"]


def row(task: str, ours: float, theirs: float, unit: str, bar: str = "") -> Row:
    return {
        "task": task,
        f"ours, {unit}": round(ours),
        "peer": "Minari, HDF5",
        f"peer, {unit}": round(theirs),
        "ratio": ours / theirs,
        "bar": bar,
    }


def loading() -> list[Row]:
    """Open a dataset and load all episodes of a split, hashes compared, beside Minari loading the same episodes."""
    import minari

    rows = []
    for world in WORLDS:
        with workplace() as folder:
            split = recorded(world, folder)
            home, name = split.path.parents[1], split.name
            to_minari(split, "bench/split-v0")

            def ours(home: Path = home, name: str = name) -> int:
                return len(list(off.load(home)[name]))

            def theirs() -> int:
                return len(list(minari.load_dataset("bench/split-v0").iterate_episodes()))

            measured = rates({"ours": ours, "theirs": theirs})
        speeds = [measured[who].per_cpu_second for who in ("ours", "theirs")]
        task = f"{world}, {EPISODES} episodes of {split.entry.steps // EPISODES} steps"
        rows.append(row(task, *speeds, "episodes/CPU-s", "ratio >= 5"))
    return rows


def writing() -> list[Row]:
    """Write 100 recorded episodes, with statistics and hashes, beside Minari writing the same."""
    rows = []
    for world in WORLDS:
        with workplace() as folder:
            split = recorded(world, folder)
            episodes = list(split)

            def ours(folder: Path = folder, episodes: list[off.Episode] = episodes) -> int:
                save(folder / "ours", {"split": episodes}, world="bench", overwrite=True)
                return len(episodes)

            def theirs(folder: Path = folder, split: Split = split) -> int:
                shutil.rmtree(folder / "minari", ignore_errors=True)
                return len(to_minari(split, "bench/split-v0")[0])

            measured = rates({"ours": ours, "theirs": theirs})
        speeds = [measured[who].per_cpu_second for who in ("ours", "theirs")]
        rows.append(row(f"{world}, {EPISODES} episodes", *speeds, "episodes/CPU-s"))
    return rows


def bytes_on_disk() -> list[Row]:
    """Bytes that the same episodes take: observations, actions, rewards, labels and outcomes."""
    rows = []
    for world in WORLDS:
        with workplace() as folder:
            split = recorded(world, folder)
            to_minari(split, "bench/split-v0")
            theirs = sum(path.stat().st_size for path in (folder / "minari").rglob("*") if path.is_file())
            raw = sum(values.nbytes for episode in split for values in episode.arrays().values())
        rows.append(
            {
                "task": f"{world}, {EPISODES} episodes",
                "ours, kB": round(split.entry.size / 1e3),
                "arrays in memory, kB": round(raw / 1e3),
                "peer": "Minari, HDF5",
                "peer, kB": round(theirs / 1e3),
                "ratio": split.entry.size / theirs,
            }
        )
    return rows


def recording() -> list[Row]:
    """Generate a whole dataset: simulate with the shipped expert, write, hash, draw; beside simulating alone."""
    rows = []
    for world, episodes in (("SAP-Goal0-v0", 100), ("MJC-HalfCheetah-v0", 10)):
        with workplace() as folder:
            off.generate(world, folder / "warm", episodes=2, levels=[])
            spent, data = _timed(lambda: off.generate(world, folder / "data", episodes=episodes))  # noqa: B023
            plans = data.manifest.recipe.plans()
            policy = off.expert(world)
            bare, _ = _timed(
                lambda: [rollout(world, policy, plan.seeds, [plan.faults] * len(plan.seeds)) for plan in plans]  # noqa: B023
            )
            count = sum(len(data[name]) for name in data)
            rows.append(
                {
                    "task": f"{world}, {len(data)} splits of {episodes}",
                    "episodes": count,
                    "MB": sum(entry.size for entry in data.manifest.splits.values()) / 1e6,
                    "CPU-s": spent,
                    "episodes/CPU-s": round(count / spent),
                    "simulating alone, split by split, CPU-s": bare,
                    "ratio": bare / spent,
                }
            )
    return rows


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


SECTIONS = {
    "Loading a split": loading,
    "Writing a split": writing,
    "Bytes on disk": bytes_on_disk,
    "Recording a dataset": recording,
}
