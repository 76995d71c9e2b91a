"""The result of a cell, as the store keeps it."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pyarrow as pa

from offnominal.datasets.manifest import installed
from offnominal.studies import example_episodes as examples
from offnominal.studies.cell import StudyCell, result_key
from offnominal.studies.result_rows import type_of


@dataclass(frozen=True, slots=True, eq=False)
class CellResult:
    """The result of a cell.

    Args:
        cell: The cell.
        key: Name of its result.
        rows: One row per split and alarm.
        examples: One row per episode to look at.
    """

    cell: StudyCell
    key: str
    rows: Any
    examples: Any


def make_result(
    cell: StudyCell, rows: Sequence[Mapping[str, Any]], cost: Mapping[str, float], *, data: str, code: str
) -> CellResult:
    """Return the result of a cell that has no alarms and no episodes to look at.

    Args:
        cell: The cell.
        rows: What was measured; a number that is not one is left out.
        cost: Processor time, wall time, memory and the steps scored.
        data: Hash of what it was measured on.
        code: Version of the code.
    """
    key = result_key(cell, data=data, code=code)
    about = {"key": key, "world": cell.world, "policy": cell.policy}
    full = [{**about, "alarm": None, **row, **cost} for row in rows]
    names = list(dict.fromkeys(name for row in full for name in row))
    columns = {name: pa.array([_known(row.get(name)) for row in full], type_of(name)) for name in names}
    table = pa.table(columns).replace_schema_metadata(provenance(cell, key, data=data, code=code))
    return CellResult(cell, key, table, examples.SCHEMA.empty_table())


def provenance(cell: StudyCell, key: str, *, data: str, code: str) -> dict[str, str]:
    """Return what the file of a result says of it."""
    about = {"key": key, "cell": json.dumps(cell.to_dict()), "data": data, "code": code}
    return about | {"versions": json.dumps(versions())}


def versions() -> dict[str, str]:
    """Return the versions that can make a difference, torch and scikit-learn included where they are loaded."""
    return _installed() | {name: sys.modules[name].__version__ for name in ("torch", "sklearn") if name in sys.modules}


_installed = cache(installed)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
