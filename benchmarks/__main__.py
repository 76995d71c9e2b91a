"""Run benchmarks and bring RESULTS.md up to date: `python -m benchmarks [section or file ...]`; all without a name."""

from __future__ import annotations

import inspect
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import torch
from rich.console import Console

from benchmarks import (
    arm,
    backbones,
    classic,
    comparison,
    datasets,
    detectors,
    driving,
    driving_scenes,
    ensembles,
    evaluation,
    gpu_training,
    image_detectors,
    lane_keeping,
    latency,
    live,
    novelcraft,
    novelty,
    onnx_export,
    own_logs,
    pong,
    pyod_peers,
    robot,
    runner,
    sensing,
    training,
    uncertainty,
    voxel_camera,
    voxels,
    watch,
    watch_in_real_time,
    worlds,
)
from offnominal.reports.tables import markdown, terminal_table

RESULTS = Path(__file__).parent / "RESULTS.md"
HEADER = """# Benchmarks

Made by `make bench`, or section by section by `python -m benchmarks SECTION`. Rates are work per CPU-second of the
whole process, best of five windows, contenders taking turns. A step is one transition of one row.
"""
GROUPS = {
    "sensing": {**sensing.SECTIONS, **voxel_camera.SECTIONS},
    "worlds": {
        **worlds.SECTIONS,
        **arm.SECTIONS,
        **robot.SECTIONS,
        **lane_keeping.SECTIONS,
        **driving.SECTIONS,
        **classic.SECTIONS,
    },
    "pong": pong.SECTIONS,
    "training": training.SECTIONS,
    "uncertainty": uncertainty.SECTIONS,
    "datasets": {**datasets.SECTIONS, **driving_scenes.SECTIONS, **novelcraft.SECTIONS, **own_logs.SECTIONS},
    "detectors": {
        **latency.SECTIONS,
        **detectors.SECTIONS,
        **ensembles.SECTIONS,
        **image_detectors.SECTIONS,
        **backbones.SECTIONS,
        **onnx_export.SECTIONS,
    },
    "gpu": gpu_training.SECTIONS,
    "live": {**live.SECTIONS, **watch.SECTIONS, **watch_in_real_time.SECTIONS},
    "novelty": novelty.SECTIONS,
    "evaluation": {**evaluation.SECTIONS, **voxels.SECTIONS},
    "comparison": comparison.SECTIONS,
    "pyod": pyod_peers.SECTIONS,
    "runner": runner.SECTIONS,
}
SECTIONS = {title: section for group in GROUPS.values() for title, section in group.items()}


def main() -> None:
    console = Console(width=160)
    wanted = [title for word in sys.argv[1:] for title in GROUPS.get(word, [word])] or [
        title for title in SECTIONS if title not in GROUPS["gpu"] or torch.cuda.is_available()
    ]
    parts = written()
    for title in wanted:
        rows = SECTIONS[title]()
        console.print(terminal_table(title, rows))
        parts[title] = f"## {title}\n\n{inspect.getdoc(SECTIONS[title])}\n\n{machine()}\n\n{markdown(rows)}\n"
        kept = [parts[title] for title in SECTIONS if title in parts]
        RESULTS.write_text("\n".join([HEADER, *kept]), encoding="utf-8")
    console.print(f"Written: {RESULTS}")


def written() -> dict[str, str]:
    """Return the sections of RESULTS.md by title."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in text.split("\n## ")[1:]}


def machine() -> str:
    """Return the machine and the versions of the packages that matter for speed."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "mujoco", "gymnasium"))
    return (
        f"Machine: {platform.machine()}, {len(os.sched_getaffinity(0))} processors, Python "
        f"{platform.python_version()}, {packages}."
    )


main()
