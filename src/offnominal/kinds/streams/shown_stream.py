"""The first stream of a cell, as a run stores it for the figure over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from offnominal.core.types import BoolArray, FloatArray
from offnominal.kinds.streams.cell import StreamCell
from offnominal.kinds.streams.recording import Streams

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("world", pa.string()),
        ("condition", pa.string()),
        ("name", pa.string()),
        ("seed", pa.int64()),
        ("unit_s", pa.float64()),
        ("scores", pa.list_(pa.float32())),
        ("shares", pa.list_(pa.float32())),
        ("onsets", pa.list_(pa.float32())),
        ("ends", pa.list_(pa.float32())),
        ("events", pa.list_(pa.float32())),
        ("restarts", pa.list_(pa.float32())),
        ("alarms", pa.list_(pa.string())),
        ("raised", pa.list_(pa.list_(pa.int32()))),
    ]
)
"""Units are counted from the begin of the test; `scores` are the largest ones of the units; `raised` has the units with
an alarm of each alarm."""


def shown_stream(cell: StreamCell, data: Streams, scores: FloatArray, raised: Mapping[str, BoolArray]) -> Any:
    """Return the table of examples of a cell: one row with its first stream."""
    from offnominal.worlds.catalogue import worlds

    plan = cell.plan
    first = plan.first_test * plan.steps
    row = {
        "world": cell.world,
        "condition": cell.condition.name,
        "name": cell.name,
        "seed": cell.seed,
        "unit_s": plan.unit * worlds.card(cell.world).dt,
        "scores": scores.reshape(-1, plan.unit).max(axis=1),
        "shares": data.shares[plan.first_test :],
        "onsets": [fault.onset / plan.unit for fault in data.injected[0]],
        "ends": [fault.end / plan.unit for fault in data.injected[0]],
        "events": (plan.event_segments - plan.first_test) * plan.segment if cell.condition.event != "none" else [],
        "restarts": [(step - first) / plan.unit for step in data.restarts[0].tolist() if step >= first],
        "alarms": list(raised),
        "raised": [units.nonzero()[0].tolist() for units in raised.values()],
    }
    return pa.Table.from_pylist([row], SCHEMA.remove(0))
