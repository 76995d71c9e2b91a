"""Small streams and studies for tests, and a made-up run: an alarm that holds, and one that is always raised."""

from __future__ import annotations

import pyarrow as pa

from offnominal.kinds import StreamAlarm, StreamCell, StreamCondition, StreamPlan, TransferFault
from offnominal.kinds.streams.shown_stream import SCHEMA
from offnominal.studies.results import RunResults

WORLD = "OOD-CartPole-v0"
PLAN = StreamPlan(
    streams=2, unit=20, segment=5, train=4, calibration=12, test=12, recalibration=2, cycle=4, promise=0.1
)
NOISE = TransferFault("observation/noise", "background", {WORLD: 0.01})
OFFSET = TransferFault("observation/offset", "medium", {WORLD: 0.1})
WEAR = StreamCondition(
    "wear", course="wear", anomalies={WORLD: "dynamics/push_force"}, parameters={WORLD: 7.0}, event="maintenance"
)
STEADY = StreamCondition("steady")
ALARMS = (
    StreamAlarm("EpisodeMaximum", "EpisodeMaximum"),
    StreamAlarm("again", "EpisodeMaximum", recalibrated=True),
    StreamAlarm("EDetector", "EDetector"),
    StreamAlarm("ACI, confirmed", "ACI", {"feedback": "confirmed"}),
    StreamAlarm("ConformalPID", "ConformalPID"),
)


def stream_cell(condition: StreamCondition = STEADY, fault: TransferFault = OFFSET, **changes: object) -> StreamCell:
    """Return a small cell with one kind of fault."""
    cell = StreamCell(
        WORLD, condition, "Mahalanobis", "Mahalanobis", plan=PLAN, background=(NOISE,), faults=(fault,), alarms=ALARMS
    )
    return cell.replace(replicates=20, **changes)


def _row(alarm: str, family: str, rate: float, net: float, verdict: str, **changes: object) -> dict:
    numbers = {"false_alarms_h": rate, "alarm_events_h": rate, "after_faults_h": rate, "net_detection": net}
    numbers |= {"detected": 1.0, "chance": 1.0 - net, "delay_s": 30.0 - 29.0 * net}
    row = {"key": alarm, "world": WORLD, "policy": "scripted", "name": "Mahalanobis", "detector": "Mahalanobis"}
    row |= {"seed": 0, "split": "all", "alarm": alarm, "condition_name": "steady", "family_name": family}
    row |= {"promised_h": 18.0, "budget_h": 18.0, "promise_name": "a promise", "verdict_name": verdict, "faults": 20.0}
    row |= {"restarts_h": 0.0, "nominal_h": 5.0, "events": 0, "vus_pr": 0.5, "nab": 50.0, "event_f1": 0.5}
    for name, value in numbers.items():
        row |= {name: value, f"{name}_low": value - 0.1, f"{name}_high": value + 0.1}
    return row | {"middle_delay_s": 1.0} | changes


def stream_rows() -> list[dict]:
    """Return the rows of the run."""
    rows = [_row("ACI", "adaptive", 17.0, 0.8, "kept"), _row("EpisodeMaximum", "fixed", 900.0, 0.0, "broken")]
    clock = [row | {"name": "clock", "detector": "clock", "net_detection": 0.0} for row in rows]
    return [*rows, *clock, *(row | {"split": "observation/offset@medium"} for row in rows)]


def stream_results() -> RunResults:
    """Return the results of the study."""
    shown = {"key": "ACI", "world": WORLD, "condition": "steady", "name": "Mahalanobis", "seed": 0, "unit_s": 4.0}
    shown |= {"scores": [1.0, 2.0, 9.0, 1.0], "shares": [0.0], "onsets": [2.1], "ends": [2.9], "events": [1.0]}
    shown |= {"restarts": [3.5], "alarms": ["ACI", "EpisodeMaximum"], "raised": [[2], [0, 1, 2, 3]]}
    table, examples = pa.Table.from_pylist(stream_rows()), pa.Table.from_pylist([shown], SCHEMA)
    return RunResults("streams", "Streams", "For how long?", "", {"config": {"kind": "streams"}}, table, examples)
