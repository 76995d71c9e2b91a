"""Layouts of recorded scenes: how folders are named, and how frames are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from offnominal.datasets.scenes import compact_layout, published_names
from offnominal.datasets.scenes.compact_layout import CompactWriter
from offnominal.datasets.scenes.index import FrameEntry, Layout, Part, ScenePlan
from offnominal.datasets.scenes.published_layout import PublishedWriter
from offnominal.datasets.scenes.scene_run import SceneRun
from offnominal.worlds.road.scenes import DrivingFrame


class SceneWriter(Protocol):
    """Writer of the frames of a scene."""

    def add(self, frame: DrivingFrame) -> tuple[Part, ...]:
        """Write a frame, and return where it is."""

    def finish(self) -> dict[str, str]:
        """Write what belongs to all frames, and return the hashes of these files by name."""

    def close(self) -> None:
        """Close all files."""


@dataclass(frozen=True)
class SceneLayout:
    """A layout.

    Args:
        folder: Function that returns the folder of a scene, given its id.
        scenarios: Folder of the scenario files.
        writer: Function that returns the writer of a scene, given its folder, plan, run and finished frames.
    """

    folder: Callable[[str], str]
    scenarios: str
    writer: Callable[[Path, ScenePlan, SceneRun, Sequence[FrameEntry]], SceneWriter]


LAYOUTS: dict[Layout, SceneLayout] = {
    "compact": SceneLayout(
        compact_layout.scene_folder,
        compact_layout.SCENARIOS,
        lambda folder, plan, run, finished: CompactWriter(folder, run.rig, finished, plan.voxels),
    ),
    "published": SceneLayout(
        published_names.scene_folder,
        published_names.SCENARIOS,
        lambda folder, plan, run, finished: PublishedWriter(folder, plan, run),
    ),
}
