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
from offnominal.studies.published_comparison import KINDS, PublishedComparison

LARGE, SMALL, LARGEST = 1000.0, 0.001, 1e9
"""Numbers beyond the first two are not printed with three decimals; those beyond the last one with an exponent."""
FINE = 1e-3
"""Margin below which numbers are compared digit by digit."""
NUMBERS = ("ours", "published", "difference")
MARKS: dict[str, str] = {
    "reproduced closely": "✓ reproduced closely",
    "reproduced": "✓ reproduced",
    "inconclusive": "? inconclusive",
    "no interval": "· no interval",
    "differs": "✗ differs",
    "impossible": "⚠ published value is impossible",
    "artefact": "⚠ published value is an artefact",
    "": "–",
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
        >>> from offnominal.studies.published_comparison import Rule
        >>> comparison_rows([PublishedComparison({"number": "worlds"}, Estimate(10), 10, Rule("fact", margin=0.0))])
        [{'number': 'worlds', 'ours': '10', 'published': '10', 'difference': '+0', 'verdict': 'reproduced'}]
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


def cause_of(line: PublishedComparison) -> str:
    """Return the name of the accepted cause of a difference; empty if there is none."""
    return line.cause if line.verdict == "differs" else ""


def with_cause(mark: str, row: Mapping[str, Any]) -> str:
    """Return the text of a verdict with the cause of the difference in a row, if it has one.

    Example:
        >>> with_cause("✗ differs", {"cause": "public-code"})
        '✗ differs (public-code)'
    """
    return f"{mark} ({row['cause']})" if row.get("cause") else mark


def verdict_line(lines: Sequence[PublishedComparison]) -> str:
    """Return how many published values are reproduced; each kind of values for itself.

    Example:
        >>> import numpy as np
        >>> from offnominal.evaluation import Estimate
        >>> from offnominal.studies.published_comparison import Rule
        >>> shares, ours = Rule("measured", margin=0.05, close=0.02), Estimate(0.7, np.array([0.69, 0.71]))
        >>> verdict_line([PublishedComparison({}, ours, published, shares) for published in (0.7, 0.67, 0.2, 0.75)])
        'Measured results: of 4 published values 2 are reproduced (1 closely), 2 differ.'
    """
    texts = [
        f"{KINDS[kind].capitalize()}: {text}."
        for kind in KINDS
        if (text := _counts([line for line in lines if line.kind == kind and line.published is not None]))
    ]
    if texts:
        return " ".join(texts)
    return NONE_OF_OURS if any(line.published is not None for line in lines) else NONE_PUBLISHED


def _counts(lines: Sequence[PublishedComparison]) -> str:
    """Return how many values of one kind have each outcome; empty if none has one of ours."""
    found = Counter(line.outcome for line in lines)
    total = len(lines) - found["not run"]
    if not total:
        return ""
    close = found["reproduced closely"]
    count = close + found["reproduced"]
    parts = [f"of {total} published {'value' if total == 1 else 'values'} {_number(count, 'reproduced')}"]
    parts[0] += f" ({close} closely)" if close else ""
    parts += [_number(found["inconclusive"], "inconclusive")] if found["inconclusive"] else []
    differing = found["differs"] + found["explained"]
    if differing:
        parts.append(f"{differing} {'differs' if differing == 1 else 'differ'}")
        parts[-1] += f" ({found['explained']} explained)" if found["explained"] else ""
    if found["no interval"]:
        parts.append(f"{found['no interval']} of ours {'has' if found['no interval'] == 1 else 'have'} no interval")
    parts += [_number(found["flawed"], "flawed")] if found["flawed"] else []
    return ", ".join(parts)


def _number(count: int, text: str) -> str:
    return f"{count} {'is' if count == 1 else 'are'} {text}"


def comparison_markdown(lines: Sequence[PublishedComparison]) -> str:
    """Return the comparison as a Markdown table and a sentence."""
    rows = [_with_marks(row) for row in comparison_rows(lines)]
    parts = [markdown(rows) if rows else "", verdict_line(lines)]
    return "\n\n".join(part for part in parts if part)


def comparison_html(title: str, lines: Sequence[PublishedComparison]) -> Markup:
    """Return the comparison as an HTML table; the class of a verdict is its name with hyphens."""
    found = comparison_rows(lines)
    rows = [_with_marks(row) for row in found]
    columns = list(rows[0]) if rows else []
    return render(
        "comparison_table.html.j2",
        title=title,
        verdict=verdict_line(lines),
        columns=columns,
        sides={name: _side(name) for name in columns},
        rows=rows,
        classes=[row["verdict"].replace(" ", "-") or "none" for row in found],
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
    known = (line.ours.value, line.published)
    numbers = [abs(value) for value in known if value and math.isfinite(value)]
    if (
        line.rule is not None
        and (line.rule.margin < FINE or line.rule.margin >= 1.0)
        and all(value == round(value) for value in numbers)
    ):
        return ",.0f"
    if numbers and min(numbers) >= LARGE and max(numbers) < LARGEST:
        return ",.0f"
    small = line.rule is not None and line.rule.margin < FINE and min(numbers, default=1.0) < SMALL
    return ",.4g" if small or max(numbers, default=1.0) > LARGE else ".3f"


def _ours(line: PublishedComparison) -> str:
    value = line.ours.value
    bare = value is not None and math.isfinite(value) and line.ours.low is None
    return f"{value:{_digits(line)}}" if bare else delay_text(line.ours)


def _published(line: PublishedComparison) -> str:
    if line.published is None:
        return "–"
    return f"{line.published:{_digits(line)}}"
