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

from offnominal.agents.selection import EXPERTS_VERSION
from offnominal.datasets.manifest_file import installed
from offnominal.studies import example_episodes as examples
from offnominal.studies.base import BaseCell
from offnominal.studies.cells import result_key
from offnominal.studies.result_rows import COST, table_of


@dataclass(frozen=True, slots=True, eq=False)
class CellResult:
    """The result of a cell.

    Args:
        cell: The cell.
        key: Key of its result.
        rows: One row per split and alarm.
        examples: Examples for the report.
    """

    cell: BaseCell
    key: str
    rows: Any
    examples: Any


@dataclass(frozen=True, slots=True, eq=False)
class CellRows:
    """What a study kind computes for a cell.

    Text belongs in the columns of :data:`~offnominal.studies.result_rows.TEXTS` or in columns whose name ends in
    ``_name``; all other columns are numbers. NaN is stored as a missing value.

    Args:
        rows: Measurements: one mapping per row. Columns of the cell need not be repeated.
        examples: Arrow table of examples for the report, without the column ``key``; none if None.
    """

    rows: Sequence[Mapping[str, Any]]
    examples: Any = None


def make_result(cell: BaseCell, found: CellRows, cost: Mapping[str, float], *, data: str, code: str) -> CellResult:
    """Return the result of a cell of any kind.

    Args:
        cell: The cell.
        found: Its rows and examples.
        cost: Any of ``fit_cpu_s``, ``score_cpu_s``, ``evaluate_cpu_s``, ``wall_s``, ``peak_mb`` and ``steps_scored``.
        data: Hash of the data; see :meth:`~offnominal.studies.kind.StudyKind.data_hash`.
        code: Hash of the code; see :func:`~offnominal.studies.execution.code_of`.
    """
    key = result_key(cell, data=data, code=code)
    spent = {**cost, **{name: 0.0 for name in COST if name not in cost}}
    about = {"key": key, **cell.columns(), "alarm": None}
    full = [{name: _known(value) for name, value in {**about, **row, **spent}.items()} for row in found.rows]
    for row in full:
        row.setdefault("split", "")
    table = table_of(full).replace_schema_metadata(provenance(cell, key, data=data, code=code))
    kept = examples.SCHEMA.empty_table() if found.examples is None else _under_key(found.examples, key)
    return CellResult(cell, key, table, kept)


def _under_key(shown: Any, key: str) -> Any:
    """Return a table of examples with the key of their cell in its first column."""
    column = pa.array([key] * shown.num_rows, pa.string())
    return shown.add_column(0, "key", column).replace_schema_metadata({"key": key})


def provenance(cell: BaseCell, key: str, *, data: str, code: str) -> dict[str, str]:
    """Return the metadata of the file of a result."""
    about = {"key": key, "cell": json.dumps(cell.to_dict()), "data": data, "code": code}
    experts = {"experts": str(EXPERTS_VERSION)} if getattr(cell, "policy", "") else {}
    return about | {"versions": json.dumps(versions() | experts)}


def versions() -> dict[str, str]:
    """Return the versions of the packages that affect results; torch and scikit-learn if they are loaded."""
    return _installed() | {name: sys.modules[name].__version__ for name in ("torch", "sklearn") if name in sys.modules}


_installed = cache(installed)


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
