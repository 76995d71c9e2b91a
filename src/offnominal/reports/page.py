"""The page of a run of any study kind: one HTML file that needs nothing but a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from markupsafe import Markup

from offnominal.core.files import write_text
from offnominal.core.printable import printable
from offnominal.core.progress_bar import format_duration
from offnominal.reports.auroc_scale import auroc_css
from offnominal.reports.latex import SPECIAL
from offnominal.reports.modules import bundle
from offnominal.reports.provenance import PRIVATE, complete, provenance, short_provenance
from offnominal.reports.sections import PageSection, sections_of
from offnominal.reports.tables import csv_text, text
from offnominal.reports.templates import asset, embedded_json, render
from offnominal.studies.results import RunResults
from offnominal.studies.run_manifest import FILE as MANIFEST

LONG = 8
"""Entries of a list that are shown at once; longer lists are folded."""
SHOWN_ELSEWHERE = ("title", "summary", *PRIVATE)
EMPTY = Markup()
FAILURE = ("error", "label", "message", "traceback")


@dataclass(frozen=True, slots=True, eq=False)
class PageContent:
    """What a study kind contributes to its page; the frame around it is the same for all.

    Args:
        headline: The main result in one sentence.
        sections: Sections in their order.
        facts: Sizes of the study by name, such as the number of detectors; the frame adds cells, failures and time.
        explanation: How to read the page; empty if nothing has to be said.
        data: Data of the scripts, ready for JSON; none if None.
        script: ES module of the folder ``assets`` that starts the page; it imports all others.
        filters: HTML of the filters above the sections.
        extra: HTML after the sections, such as a dialog.
        highlight: CSS colour of the line beside the headline.
    """

    headline: str
    sections: Sequence[PageSection]
    facts: Mapping[str, int] = field(default_factory=dict)
    explanation: str = ""
    data: Mapping[str, Any] | None = None
    script: str = "start.js"
    filters: Markup = EMPTY
    extra: Markup = EMPTY
    highlight: str = "var(--accent)"


def write_page(results: RunResults, content: PageContent, path: Path) -> Path:
    """Write the page of a run as one HTML file that works from disk; return its path.

    Example:
        >>> import pyarrow as pa, tempfile
        >>> run = RunResults("toy", "A toy", "", "quick", {}, pa.table({}), pa.table({}))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     "<h1>A toy</h1>" in write_page(run, PageContent("Nothing.", []), Path(folder) / "page.html").read_text()
        True
    """
    write_text(path, render_page(results, content, manifest=MANIFEST if (path.parent / MANIFEST).exists() else ""))
    return path


def render_page(results: RunResults, content: PageContent, *, manifest: str = "") -> str:
    """Return the page as HTML.

    Args:
        results: The run.
        content: What the study kind contributes.
        manifest: Address of the manifest beside the page; empty if there is none.
    """
    sections = [*content.sections, *sections_of(results)]
    files = {
        "study": results.name,
        "latex": SPECIAL,
        "tables": {each.id: csv_text(each.table.numbers) for each in sections if each.table and each.table.numbers},
        "manifest": {name: value for name, value in results.manifest.items() if name not in PRIVATE},
    }
    return render(
        "page.html.j2",
        results=results,
        content=content,
        failures=[{part: str(failure.get(part, "")) for part in FAILURE} for failure in results.failures],
        facts=_facts(results, content.facts),
        sections=sections,
        made=list(_manifest_entries(results.manifest)),
        manifest=manifest,
        provenance=provenance(results.manifest),
        source=short_provenance(results.manifest),
        style=asset("page.css") + Markup("\n") + Markup(auroc_css()),
        script=Markup(bundle(content.script)),
        files=embedded_json(files),
        data=None if content.data is None else embedded_json(content.data),
    )


def _facts(results: RunResults, sizes: Mapping[str, int]) -> dict[str, str]:
    counted = {"cells": results.cells, **sizes, "failed": len(results.failures)}
    found = {label: text(size) for label, size in counted.items()}
    if isinstance(results.manifest.get("cpu_s"), int | float):
        found["CPU time"] = format_duration(results.manifest["cpu_s"])
    return found


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
