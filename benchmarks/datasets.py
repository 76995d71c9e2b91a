"""Datasets beside Minari, frames beside HDF5 and PNG: written, kept and loaded; and what recording them costs."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import offnominal as off
from benchmarks.measure import rates
from offnominal.core.directories import DATA_VARIABLE
from offnominal.datasets import Split, save_dataset, to_minari
from offnominal.rollouts.collection import rollout

Row = dict[str, Any]
WORLDS = ("SAP-Goal0-v0", "MJC-HalfCheetah-v0")
EPISODES, FILMED = 100, 10
OFFSET = {"SAP-Goal0-v0": 0.5, "MJC-HalfCheetah-v0": 0.3}


@contextmanager
def workplace() -> Any:
    """A folder in which both stores keep what they write."""
    before = {name: os.environ.get(name) for name in ("MINARI_DATASETS_PATH", DATA_VARIABLE)}
    with TemporaryDirectory() as folder:
        os.environ["MINARI_DATASETS_PATH"] = f"{folder}/minari"
        yield Path(folder)
    for name, value in before.items():
        os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def recorded(world: str, folder: Path) -> Split:
    """Return a split of faulty episodes of the shipped expert."""
    strengths = {("action/offset", "own"): OFFSET[world]}
    data = off.generate(off.Recipe.for_world(world, episodes=EPISODES, nominal=1, strengths=strengths), folder / world)
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
                return len(list(off.load_dataset(home)[name]))

            def theirs() -> int:
                return len(list(minari.load_dataset("bench/split-v0").iterate_episodes()))

            measured = rates({"ours": ours, "theirs": theirs})
        ours_speed, peer_speed = (measured[name].per_cpu_second for name in ("ours", "theirs"))
        task = f"{world}, {EPISODES} episodes of {split.entry.steps // EPISODES} steps"
        rows.append(row(task, ours_speed, peer_speed, "episodes/CPU-s", "ratio >= 5"))
    return rows


def writing() -> list[Row]:
    """Write 100 recorded episodes, with statistics and hashes, beside Minari writing the same."""
    rows = []
    for world in WORLDS:
        with workplace() as folder:
            split = recorded(world, folder)
            episodes = list(split)

            def ours(folder: Path = folder, episodes: list[off.Episode] = episodes) -> int:
                save_dataset(folder / "ours", {"split": episodes}, world="bench", overwrite=True)
                return len(episodes)

            def theirs(folder: Path = folder, split: Split = split) -> int:
                shutil.rmtree(folder / "minari", ignore_errors=True)
                return len(to_minari(split, "bench/split-v0")[0])

            measured = rates({"ours": ours, "theirs": theirs})
        ours_speed, peer_speed = (measured[name].per_cpu_second for name in ("ours", "theirs"))
        rows.append(row(f"{world}, {EPISODES} episodes", ours_speed, peer_speed, "episodes/CPU-s"))
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
            off.generate(off.Recipe.for_world(world, episodes=2, levels=[]), folder / "warm")
            spent, data = _timed(lambda: off.generate(off.Recipe.for_world(world, episodes=episodes), folder / "data"))  # noqa: B023
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


def frames() -> list[Row]:
    """Write and read the same frames of half cheetah, an episode at a time: ours with hashes and labels, peers bare."""
    with workplace() as folder:
        data = off.generate(
            off.Recipe.for_world("MJC-HalfCheetah-v0", episodes=1, nominal=FILMED, levels=[], frames=True),
            folder / "data",
        )
        entry = data["train"].entry.frames
        episodes = [_in_memory(episode) for episode in data["train"]]
        films = [episode.extras["frames"] for episode in episodes]

        def write() -> int:
            save_dataset(folder / "ours", {"split": episodes}, world="bench", overwrite=True)
            return entry.count

        def read() -> int:
            return sum(len(episode.observations) for episode in off.load_dataset(folder / "ours")["split"].images())

        writers, readers = {"ours": write}, {"ours": read}
        for name, (put, take) in PEERS.items():
            writers[name] = lambda put=put, name=name: put(folder / name, films)
            readers[name] = lambda take=take, name=name: take(folder / name)
        written, found = rates(writers), rates(readers)
        sizes = {name: _bytes(folder / name) / entry.count for name in PEERS}
    task = f"MJC-HalfCheetah-v0, {FILMED} episodes, {entry.count:,} frames"
    return [
        {
            "task": task,
            "write, ours, frames/CPU-s": round(written["ours"].per_cpu_second),
            "read, ours, frames/CPU-s": round(found["ours"].per_cpu_second),
            "ours, bytes/frame": round(entry.size / entry.count),
            "peer": name,
            "write, peer, frames/CPU-s": round(written[name].per_cpu_second),
            "read, peer, frames/CPU-s": round(found[name].per_cpu_second),
            "peer, bytes/frame": round(sizes[name]),
            "write ratio": written["ours"].per_cpu_second / written[name].per_cpu_second,
            "read ratio": found["ours"].per_cpu_second / found[name].per_cpu_second,
            "bar": "ours: write >= 1000, read >= 5000, <= 12000 bytes",
        }
        for name in PEERS
    ]


def filming() -> list[Row]:
    """Generate a dataset with frames: simulate, render, compress, hash; beside the same without frames."""
    world = "MJC-HalfCheetah-v0"
    with workplace() as folder:
        off.generate(off.Recipe.for_world(world, episodes=1, nominal=1, levels=[], frames=True), folder / "warm")
        spent, data = _timed(
            lambda: off.generate(
                off.Recipe.for_world(world, episodes=1, nominal=FILMED, levels=[], frames=True), folder / "seen"
            )
        )
        bare, _ = _timed(
            lambda: off.generate(off.Recipe.for_world(world, episodes=1, nominal=FILMED, levels=[]), folder / "plain")
        )
    entries = [entry.frames for entry in data.manifest.splits.values()]
    count, size = sum(entry.count for entry in entries), sum(entry.size for entry in entries)
    return [
        {
            "task": f"{world}, {count:,} frames of 128 x 128",
            "CPU-s": spent,
            "without frames, CPU-s": bare,
            "frames/CPU-s": round(count / spent),
            "CPU-s for 100 episodes of 200": 20_100 * spent / count,
            "MB for 100 episodes of 200": 20_100 * size / count / 1e6,
            "bar": "<= 60 CPU-s, <= 250 MB",
        }
    ]


def _in_memory(episode: off.Episode) -> off.Episode:
    return replace(episode, extras=dict(episode.extras))


def _bytes(place: Path) -> int:
    return sum(path.stat().st_size for path in (place, *place.rglob("*")) if path.is_file())


def _put_hdf5(place: Path, films: list[Any], **options: Any) -> int:
    import h5py

    with h5py.File(place, "w") as file:
        for number, film in enumerate(films):
            file.create_dataset(str(number), data=film, chunks=(1, *film.shape[1:]), **options)
    return sum(map(len, films))


def _take_hdf5(place: Path) -> int:
    import h5py

    with h5py.File(place) as file:
        return sum(len(file[name][:]) for name in file)


def _put_png(place: Path, films: list[Any]) -> int:
    from PIL import Image

    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    for number, film in enumerate(films):
        for step, frame in enumerate(film):
            Image.fromarray(frame).save(place / f"{number}-{step}.png")
    return sum(map(len, films))


def _take_png(place: Path) -> int:
    from PIL import Image

    return sum(len(np.asarray(Image.open(path))) // 128 for path in place.iterdir())


PEERS: dict[str, tuple[Callable[..., int], Callable[[Path], int]]] = {
    "h5py, gzip 4": (partial(_put_hdf5, compression="gzip", compression_opts=4), _take_hdf5),
    "h5py, lzf": (partial(_put_hdf5, compression="lzf"), _take_hdf5),
    "PNG, Pillow": (_put_png, _take_png),
}


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


SECTIONS = {
    "Loading a split": loading,
    "Writing a split": writing,
    "Bytes on disk": bytes_on_disk,
    "Recording a dataset": recording,
    "Storing frames": frames,
    "Recording frames": filming,
}
