"""Run a cell of a study on faults: fit, score and evaluate its detector."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.datasets.dataset import Dataset
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.detectors.detector import Detector
from offnominal.evaluation.detector_evaluation import DetectorEvaluator, Options
from offnominal.evaluation.evaluation_rows import evaluation_rows
from offnominal.kinds.faults.cell import AlarmEntry, Cell
from offnominal.kinds.faults.data import anomalies_in
from offnominal.kinds.faults.foreign_code import recorded_objects
from offnominal.studies.cell_result import CellRows
from offnominal.studies.code_version import Used
from offnominal.studies.example_episodes import SCHEMA
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.worlds.catalogue import NAMESPACE, worlds


def run_faults(cell: Cell, data: Dataset, meter: ResourceMeter) -> CellRows:
    """Fit, score and evaluate the detector of a cell; see :meth:`offnominal.studies.StudyKind.run`."""
    detector, alarms = build_detector(cell), {entry.name: build_alarm(entry) for entry in cell.alarms}
    evaluator = DetectorEvaluator(detector, alarms, meter)
    evaluator.fit(data, seed=cell.seed)
    evaluation = evaluator.evaluate(data, options=options_in(cell.world, cell))
    meter.steps = evaluation.steps
    shown = pa.Table.from_pylist([cell.columns() | row for row in evaluation.examples], SCHEMA.remove(0))
    return CellRows([*evaluation_rows(evaluation.reports)], shown)


def options_in(world: str, cell: Cell) -> Options:
    """Return the options of an evaluation in a world; with a budget per hour, the length of its steps.

    Args:
        world: Name of the world. Without a card, the length of a step is that of its recorded times.
        cell: The cell.
    """
    id = world.removeprefix(f"{NAMESPACE}/")
    carded = cell.budget.per_hour is not None and id in worlds
    period = worlds.card(id).dt if carded else None
    return Options(replicates=cell.replicates, budget=cell.budget, period=period)


def used_objects(cell: Cell, places: Iterable[str]) -> list[Used]:
    """Return the detector, the alarms, the worlds and the anomalies of a cell.

    Args:
        cell: The cell.
        places: Worlds whose episodes it needs.
    """
    used: list[Used] = [(detector_registry, cell.detector, cell.parameters)]
    used += [(alarm_registry, entry.alarm, {}) for entry in cell.alarms]
    for world in places:
        entry = cell.data.in_world(world)
        used += recorded_objects(world, anomalies_in(world, entry), entry.changes)
    return used


def build_detector(cell: Cell) -> Detector:
    """Return the detector of a cell, not fitted."""
    return detector_registry.build(cell.detector, cell.parameters)


def build_alarm(entry: AlarmEntry) -> Alarm:
    """Return the alarm of an entry, not fitted."""
    return alarm_registry.build(entry.alarm, entry.parameters)
