"""Comparison with published results: rows, and tables for documents and for the web."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from offnominal.evaluation.delays import delay_text
from offnominal.reports.tables import markdown
from offnominal.reports.templates import render
from offnominal.studies.published_comparison import CAUSES, Cause, PublishedComparison

LARGE, SMALL, LARGEST = 1000.0, 0.001, 1e9
"""Numbers beyond the first two are not printed with three decimals; those beyond the last one with an exponent."""
EXACT = 1e-6
"""Tolerance of a match below which numbers are exact."""
NUMBERS = ("ours", "published", "difference")
MARKS = {
    "match": "✓ match",
    "near": "≈ near",
    "differs": "✗ differs",
    "impossible": "⚠ published value is impossible",
    "artefact": "⚠ published value is an artefact",
    "": "–",
}
CAUSE_NAMES: dict[Cause, str] = {
    "scale": "our scale",
    "defect": "their defect",
    "setting": "other setting",
    "chance": "chance",
}
NONE_PUBLISHED = "None of these numbers is published, as far as we know."
NONE_OF_OURS = "There are no results of ours to compare with."
FLAWS = {"impossible": "impossible", "artefact": "artefacts"}


def comparison_rows(lines: Sequence[PublishedComparison]) -> list[dict[str, Any]]:
    """Return one row per comparison: labels, ours with its interval, published, difference, verdict, cause and note.

    Causes and notes are left out if there are none. Only a difference has a cause. Numbers that are compared as counts,
    with tolerances of zero or more than one, have no decimals.

    Example:
        >>> from offnominal.evaluation import Estimate
        >>> comparison_rows([PublishedComparison({"detector": "KNN"}, Estimate(0.71), 0.68)])
        [{'detector': 'KNN', 'ours': '0.710', 'published': '0.680', 'difference': '+0.030', 'verdict': 'near'}]
        >>> comparison_rows([PublishedComparison({"number": "worlds"}, Estimate(10), 10, match=0.0, near=0.0)])
        [{'number': 'worlds', 'ours': '10', 'published': '10', 'difference': '+0', 'verdict': 'match'}]
    """
    caused = any(cause_of(line) for line in lines)
    noted = any(line.note for line in lines)
    return [
        {
            **line.labels,
            "ours": _ours(line),
            "published": _published(line),
            "difference": "–" if line.difference is None else f"{line.difference:+{_digits(line)}}",
            "verdict": line.verdict,
        }
        | ({"cause": cause_of(line)} if caused else {})
        | ({"note": line.note} if noted else {})
        for line in lines
    ]


def cause_of(line: PublishedComparison) -> Cause:
    """Return the cause of a difference; empty if there is no difference, or no cause was shown."""
    return line.cause if line.verdict == "differs" else ""


def with_cause(mark: str, row: Mapping[str, Any]) -> str:
    """Return the text of a verdict with the cause of the difference in a row, if it has one.

    Example:
        >>> with_cause("✗ differs", {"cause": "defect"})
        '✗ differs (their defect)'
    """
    cause = row.get("cause")
    return f"{mark} ({CAUSE_NAMES[cause]})" if cause else mark


def cause_legend(lines: Sequence[PublishedComparison]) -> str:
    """Return what the causes in a comparison mean; empty if there are none.

    Example:
        >>> from offnominal.evaluation import Estimate
        >>> cause_legend([PublishedComparison({}, Estimate(0.7), 0.9, cause="scale")])
        'Our scale: our run is smaller; a larger one is nearer.'
    """
    found = {cause_of(line) for line in lines}
    return " ".join(
        f"{CAUSE_NAMES[cause].capitalize()}: {meaning}." for cause, meaning in CAUSES.items() if cause in found
    )


def verdict_line(lines: Sequence[PublishedComparison]) -> str:
    """Return how many of our numbers agree with the published ones.

    Example:
        >>> from offnominal.evaluation import Estimate
        >>> verdict_line([PublishedComparison({}, Estimate(0.71), 0.68), PublishedComparison({}, Estimate(0.7), 0.7)])
        '1 of 2 published numbers match, 1 is near, 0 differ.'
        >>> verdict_line([PublishedComparison({}, Estimate(0.7), 0.9, cause="scale")])
        '0 of 1 published numbers match, 0 are near, 1 differ (1 explained).'
    """
    found: Counter[str] = Counter(line.verdict for line in lines)
    near = "is" if found["near"] == 1 else "are"
    flawed = [f"{found[flaw]} {'is' if found[flaw] == 1 else 'are'} {FLAWS[flaw]}" for flaw in FLAWS if found[flaw]]
    beside = f" Not compared: {' and '.join(flawed)}." if flawed else ""
    total = sum(found[verdict] for verdict in ("match", "near", "differs"))
    if not total:
        if any(line.published is not None for line in lines) and all(line.ours.value is None for line in lines):
            return NONE_OF_OURS
        return f"None of these numbers is compared.{beside}" if beside else NONE_PUBLISHED
    counts = f"{found['match']} of {total} published numbers match, {found['near']} {near} near"
    explained = sum(bool(cause_of(line)) for line in lines)
    return f"{counts}, {found['differs']} differ{f' ({explained} explained)' * bool(explained)}.{beside}"


def comparison_markdown(lines: Sequence[PublishedComparison]) -> str:
    """Return the comparison as a Markdown table and a sentence."""
    rows = [_with_marks(row) for row in comparison_rows(lines)]
    parts = [markdown(rows) if rows else "", verdict_line(lines), cause_legend(lines)]
    return "\n\n".join(part for part in parts if part)


def comparison_html(title: str, lines: Sequence[PublishedComparison]) -> Markup:
    """Return the comparison as an HTML table; verdicts have the classes match, near and differs."""
    found = comparison_rows(lines)
    rows = [_with_marks(row) for row in found]
    columns = list(rows[0]) if rows else []
    return render(
        "comparison_table.html.j2",
        title=title,
        verdict=" ".join(part for part in (verdict_line(lines), cause_legend(lines)) if part),
        columns=columns,
        sides={name: _side(name) for name in columns},
        rows=rows,
        classes=[row["verdict"] or "none" for row in found],
    )


def _with_marks(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its cause in the text of the verdict."""
    marked = row | {"verdict": with_cause(MARKS[row["verdict"]], row)}
    return {name: value for name, value in marked.items() if name != "cause"}


def _side(name: str) -> str:
    """Return the class of a column: numbers are aligned right, words left; notes may wrap."""
    if name in NUMBERS:
        return ""
    return "left note" if name == "note" else "left"


def _digits(line: PublishedComparison) -> str:
    """Return the format of the numbers of a line: counts and thousands are whole, very small ones have four digits."""
    known = (line.ours.value, line.published, *(line.span or ()))
    numbers = [abs(value) for value in known if value and math.isfinite(value)]
    if (line.match < EXACT or line.match >= 1.0) and all(value == round(value) for value in numbers):
        return ",.0f"
    if numbers and min(numbers) >= LARGE and max(numbers) < LARGEST:
        return ",.0f"
    small = line.match < SMALL and min(numbers, default=1.0) < SMALL
    return ",.4g" if small or max(numbers, default=1.0) > LARGE else ".3f"


def _ours(line: PublishedComparison) -> str:
    value = line.ours.value
    bare = value is not None and math.isfinite(value) and line.ours.low is None
    return f"{value:{_digits(line)}}" if bare else delay_text(line.ours)


def _published(line: PublishedComparison) -> str:
    if line.published is None:
        return "–"
    return " to ".join(f"{value:{_digits(line)}}" for value in line.span or (line.published,))
