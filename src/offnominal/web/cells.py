"""Cells: every number with the configuration, the data and the code behind it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from offnominal.core.errors import UnknownName
from offnominal.detectors.weights_in_names import table_with_weights
from offnominal.evaluation.metrics import METRICS, label_of
from offnominal.evaluation.outcome_steps import OUTCOME_STEPS
from offnominal.reports.escape import csv_cell, printable_run
from offnominal.reports.tables import text
from offnominal.studies.result_rows import COST
from offnominal.studies.results import RunResults
from offnominal.studies.segments import read_cell
from offnominal.web.library import Run
from offnominal.web.page import library_of, page

ENDS = ("_low", "_high")
ABOUT = ("key", "world", "policy", "name", "detector", "parameters", "seed", "anomaly", "kind", "level", "variant")
COSTS = (*COST, "steps_scored", "fit_s", "score_s")


def cell(request: Request) -> Response:
    """Return the page of a cell."""
    run, key, content = _read(request)
    facts = {name.decode(): value.decode() for name, value in (content.schema.metadata or {}).items()}
    rows = _rows(run, content)
    first = rows[0] if rows else {}
    return page(
        request,
        "cell.html.j2",
        title=run.labels[key],
        part="Leaderboard",
        script="tables.js",
        run=run,
        key=key,
        first=first,
        configuration=_pretty(facts.get("cell", "")),
        hashes={name: facts[name] for name in ("data", "code") if name in facts},
        versions=_mapping(facts.get("versions", "")),
        cost={name: text(first[name]) for name in COSTS if first.get(name) is not None},
        groups=_groups(rows),
    )


def cell_file(request: Request) -> Response:
    """Return all numbers of a cell as CSV."""
    run, _, content = _read(request)
    rows = _rows(run, content)
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows[0] if rows else [])
    writer.writerows([csv_cell(value) for value in row.values()] for row in rows)
    return Response(file.getvalue(), media_type="text/csv")


def _read(request: Request) -> tuple[Run, str, Any]:
    """Return the run, the key and the table of a cell with its metadata."""
    key = request.path_params["key"]
    run = library_of(request).run_of(key)
    if not run.store.has(key):
        raise UnknownName(f"the cell {run.labels[key]} has no result.")
    return run, key, read_cell(run.store.path(key))


def _rows(run: Run, content: Any) -> list[dict[str, Any]]:
    shown = content.select(
        [name for name in content.column_names if not name.startswith("draws_") and name not in OUTCOME_STEPS]
    )
    shown = table_with_weights(shown)
    results = printable_run(RunResults(run.id, run.title, "", "", {}, shown, shown.slice(0, 0)))
    found: list[dict[str, Any]] = results.table.to_pylist()
    return found


def _groups(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows without an alarm, and those of each alarm."""
    alarms = dict.fromkeys(row.get("alarm") for row in rows)
    return [
        {
            "title": "Results" if alarm is None else f"Alarm {alarm}",
            "rows": readable_rows([row for row in rows if row.get("alarm") == alarm]),
        }
        for alarm in alarms
    ]


def readable_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return rows of results for people: a number and its interval in one column, columns without content left out.

    Example:
        >>> readable_rows([{"split": "a", "alarm": None, "auroc": 0.81234, "auroc_low": 0.7, "auroc_high": 0.9}])
        [{'split': 'a', 'AUROC': '0.812 [0.7, 0.9]'}]
    """
    present = [name for name in rows[0] if any(row[name] is not None for row in rows)]
    names = [name for name in present if name not in (*ABOUT, *COSTS, "alarm") and not name.endswith(ENDS)]
    order = ["split", *METRICS]
    names.sort(key=lambda name: order.index(name) if name in order else len(order))
    return [{label_of(name): _value(row, name) for name in names} for row in rows]


def _value(row: Mapping[str, Any], name: str) -> str:
    low, high = (row.get(f"{name}{end}") for end in ENDS)
    value = text(row[name])
    return value if low is None and high is None else f"{value} [{text(low)}, {text(high)}]"


def _pretty(content: str) -> str:
    return json.dumps(json.loads(content), indent=2) if content else ""


def _mapping(content: str) -> dict[str, str]:
    return dict(json.loads(content)) if content else {}


ROUTES = [Route("/cells/{key}.csv", cell_file), Route("/cells/{key}", cell)]
