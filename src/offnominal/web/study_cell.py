"""A stored cell of a study on faults, to be simulated or fitted again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.strengths import parameter_for
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.datasets.recipe import Recipe
from offnominal.evaluation.failure import ended_by_failure
from offnominal.evaluation.timing import measure_timing
from offnominal.kinds.faults.cell import Cell
from offnominal.kinds.faults.cell_run import build_alarm, build_detector
from offnominal.kinds.faults.data import open_data
from offnominal.reports.page_numbers import rounded
from offnominal.studies.execution import single_threaded
from offnominal.studies.kinds import cell_from
from offnominal.studies.segments import read_cell
from offnominal.studies.source_names import is_dataset
from offnominal.web.library import Run

Curves = dict[str, dict[str, Any]]


def study_cell(run: Run, key: str) -> Cell:
    """Return a cell of a run by its key. Packages of others are not imported.

    Raises:
        InvalidParameter: It is a cell of another kind of study.
        ModuleNotAllowed: It names classes of another package.
    """
    metadata: Mapping[bytes, bytes] = read_cell(run.store.path(key)).schema.metadata or {}
    try:
        found = cell_from(json.loads(metadata[b"cell"]))
    except (KeyError, ValueError) as error:
        raise DamagedFile(f"the result {key} does not say which cell it belongs to ({error}).") from None
    if not isinstance(found, Cell):
        raise InvalidParameter(f"{found.label} is no cell of a study on faults.")
    return found


def fault_of(cell: Cell, split: str) -> Fault:
    """Return the fault of a split, with a random onset unless the study says otherwise.

    Raises:
        InvalidParameter: The episodes are those of a dataset, which cannot be simulated again, or have several faults.
    """
    if is_dataset(cell.world):
        raise InvalidParameter(f"{cell.world} is a dataset; its episodes cannot be simulated again.")
    schedule = Recipe.for_world(cell.world, algorithm=cell.policy, episodes=1, levels=()).schedule
    for entry in cell.data.in_world(cell.world).faults:
        if entry.split == split and entry.also:
            raise InvalidParameter(f"the episodes of {split} have {len(entry.anomalies)} faults; one can be shown.")
        if entry.split == split:
            return entry.cell(cell.world).fault(schedule)
    anomaly, _, variant = split.partition("@")
    return Fault(anomaly, parameter_for(cell.world, anomaly, variant), schedule)


def detection_curves(cell: Cell) -> Curves:
    """Fit the detector of a cell again, and return its cumulative incidences of every split and alarm.

    The results of a cell hold delays in a few numbers only, not those of every episode.
    """
    detector, alarms = build_detector(cell), {entry.name: build_alarm(entry) for entry in cell.alarms}
    curves: Curves = {}
    with single_threaded():
        data = open_data(cell)
        detector.fit(list(data["train"]), seed=cell.seed)
        calibration = detector.score(list(data["validation"])) if alarms else []
        fitted = {name: alarm.fit(calibration) for name, alarm in alarms.items()}
        for split in data.faulty:
            episodes = list(data[split])
            scores = detector.score(episodes)
            onsets = [episode.onset for episode in episodes]
            failed = [ended_by_failure(episode) for episode in episodes]
            curves[split] = {name: _curve(alarm.alarm(scores), onsets, failed) for name, alarm in fitted.items()}
    return curves


def _curve(raised: Any, onsets: list[int | None], failed: list[bool]) -> dict[str, Any]:
    timing = measure_timing(raised, onsets, failed=failed, replicates=0)
    curve = timing.curve
    columns = {
        "detected": curve.detected.share,
        "low": curve.detected.low,
        "high": curve.detected.high,
        "failed": curve.failed.share,
    }
    return {
        "episodes": timing.faulty,
        **{name: [rounded(value) for value in values] for name, values in columns.items()},
        "at_risk": curve.at_risk.tolist(),
    }
