"""Run a cell of a study on faults: load its data, fit, score and evaluate."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from offnominal.alarms.alarm import Alarm
from offnominal.alarms.catalogue import alarms as alarm_registry
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.detectors.detector import Detector
from offnominal.evaluation.detector_evaluation import DetectorEvaluator, Options
from offnominal.kinds.faults.cell import AlarmEntry, Cell
from offnominal.kinds.faults.data import anomalies_in, content_hash, open_data
from offnominal.kinds.faults.foreign_code import recorded_objects
from offnominal.studies import example_episodes as examples
from offnominal.studies.cell_result import CellResult, provenance
from offnominal.studies.cells import result_key
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used, code_version
from offnominal.studies.execution import single_threaded
from offnominal.studies.kinds import study_kinds
from offnominal.studies.resource_meter import ResourceMeter, cell_cost
from offnominal.studies.result_rows import result_table

CODE_TARGETS = (
    "offnominal.evaluation.detector_evaluation:DetectorEvaluator",
    "offnominal.studies.result_rows:result_table",
)


def run_cell(cell: Cell, *, sources: Sources | None = None) -> CellResult:
    """Compute a cell in this process with one thread.

    Args:
        cell: The cell.
        sources: Source code that was read before.

    Example:
        >>> from offnominal.kinds import DataEntry
        >>> data = DataEntry(episodes=6, anomalies=("action/offset",), levels=("strong",))
        >>> result = run_cell(Cell("SAP-Goal0-v0", "KNN", "KNN", data=data, replicates=0))
        >>> result.rows["split"].to_pylist()
        ['action/offset@strong']
    """
    meter = ResourceMeter()
    code = code_of(cell, sources or Sources())
    detector, alarms = build_detector(cell), {entry.name: build_alarm(entry) for entry in cell.alarms}
    with single_threaded():
        data = open_data(cell)
        evaluator = DetectorEvaluator(detector, alarms, meter)
        evaluator.fit(data, seed=cell.seed)
        evaluation = evaluator.evaluate(data, options=Options(replicates=cell.replicates))
    key = result_key(cell, data=content_hash(data), code=code)
    cost = cell_cost(meter, evaluation.steps)
    about = provenance(cell, key, data=content_hash(data), code=code)
    rows = result_table(cell, key, evaluation, cost)
    shown = pa.Table.from_pylist([{"key": key, **cell.columns()} | row for row in evaluation.examples], examples.SCHEMA)
    return CellResult(cell, key, rows.replace_schema_metadata(about), shown.replace_schema_metadata({"key": key}))


def prepare(cell: Cell, workers: int = 1) -> str:
    """Generate the dataset of a cell if it is missing, and return its hash."""
    return content_hash(open_data(cell, workers))


def code_of(cell: Cell, sources: Sources) -> str:
    """Return a hash of the versions of the objects that a cell uses."""
    return code_version(sources, used_objects(cell, [cell.world]))


def used_objects(cell: Cell, worlds: Iterable[str]) -> list[Used]:
    """Return the study kind, the detector, the alarms, the worlds and the anomalies of a cell.

    Args:
        cell: The cell.
        worlds: Worlds whose episodes it needs.
    """
    used: list[Used] = [(study_kinds, cell.kind, {}), (detector_registry, cell.detector, cell.parameters)]
    used += [(alarm_registry, entry.alarm, {}) for entry in cell.alarms]
    for world in worlds:
        entry = cell.data.in_world(world)
        used += recorded_objects(world, anomalies_in(world, entry), entry.changes)
    return used


def build_detector(cell: Cell) -> Detector:
    """Return the detector of a cell, not fitted."""
    return detector_registry.build(cell.detector, cell.parameters)


def build_alarm(entry: AlarmEntry) -> Alarm:
    """Return the alarm of an entry, not fitted."""
    return alarm_registry.build(entry.alarm, entry.parameters)
