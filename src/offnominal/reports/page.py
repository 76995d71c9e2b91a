"""One run on one page: a file that needs nothing but a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from offnominal.core.files import write_text
from offnominal.core.printable import printable
from offnominal.core.progress_bar import format_duration
from offnominal.papers.catalogue import tables_from
from offnominal.reports.escape import html_text, printable_run
from offnominal.reports.payload import payload
from offnominal.reports.provenance import complete, provenance
from offnominal.reports.published_comparison import comparison_html, verdict_line
from offnominal.reports.tables import text
from offnominal.studies.results import RunResults

SCRIPTS = ("elements.js", "choice.js", "tables.js", "charts.js", "faults.js", "episodes.js", "start.js")
LONG = 8
SHOWN_ELSEWHERE = ("title", "summary", "store")


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
    write_text(path, page(results))
    return path


def page(results: RunResults) -> str:
    """Return the page as text."""
    results = printable_run(results)
    data = payload(results)
    parts = {
        "title": html_text(results.title),
        "name": html_text(results.name),
        "scale": html_text(results.scale),
        "summary": html_text(results.summary),
        "winner": data["colours"][data["names"][0]] if data["names"] else "currentColor",
        "headline": _headline(data),
        "facts": _facts(_sizes(results, data)),
        "shown": _examples_shown(data["examples"]),
        "print": _published_tables(results),
        "made": _made(results.manifest),
        "provenance": html_text(provenance(results.manifest)),
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
    plain = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return printable(plain).replace("<", "\\u003c")


def _headline(data: Mapping[str, Any]) -> str:
    """Say who leads, by how much, and who cannot be told from it."""
    if not data["metrics"]:
        return "No cell has finished."
    metric = data["metrics"][0]
    entries = data["boards"][metric["name"]]["-1,-1,-1"]
    best = entries[0]
    interval = "" if best[2] is None else f" [{best[2]:.3f}, {best[3]:.3f}]"
    label = html_text(metric["label"][0].lower() + metric["label"][1:])
    name = html_text(data["names"][best[0]])
    said = f"<strong>{name}</strong> leads with a {label} of <strong>{best[1]:.3f}</strong>{interval}"
    return f"{said}{_lead(entries, data['names'])}."


def _lead(entries: Sequence[Sequence[Any]], names: Sequence[str]) -> str:
    """Say what the letters of the first of a board claim; without letters nothing was compared, nothing is claimed."""
    best, *others = entries
    ranked = [row for row in others if row[4] is not None]
    if not others:
        return ""
    if best[4] is None or not ranked:
        return ". It is not compared with the others: they lack results for some faults, or it does"
    if not best[5]:
        which = "No" if best[2] is None else "Not all"
        return f". {which} intervals were computed, so how sure this lead is cannot be said"
    if tied := [names[row[0]] for row in ranked if set(row[5]) & set(best[5])]:
        return f", not told apart from {_listed(tied)}"
    return ", ahead of all others" + (" with results for every fault" if len(ranked) < len(others) else "")


def _listed(names: Sequence[str]) -> str:
    bold = [html_text(name) for name in names]
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
        found["CPU time"] = format_duration(results.manifest["cpu_s"])
    return found


def _facts(facts: Mapping[str, str]) -> str:
    return "".join(
        f"<div><dt>{html_text(label)}</dt><dd>{html_text(value)}</dd></div>" for label, value in facts.items()
    )


def _examples_shown(examples: Mapping[str, Any]) -> str:
    here, recorded = len(examples["rows"]), examples["recorded"]
    return "" if here == recorded else f"This page carries {here:,} of {recorded:,} recorded score curves."


def _published_tables(results: RunResults) -> str:
    """Return our tables beside the printed ones, if the study has any."""
    parts = [
        f"<details><summary>Table {table.number}: {html_text(table.title)}. {html_text(verdict_line(lines))}</summary>"
        f'<div class="scroll tall" tabindex="0" role="region" aria-label="Table {table.number}">'
        f"{comparison_html(f'Table {table.number}', lines)}</div></details>"
        for table in tables_from(results.name)
        if (lines := table.compare(results))
    ]
    return "".join(parts) or "<p>Nothing of this study is in print.</p>"


def _made(manifest: Mapping[str, Any]) -> str:
    if not manifest:
        return "<p>The run has no manifest.</p>"
    rows = []
    for name, value in complete(manifest).items():
        if name in SHOWN_ELSEWHERE:
            continue
        label = html_text(name.removesuffix("_s").removesuffix("_mb").replace("_", " "))
        rows.append(f"<dt>{label}</dt><dd>{_value(name, value)}</dd>")
    return f'<dl class="made">{"".join(rows)}</dl>'


def _value(name: str, value: Any) -> str:
    if name == "config":
        return f"<details><summary>of the study</summary><pre>{html_text(json.dumps(value, indent=2))}</pre></details>"
    if isinstance(value, Mapping):
        return ", ".join(f"{html_text(str(key))}&nbsp;{html_text(text(entry))}" for key, entry in value.items()) or "–"
    if isinstance(value, list | tuple):
        if len(value) <= LONG:
            return ", ".join(html_text(text(entry)) for entry in value) or "none"
        listed = "\n".join(html_text(str(entry)) for entry in value)
        return f"<details><summary>{len(value):,}</summary><pre>{listed}</pre></details>"
    if name.endswith("_s") and isinstance(value, int | float):
        return format_duration(value)
    if name.endswith("_mb") and isinstance(value, int | float):
        return f"{value:,.0f} MB"
    return html_text(text(value))


def _failures(failures: Sequence[Mapping[str, Any]]) -> str:
    if not failures:
        return "<p>None: every cell finished.</p>"
    return "".join(_failure(failure) for failure in failures)


def _failure(failure: Mapping[str, Any]) -> str:
    error, where, message, trace = (
        html_text(str(failure.get(part, ""))) for part in ("error", "label", "message", "traceback")
    )
    return f"<details><summary><strong>{error}</strong> in {where}: {message}</summary><pre>{trace}</pre></details>"
