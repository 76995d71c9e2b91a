"""Driving scenes: what a frame of a town costs to simulate, render and write, and its files beside PNG and npz."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.measure import rates
from offnominal.core.files import sha256_of
from offnominal.datasets.scenes.compact_layout import CompactReader
from offnominal.datasets.scenes.index import Layout, ScenePlan
from offnominal.datasets.scenes.layouts import LAYOUTS
from offnominal.datasets.scenes.published_reading import PublishedScene
from offnominal.datasets.scenes.scene_recorder import entry_of
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios import make_scenarios
from offnominal.worlds.road.scenes import DrivingFrame, ScenarioRun

Row = dict[str, Any]
RIG = replace(RIGS["mono"], width=512, height=384)
FIRST, FRAMES = 100, 8


def recording() -> list[Row]:
    """Simulate and render a town with 512 x 384 pixels, four outputs and a 64 x 1024 lidar, and write the files."""
    rows = []
    for layout in LAYOUTS:
        with TemporaryDirectory() as folder:
            spent, size, count = 0.0, 0, 0
            for scenario in make_scenarios("smoke", seed=5):
                plan = ScenePlan(scenario.replace(timing=scenario.timing.replace(record_every=1)), rig=RIG)
                run = ScenarioRun(plan.scenario, rig=RIG)
                writer = LAYOUTS[layout].writer(Path(folder) / plan.id, plan, run, ())
                frames = run.frames(start=FIRST)
                writer.add(next(frames))
                start = time.process_time()
                for frame in islice(frames, FRAMES):
                    parts = writer.add(frame)
                    entry_of(frame, parts)
                    size, count = size + sum(part.size for part in parts), count + 1
                spent += time.process_time() - start
                writer.close()
        rows.append(
            {
                "layout": layout,
                "frames": count,
                "CPU-s/frame": spent / count,
                "kB/frame": round(size / count / 1e3),
                "bar": "<= 0.25 CPU-s",
            }
        )
    return rows


def files() -> list[Row]:
    """Write and read one frame, ours with hashes and all actors, beside PNG files of Pillow and an npz file."""
    plan = ScenePlan(make_scenarios("smoke", seed=5)[2], rig=RIG)
    run = ScenarioRun(plan.scenario, rig=RIG)
    frame = next(run.frames(start=10))
    with TemporaryDirectory() as folder:
        place = Path(folder)
        writers: dict[str, Callable[[], int]] = {"peer": lambda: _save(place / "peer", frame)}
        readers: dict[str, Callable[[], int]] = {"peer": lambda: _load(place / "peer")}
        sizes: dict[str, int] = {}
        for layout in LAYOUTS:
            writers[layout], readers[layout], sizes[layout] = _ours(layout, place / layout, plan, run, frame)
        written = rates(writers)
        found = rates(readers)
        sizes["peer"] = sum(path.stat().st_size for path in (place / "peer").iterdir())
    return [
        {
            "layout": layout,
            "write, CPU-s": 1.0 / written[layout].per_cpu_second,
            "read, CPU-s": 1.0 / found[layout].per_cpu_second,
            "kB": round(sizes[layout] / 1e3),
            "peer": "Pillow PNG, npz",
            "write, peer, CPU-s": 1.0 / written["peer"].per_cpu_second,
            "read, peer, CPU-s": 1.0 / found["peer"].per_cpu_second,
            "peer, kB": round(sizes["peer"] / 1e3),
            "bar": "compact: write <= 0.03",
        }
        for layout in LAYOUTS
    ]


def _ours(
    layout: Layout, folder: Path, plan: ScenePlan, run: ScenarioRun, frame: DrivingFrame
) -> tuple[Callable[[], int], Callable[[], int], int]:
    def writer() -> Any:
        return LAYOUTS[layout].writer(folder, plan, run, ())

    def write() -> int:
        opened = writer()
        opened.add(frame)
        opened.close()
        return 1

    def read() -> int:
        if layout == "compact":
            CompactReader(folder, RIG).frame(entry)
        else:
            PublishedScene(folder)[0]
        return 1

    opened = writer()
    entry = entry_of(frame, opened.add(frame))
    opened.finish()
    opened.close()
    return write, read, sum(part.size for part in entry.parts)


def _save(folder: Path, frame: DrivingFrame) -> int:
    folder.mkdir(exist_ok=True)
    image, lidar = frame.sensors.cameras["top"].image, frame.sensors.lidars["top"]
    for name, kind in (("rgb", np.uint8), ("label", np.uint8), ("instance", np.uint16)):
        array = getattr(image, name).astype(kind)
        Image.fromarray(array).save(folder / f"{name}.png", compress_level=1)
    arrays: dict[str, Any] = {"depth": image.depth}
    for name, cloud in (("measured", lidar.measured), ("exact", lidar.exact)):
        arrays |= {f"{name}_{key}": value for key, value in vars(cloud).items()}
    np.savez_compressed(folder / "arrays.npz", **arrays)
    return len(sha256_of(folder / "arrays.npz")) // 64


def _load(folder: Path) -> int:
    for path in folder.glob("*.png"):
        np.asarray(Image.open(path))
    with np.load(folder / "arrays.npz") as arrays:
        return min(1, sum(len(arrays[name]) for name in arrays.files))


SECTIONS = {"Driving scenes: a frame": recording, "Driving scenes: files": files}
