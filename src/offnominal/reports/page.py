"""One run on one page: a file that needs nothing but a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from offnominal.core.progress import spoken
from offnominal.reports.payload import payload
from offnominal.reports.tables import text
from offnominal.reports.versus import verdict_line, versus_html
from offnominal.studies.papers import tables_from
from offnominal.studies.results import RunResults

SCRIPTS = ("elements.js", "choice.js", "tables.js", "charts.js", "faults.js", "episodes.js", "start.js")
LONG = 8
TOLD = ("title", "summary", "store")


def write_page(results: RunResults, path: Path) -> Path:
    """Write the results of a run as one HTML file that works from disk; return its path.

    Example:
        >>> import pyarrow as pa, tempfile
        >>> row = {
        ...     "key": "5f",
        ...     "world": "Toy-v0",
        ...     "policy": "tqc",
        ...     "name": "KNN",
        ...     "detector": "KNN",
        ...     "seed": 0,
        ...     "split": "action/noise@tiny",
        ...     "anomaly": "action/noise",
        ...     "kind": "action",
        ...     "level": "tiny",
        ...     "variant": "tiny",
        ...     "alarm": None,
        ...     "auroc": 0.8,
        ...     "draws_auroc": [0.7, 0.9],
        ... }
        >>> run = RunResults("toy", "A toy", "", "quick", {}, pa.Table.from_pylist([row]), pa.table({}))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     "<h1>A toy</h1>" in write_page(run, Path(folder) / "page.html").read_text()
        True
    """
    path.write_text(page(results), encoding="utf-8")
    return path


def page(results: RunResults) -> str:
    """Return the page as text."""
    data = payload(results)
    parts = {
        "title": escape(results.title),
        "name": escape(results.name),
        "scale": escape(results.scale),
        "summary": escape(results.summary),
        "winner": data["colours"][data["names"][0]] if data["names"] else "currentColor",
        "headline": _headline(data),
        "facts": _facts(_sizes(results, data)),
        "shown": _examples_shown(data["examples"]),
        "print": _beside_print(results),
        "made": _made(results.manifest),
        "failures": _failures(results.failures),
        "style": _asset("page.css"),
        "script": "\n".join(_asset(name) for name in SCRIPTS),
        "data": _embedded(data),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return (files("offnominal.reports") / "assets" / name).read_text(encoding="utf-8")


def _embedded(data: Mapping[str, Any]) -> str:
    """Return JSON in which nothing can end the element that holds it."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False).replace("<", "\\u003c")


def _headline(data: Mapping[str, Any]) -> str:
    """Say who leads, by how much, and who cannot be told from it."""
    if not data["metrics"]:
        return "No cell has finished."
    metric = data["metrics"][0]
    board = data["boards"][metric["name"]]["-1,-1,-1"]
    names = data["names"]
    best = board[0]
    interval = "" if best[2] is None else f" [{best[2]:.3f}, {best[3]:.3f}]"
    tied = [names[row[0]] for row in board[1:] if set(row[5]) & set(best[5])]
    rest = f"not told apart from {_listed(tied)}" if tied else "ahead of all others" if len(board) > 1 else ""
    said = f"<strong>{escape(names[best[0]])}</strong> leads with a {escape(metric['label'][0].lower())}"
    return (
        f"{said}{escape(metric['label'][1:])} of <strong>{best[1]:.3f}</strong>{interval}{', ' + rest if rest else ''}."
    )


def _listed(names: Sequence[str]) -> str:
    bold = [escape(name) for name in names]
    return bold[0] if len(bold) == 1 else f"{', '.join(bold[:-1])} and {bold[-1]}"


def _sizes(results: RunResults, data: Mapping[str, Any]) -> dict[str, str]:
    seeds = set(results.table["seed"].to_pylist()) if results.table.num_rows else set()
    sizes = {
        "cells": results.cells,
        "detectors": len(data["names"]),
        "worlds": len(data["worlds"]),
        "faults": len(data["faults"]),
        "training seeds": len(seeds),
        "alarms": len(data["timing"]["alarms"]),
        "failed": len(results.failures),
    }
    found = {label: text(size) for label, size in sizes.items()}
    if isinstance(results.manifest.get("cpu_s"), int | float):
        found["CPU time"] = spoken(results.manifest["cpu_s"])
    return found


def _facts(facts: Mapping[str, str]) -> str:
    return "".join(f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>" for label, value in facts.items())


def _examples_shown(examples: Mapping[str, Any]) -> str:
    here, recorded = len(examples["rows"]), examples["recorded"]
    return "" if here == recorded else f"This page carries {here:,} of {recorded:,} recorded score curves."


def _beside_print(results: RunResults) -> str:
    """Return our tables beside the printed ones, if the study has any."""
    parts = [
        f"<details><summary>Table {table.number}: {escape(table.title)}. {escape(verdict_line(lines))}</summary>"
        f'<div class="scroll tall" tabindex="0" role="region" aria-label="Table {table.number}">'
        f"{versus_html(f'Table {table.number}', lines)}</div></details>"
        for table in tables_from(results.name)
        if (lines := table.compare(results))
    ]
    return "".join(parts) or "<p>Nothing of this study is in print.</p>"


def _made(manifest: Mapping[str, Any]) -> str:
    rows = []
    for name, value in manifest.items():
        if name in TOLD:
            continue
        label = escape(name.removesuffix("_s").removesuffix("_mb").replace("_", " "))
        rows.append(f"<dt>{label}</dt><dd>{_value(name, value)}</dd>")
    return f'<dl class="made">{"".join(rows)}</dl>' if rows else "<p>The run has no manifest.</p>"


def _value(name: str, value: Any) -> str:
    if name == "config":
        return f"<details><summary>of the study</summary><pre>{escape(json.dumps(value, indent=2))}</pre></details>"
    if isinstance(value, Mapping):
        return ", ".join(f"{escape(str(key))}&nbsp;{escape(text(entry))}" for key, entry in value.items()) or "–"
    if isinstance(value, list | tuple):
        if len(value) <= LONG:
            return ", ".join(escape(text(entry)) for entry in value) or "none"
        listed = "\n".join(escape(str(entry)) for entry in value)
        return f"<details><summary>{len(value):,}</summary><pre>{listed}</pre></details>"
    if name.endswith("_s") and isinstance(value, int | float):
        return spoken(value)
    if name.endswith("_mb") and isinstance(value, int | float):
        return f"{value:,.0f} MB"
    return escape(text(value))


def _failures(failures: Sequence[Mapping[str, Any]]) -> str:
    if not failures:
        return "<p>None: every cell finished.</p>"
    return "".join(_failure(failure) for failure in failures)


def _failure(failure: Mapping[str, Any]) -> str:
    error, where, message, trace = (
        escape(str(failure.get(part, ""))) for part in ("error", "label", "message", "traceback")
    )
    return f"<details><summary><strong>{error}</strong> in {where}: {message}</summary><pre>{trace}</pre></details>"
