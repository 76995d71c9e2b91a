"""The page of a study on faults: leaderboards, comparison of two detectors, faults, alarms, episodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from offnominal.reports.escape import printable_run
from offnominal.reports.fault_clips import clip_sources
from offnominal.reports.guarantees import NOTE
from offnominal.reports.headline import headline
from offnominal.reports.page import PageContent, render_page, write_page
from offnominal.reports.payload import payload
from offnominal.reports.sections import PageSection
from offnominal.reports.templates import render
from offnominal.studies.leaderboards import tied_with_best
from offnominal.studies.results import RunResults

SECTIONS = {
    "ranking": "Leaderboard",
    "compare": "Compare two detectors",
    "differences": "Critical differences",
    "spread": "Distributions",
    "matrices": "Worlds and levels",
    "faults": "Faults",
    "timing": "Timing",
    "guarantees": "Guarantees",
    "episodes": "Episodes",
}


def write_fault_page(results: RunResults, path: Path) -> Path:
    """Write the page of a study on faults as one HTML file that works from disk; return its path.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     "<h1>A toy</h1>" in write_fault_page(RunResults.example(), Path(folder) / "page.html").read_text()
        True
    """
    results = printable_run(results)
    return write_page(results, fault_content(results, path.parent), path)


def fault_page(results: RunResults) -> str:
    """Return the page of a study on faults as HTML."""
    results = printable_run(results)
    return render_page(results, fault_content(results))


def fault_content(results: RunResults, folder: Path | None = None) -> PageContent:
    """Return what a study on faults contributes to its page.

    Args:
        results: The run.
        folder: Folder of the report, for the clips in it; none if None.
    """
    data = payload(results)
    data["clips"] = {} if folder is None else clip_sources(folder, data["faults"])
    words = {"guarantee_note": NOTE, "shown": _examples_shown(data["examples"])}
    sections = [
        PageSection(id, title, render(f"sections/{id}.html.j2", **words))
        for id, title in SECTIONS.items()
        if id != "compare" or len(data["names"]) > 1
    ]
    return PageContent(
        headline(data),
        sections,
        facts=_sizes(results, data),
        data=data,
        script="start_faults.js",
        filters=render("sections/filters.html.j2"),
        extra=render("sections/fault_dialog.html.j2"),
        highlight=_winner(data),
    )


def _winner(data: Mapping[str, Any]) -> str:
    """Return the colour of the best detector, or that of the page if several are best."""
    metric = data["metrics"][0]["name"] if data["metrics"] else None
    entries = data["leaderboards"][metric]["-1,-1,-1"] if metric else []
    ranked = {data["names"][row[0]]: row[5] for row in entries if row[4] is not None and row[5]}
    best = [name for name in tied_with_best(ranked) if name not in data["too_little"]]
    return str(data["colours"][best[0]]) if len(best) == 1 else "var(--accent)"


def _sizes(results: RunResults, data: Mapping[str, Any]) -> dict[str, int]:
    seeds = set(results.table["seed"].to_pylist()) if results.table.num_rows else set()
    return {
        "detectors": len(data["names"]),
        "worlds": len(data["worlds"]),
        "faults": len(data["faults"]),
        "training seeds": len(seeds),
        "alarms": len(data["timing"]["alarms"]),
    }


def _examples_shown(examples: Mapping[str, Any]) -> str:
    here, recorded = len(examples["rows"]), examples["recorded"]
    return "" if here == recorded else f"This page carries {here:,} of {recorded:,} recorded score curves."
