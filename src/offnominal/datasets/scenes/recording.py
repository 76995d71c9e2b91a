"""Recording of scenarios as a set of driving scenes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from offnominal.core.checks import instance_of, one_of, positive_integer
from offnominal.core.errors import AlreadyExists, InvalidParameter
from offnominal.core.files import file_errors, sha256_of, write_json
from offnominal.core.progress_bar import progress
from offnominal.datasets.dataset_builder import (
    FINISHED,
    STARTED,
    Report,
    build_folder,
    clear,
    destination,
    is_free,
    put_in_place,
    remove_incomplete,
    remove_leftovers,
    start_again,
)
from offnominal.datasets.manifest import MANIFEST
from offnominal.datasets.recording_processes import recorded
from offnominal.datasets.scenes.index import (
    SCENES,
    Layout,
    SceneEntry,
    SceneManifest,
    ScenePlan,
)
from offnominal.datasets.scenes.layouts import LAYOUTS
from offnominal.datasets.scenes.scene_recorder import SceneJob
from offnominal.datasets.scenes.scene_run import RunSource, source_name
from offnominal.datasets.scenes.voxel_files import VoxelSettings
from offnominal.worlds.road.rigs import Rig
from offnominal.worlds.road.scenarios import Scenario, write_scenarios
from offnominal.worlds.road.scenarios.scenario_file import check_ids
from offnominal.worlds.road.scenes import ScenarioRun


def record_scenes(
    scenarios: Sequence[Scenario],
    folder: Path | str,
    *,
    layout: Layout = "compact",
    twins: bool = False,
    rig: Rig | None = None,
    voxels: VoxelSettings | None = None,
    workers: int = 1,
    source: RunSource = ScenarioRun,
    report: Report = warnings.warn,
) -> SceneManifest:
    """Simulate scenarios and write their frames to a new folder.

    The folder appears when all scenes are finished. Interrupted runs resume: call the function again; no finished
    frame is computed twice. The content does not depend on the number of workers. If the folder already has these
    scenes, nothing is done.

    Args:
        scenarios: Scenarios with different ids.
        folder: Folder that does not exist or is empty.
        layout: ``"compact"``, or ``"published"`` for the layout of AnoVox.
        twins: Whether to record the nominal twin of each scenario with an anomaly as well.
        rig: Sensors of all scenes; None are those of each scenario.
        voxels: How the voxel truth of each frame is computed; None to record none.
        workers: Number of processes.
        source: Class or function that simulates a scenario, such as
            :class:`~offnominal.worlds.road.carla.CarlaRun` or ``partial(ScenarioRun, samples=2)``; for several workers
            it must be possible to pickle it.
        report: Called with a line of text when an earlier run is resumed, discarded or waited for.

    Returns:
        The manifest, which also says why scenes were discarded.

    Raises:
        AlreadyExists: The folder has other files.
        InaccessibleFile: The disk is full, or the folder cannot be written.
        InvalidParameter: All scenes were discarded.
    """
    one_of("layout", layout, get_args(Layout))
    positive_integer("workers", workers)
    check_ids(scenarios)
    if voxels is not None:
        instance_of("voxels", voxels, VoxelSettings)
    plans = [
        ScenePlan(scenario, twin, rig, voxels)
        for scenario in scenarios
        for twin in (False, True)
        if not twin or (twins and scenario.anomaly is not None)
    ]
    if not plans:
        raise InvalidParameter("there are no scenarios to record; give at least one.")
    path = destination(folder)
    manifest = SceneManifest.here(layout, _recipe_sha256(plans, layout, source))
    found = _existing(path, manifest)
    if found is None:
        with build_folder(path, report) as hidden:
            # Another process may have finished it while this one waited.
            found = _existing(path, manifest)
            if found is None:
                _begin(hidden, manifest, scenarios, report)
                jobs = [SceneJob(plan, layout, hidden / FINISHED, hidden / STARTED, source) for plan in plans]
                found = _finish(hidden, path, manifest, dict(_outcomes(jobs, workers)), plans)
    else:
        remove_leftovers(path)
    return found


def _recipe_sha256(plans: Sequence[ScenePlan], layout: Layout, source: RunSource) -> str:
    return sha256_of(json.dumps([layout, source_name(source), [plan.recipe for plan in plans]], sort_keys=True))


def _existing(folder: Path, manifest: SceneManifest) -> SceneManifest | None:
    """Return the manifest of the same scenes if the folder has them, or None if the folder can be written."""
    if is_free(folder):
        return None
    if not (folder / SCENES).is_file():
        raise AlreadyExists(f"{folder} exists and is not a set of driving scenes; choose another folder.")
    found = SceneManifest.read(folder)
    if found.recipe_sha256 != manifest.recipe_sha256:
        raise AlreadyExists(f"{folder} has other driving scenes; choose another folder.")
    return found


def _begin(hidden: Path, manifest: SceneManifest, scenarios: Sequence[Scenario], report: Report) -> None:
    """Prepare the hidden folder: keep the work of an interrupted run of the same scenes, or start again."""
    begun = hidden / STARTED / MANIFEST
    if begun.exists():
        if manifest.is_begun(begun) and (hidden / FINISHED / LAYOUTS[manifest.layout].scenarios).is_dir():
            frames = sum(path.read_bytes().count(b'["frame"') for path in begun.parent.glob("*.jsonl"))
            report(f"Resuming in {hidden}: {frames} frames are already finished.")
            return
        report(f"Discarding unfinished scenes of other scenarios or another version in {hidden}.")
    start_again(hidden)
    write_scenarios(scenarios, hidden / FINISHED / LAYOUTS[manifest.layout].scenarios)
    write_json(begun, manifest.to_dict())


def _finish(
    hidden: Path, folder: Path, manifest: SceneManifest, outcomes: dict[str, SceneEntry | str], plans: list[ScenePlan]
) -> SceneManifest:
    """Write the manifest and move the set to its folder."""
    made = hidden / FINISHED
    found = {plan.id: outcomes[plan.id] for plan in plans}
    scenes = {id: each for id, each in found.items() if isinstance(each, SceneEntry)}
    discarded = {id: each for id, each in found.items() if isinstance(each, str)}
    if not scenes:
        clear(hidden)
        id, reason = next(iter(discarded.items()))
        raise InvalidParameter(f"all {len(discarded)} scenes were discarded; {id}: {reason}.")
    remove_incomplete(made)
    with file_errors(made):
        files = sorted((made / LAYOUTS[manifest.layout].scenarios).iterdir())
    documents = {path.relative_to(made).as_posix(): sha256_of(path) for path in files}
    complete = manifest.replace(scenes=scenes, discarded=discarded, documents=documents).with_sha256()
    complete.write(made)
    put_in_place(hidden, folder)
    return complete


def _outcomes(jobs: list[SceneJob], workers: int) -> Iterator[tuple[str, SceneEntry | str]]:
    """Record scenes in this process or in several, and yield the entry of each one or why it was discarded."""
    total = sum(job.plan.scenario.timing.frames for job in jobs)
    with progress("Recording driving scenes", total=total) as tick:
        yield from recorded(jobs, workers, tick)
