"""The interactive page of a run: one HTML file that needs nothing but a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from offnominal.core.files import write_text
from offnominal.core.printable import printable
from offnominal.core.progress_bar import format_duration
from offnominal.reports.escape import printable_run
from offnominal.reports.guarantees import NOTE
from offnominal.reports.headline import headline
from offnominal.reports.payload import payload
from offnominal.reports.provenance import complete, provenance
from offnominal.reports.sections import sections_of
from offnominal.reports.tables import text
from offnominal.reports.templates import asset, embedded_json, render
from offnominal.studies.leaderboards import tied_with_best
from offnominal.studies.results import RunResults

SCRIPTS = ("elements.js", "choice.js", "tables.js", "charts.js", "faults.js", "episodes.js", "start.js")
LONG = 8
"""Entries of a list that are shown at once; longer lists are folded."""
SHOWN_ELSEWHERE = ("title", "summary", "store")
FAILURE = ("error", "label", "message", "traceback")


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
    """Return the page as HTML."""
    results = printable_run(results)
    data = payload(results)
    return render(
        "page.html.j2",
        results=results,
        failures=[{part: str(failure.get(part, "")) for part in FAILURE} for failure in results.failures],
        winner=_winner(data),
        headline=headline(data),
        guarantee_note=NOTE,
        facts=_sizes(results, data),
        shown=_examples_shown(data["examples"]),
        sections=sections_of(results),
        made=list(_manifest_entries(results.manifest)),
        provenance=provenance(results.manifest),
        style=asset("page.css"),
        script=Markup("\n").join(asset(name) for name in SCRIPTS),
        data=embedded_json(data),
    )


def _winner(data: Mapping[str, Any]) -> str:
    """Return the colour of the best detector, or that of the page if several are best."""
    metric = data["metrics"][0]["name"] if data["metrics"] else None
    entries = data["leaderboards"][metric]["-1,-1,-1"] if metric else []
    ranked = {data["names"][row[0]]: row[5] for row in entries if row[4] is not None and row[5]}
    best = tied_with_best(ranked)
    return str(data["colours"][best[0]]) if len(best) == 1 else "var(--accent)"


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


def _examples_shown(examples: Mapping[str, Any]) -> str:
    here, recorded = len(examples["rows"]), examples["recorded"]
    return "" if here == recorded else f"This page carries {here:,} of {recorded:,} recorded score curves."


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """An entry of the manifest on the page.

    Args:
        label: Its name.
        text: Its value, or the heading of a folded one.
        lines: The folded value; empty if there is none.
    """

    label: str
    text: str | Markup
    lines: str = ""


def _manifest_entries(manifest: Mapping[str, Any]) -> Iterator[ManifestEntry]:
    for name, value in complete(manifest).items() if manifest else ():
        if name not in SHOWN_ELSEWHERE:
            label = name.removesuffix("_s").removesuffix("_mb").replace("_", " ")
            yield ManifestEntry(label, *_value(name, value))


def _value(name: str, value: Any) -> tuple[str | Markup] | tuple[str | Markup, str]:
    """Return the text of a value of the manifest, and its folded lines if it is long."""
    if name == "config":
        return "of the study", json.dumps(value, indent=2)
    if isinstance(value, Mapping):
        pairs = (Markup("{}&nbsp;{}").format(printable(str(key)), printable(text(value[key]))) for key in value)
        return (Markup(", ").join(pairs) or "–",)
    if isinstance(value, list | tuple):
        if len(value) <= LONG:
            return (", ".join(text(entry) for entry in value) or "none",)
        return f"{len(value):,}", "\n".join(str(entry) for entry in value)
    return (_scalar(name, value),)


def _scalar(name: str, value: Any) -> str:
    if name.endswith("_s") and isinstance(value, int | float):
        return format_duration(value)
    if name.endswith("_mb") and isinstance(value, int | float):
        return f"{value:,.0f} MB"
    return text(value)
