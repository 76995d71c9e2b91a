"""Run a cell of a study of novelty: fit, score and evaluate its method."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from offnominal.papers.novelcraft.cell import NOVELTY, NoveltyCell
from offnominal.papers.novelcraft.detector_registries import registry_of
from offnominal.papers.novelcraft.novelty_sets import NoveltySets
from offnominal.papers.novelcraft.task_result import SCHEMA, TaskResult
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code import Sources
from offnominal.studies.code_version import code_version
from offnominal.studies.kinds import study_kinds
from offnominal.studies.resource_meter import ResourceMeter

# The simulation does not count: the recorded set is the data of a cell.
TASKS = {
    "frames": "offnominal.papers.novelcraft.frame_task:run_frames",
    "episodes": "offnominal.papers.novelcraft.episode_task:run_episodes",
    "discovery": "offnominal.papers.novelcraft.discovery_task:run_discovery",
}
NETWORK = "offnominal.detectors.classifiers:MaxLogit"
"""Code of the network that several detectors share."""
SCORING = (
    "offnominal.papers.novelcraft.episode_task:part_scores",
    "offnominal.papers.novelcraft.image_scoring:image_features",
)
"""Code that uses detectors."""


def run_task(cell: NoveltyCell, sets: NoveltySets, meter: ResourceMeter, sources: Sources) -> CellRows:
    """Run the task of a cell: fit, score and evaluate its method.

    Args:
        cell: The cell.
        sets: Its set.
        meter: Measures fitting, scoring and evaluation.
        sources: Networks that cells share are kept under the version of their code.
    """
    found = _run(cell, sets, meter, sources)
    meter.steps = found.scored
    meter.cpu |= {name.removesuffix("_cpu_s"): seconds for name, seconds in found.cost.items()}
    return CellRows(found.rows, _shown(cell, found))


def _run(cell: NoveltyCell, sets: NoveltySets, meter: ResourceMeter, sources: Sources) -> TaskResult:
    """Run the task of a cell; its module is imported here, because it needs torch."""
    if cell.task == "frames":
        from offnominal.papers.novelcraft.frame_task import run_frames

        return run_frames(cell, sets, meter, sources.version(NETWORK))
    codes = detector_codes(cell, sources)
    if cell.task == "discovery":
        from offnominal.papers.novelcraft.discovery_task import run_discovery

        return run_discovery(cell, sets, meter, codes[0])
    from offnominal.papers.novelcraft.episode_task import run_episodes

    return run_episodes(cell, sets, meter, codes)


def _shown(cell: NoveltyCell, found: TaskResult) -> Any:
    about = {"task": cell.task, "name": cell.name, "variant": cell.variant, "seed": cell.seed}
    return pa.Table.from_pylist([about | row for row in found.examples], SCHEMA.remove(0))


def detector_codes(cell: NoveltyCell, sources: Sources) -> list[str]:
    """Return a hash for each detector of a cell: of the versions of it, of its parts and of the study kind."""
    return [
        code_version(
            sources, [(study_kinds, NOVELTY, {}), (registry_of(entry.id), entry.id, entry.parameters)], SCORING
        )
        for entry in cell.detectors
    ]
