"""Run a cell of a study of streams: fit its detector, run every alarm over the scores, and measure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.alarms.alarm import Alarm
from offnominal.core.errors import InvalidScores
from offnominal.core.types import BoolArray, FloatArray
from offnominal.detectors.catalogue import detectors as detector_registry
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.series_scores import measure_series
from offnominal.kinds.streams.cell import StreamAlarm, StreamCell
from offnominal.kinds.streams.measures import ALL, StreamAlarms, nominal_units, units_with
from offnominal.kinds.streams.null_scores import null_score
from offnominal.kinds.streams.promises import check_promise
from offnominal.kinds.streams.recording import Streams
from offnominal.kinds.streams.shown_stream import shown_stream
from offnominal.kinds.streams.stream_alarms import Calibration, run_alarm, stretches
from offnominal.studies.cell_result import CellRows
from offnominal.studies.resource_meter import ResourceMeter
from offnominal.worlds.catalogue import worlds

MARGIN = 3
"""Units of the largest margin around a fault, for the volume under the surface of precision and recall."""


@dataclass(frozen=True, slots=True, eq=False)
class StreamScores:
    """Scores of all streams of a cell.

    Args:
        calibration: (streams, steps) of the calibration.
        faulty: (streams, steps) of the test.
        twins: (streams, steps) of the test of the twins.
    """

    calibration: FloatArray
    faulty: FloatArray
    twins: FloatArray


def run_streams(cell: StreamCell, data: Streams, meter: ResourceMeter) -> CellRows:
    """Fit the detector of a cell, and measure every alarm on its scores and on those of the nulls."""
    scores = detector_scores(cell, data, meter)
    meter.steps = scores.calibration.size + scores.faulty.size + scores.twins.size
    with meter("evaluate"):
        rows: list[dict[str, Any]] = []
        shown: dict[str, BoolArray] = {}
        for entry in cell.alarms:
            found, alarms = apply_alarm(cell, entry, data, scores)
            rows += _rows(cell, entry, data, scores, found, alarms)
            shown[entry.name] = units_with(found.faulty[0], cell.plan.unit)
        for null in cell.nulls:
            rows += ({"name": null, "detector": null, "parameters": "{}"} | row for row in _null_rows(cell, null, data))
        return CellRows(rows, shown_stream(cell, data, scores.faulty[0], shown))


def _null_rows(cell: StreamCell, null: str, data: Streams) -> Iterator[dict[str, Any]]:
    """Yield the rows of a null about all faults; alarms that refuse constant scores have none."""
    scores = null_scores(cell, null, data)
    for entry in cell.alarms:
        try:
            found, alarms = apply_alarm(cell, entry, data, scores)
        except InvalidScores:
            continue
        yield from (row for row in _rows(cell, entry, data, scores, found, alarms) if row["split"] == ALL)


def detector_scores(cell: StreamCell, data: Streams, meter: ResourceMeter) -> StreamScores:
    """Fit the detector on the first segments of all streams, and score the others."""
    plan, detector = cell.plan, detector_registry.build(cell.detector, cell.parameters)
    with meter("fit"):
        detector.fit([episode for stream in data.faulty for episode in stream[: plan.train]], seed=cell.seed)
    with meter("score"):
        first = [np.concatenate(detector.score(stream[plan.train :])) for stream in data.faulty]
        twins = [np.concatenate(detector.score(stream[plan.first_test :])) for stream in data.twins]
    return _cut(cell, np.stack(first), np.stack(twins))


def null_scores(cell: StreamCell, null: str, data: Streams) -> StreamScores:
    """Return the scores of a null."""
    plan = cell.plan
    steps = plan.segments * plan.steps
    found = [null_score(null, steps, plan.unit, each, data.shares) for each in data.restarts]
    first = np.stack([each[plan.train * plan.steps :] for each in found[: plan.streams]])
    return _cut(cell, first, np.stack([each[plan.first_test * plan.steps :] for each in found[plan.streams :]]))


def _cut(cell: StreamCell, scores: FloatArray, twins: FloatArray) -> StreamScores:
    calibrated = cell.plan.calibration * cell.plan.steps
    return StreamScores(scores[:, :calibrated], scores[:, calibrated:], twins)


def apply_alarm(
    cell: StreamCell, entry: StreamAlarm, data: Streams, scores: StreamScores
) -> tuple[StreamAlarms, list[Alarm]]:
    """Return where an alarm is raised in all streams, and the alarm of each stream as it was calibrated first."""
    plan, events = cell.plan, cell.condition.event != "none"
    raised: dict[bool, list[BoolArray]] = {True: [], False: []}
    first: list[Alarm] = []
    begin = plan.first_test * plan.segment
    for stream in range(plan.streams):
        calibration = Calibration(scores.calibration[stream], plan.train * plan.segment)
        for twin, values in ((False, scores.faulty[stream]), (True, scores.twins[stream])):
            units = len(values) // plan.unit
            known = np.ones(units, np.bool_) if twin else nominal_units(data.injected[stream], units, plan.unit)
            parts = []
            for stretch in stretches(entry, plan, calibration, values, events):
                low, high = stretch.begin // plan.unit, stretch.end // plan.unit
                part = values[stretch.begin : stretch.end]
                parts.append(run_alarm(stretch.alarm, entry, plan, part, known[low:high], begin + low))
                if twin and not stretch.begin:
                    first.append(stretch.alarm)
            raised[twin].append(np.concatenate(parts))
    dt = worlds.card(cell.world).dt
    return StreamAlarms(np.stack(raised[False]), np.stack(raised[True]), data.injected, plan.unit, dt), first


def _rows(
    cell: StreamCell,
    entry: StreamAlarm,
    data: Streams,
    scores: StreamScores,
    found: StreamAlarms,
    alarms: list[Alarm],
) -> Iterator[dict[str, Any]]:
    """Yield a row for all faults, with false alarms and the promise, and one for each fault."""
    plan, resamples = cell.plan, Resamples.draw(cell.plan.streams, cell.replicates)
    checked = check_promise(alarms, list(found.twin_units), list(scores.twins), plan.unit)
    hours = plan.streams * plan.hours(found.dt)
    promised = None if checked.promised is None else checked.promised * found.per_hour
    low, high = (None, None) if checked.interval is None else (end * found.per_hour for end in checked.interval)
    yield {
        "split": ALL,
        "alarm": entry.name,
        **found.false_alarms(resamples),
        **found.detection(resamples),
        **_series(scores, found, cell),
        "promised_h": promised,
        "budget_h": plan.promise * found.per_hour,
        "promise_name": checked.text,
        "verdict_name": checked.verdict,
        "judged_h_low": low,
        "judged_h_high": high,
        "family_name": family(alarms[0], entry),
        "nominal_h": hours,
        "restarts_h": sum(_in_test(each, plan.first_test * plan.steps) for each in data.restarts[plan.streams :])
        / hours,
        "events": len(plan.events) if cell.condition.event != "none" else 0,
    }
    for split in dict.fromkeys(fault.split for each in data.injected for fault in each):
        anomaly, _, level = split.partition("@")
        named = {"split": split, "alarm": entry.name, "anomaly": anomaly, "level": level}
        yield {**named, **found.detection(resamples, split)}


def family(alarm: Alarm, entry: StreamAlarm) -> str:
    """Return the kind of promise of an alarm, in one word or two."""
    guarantee = alarm.guarantee
    if entry.recalibrated:
        return "recalibrated"
    if hasattr(alarm, "feedback"):
        return "adaptive"
    return "run length" if guarantee.run_length is not None else "none" if guarantee.kind == "none" else "fixed"


def _in_test(restarts: Any, first: int) -> int:
    return int((restarts >= first).sum())


def _series(scores: StreamScores, found: StreamAlarms, cell: StreamCell) -> dict[str, float]:
    """Return the scores of papers on time series, over units: means over streams with a fault."""
    kept: list[tuple[float, ...]] = []
    for stream, faults in enumerate(found.injected):
        if faults:
            values = scores.faulty[stream].reshape(-1, cell.plan.unit).max(axis=1)
            labels = ~nominal_units(faults, len(values), cell.plan.unit)
            each = measure_series(values, labels, units_with(found.faulty[stream], cell.plan.unit), window=MARGIN)
            kept.append((each.vus_pr, each.nab, each.event_f1))
    means = np.mean(kept, axis=0) if kept else np.full(3, np.nan)
    return dict(zip(("vus_pr", "nab", "event_f1"), map(float, means), strict=True))
