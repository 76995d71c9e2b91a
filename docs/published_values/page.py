"""The page with all published tables, how many of their values we reproduce, and which differences are unexplained."""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from textwrap import indent

from offnominal.papers.scoreboard import OutcomeCounts
from offnominal.reports.escape import markdown_text
from offnominal.reports.published_comparison import CAUSE_NAMES
from offnominal.reports.tables import markdown
from offnominal.studies.published_comparison import CAUSES, OUTCOMES
from published_values.figure import MODES
from published_values.measured_table import MeasuredTable, file_name, total_of
from published_values.rows import COLUMNS, Row

LISTED = 10
"""Number of unexplained differences of a table that the page lists."""
MEANINGS = {
    "match": "the published value is within our interval, or within the tolerance: 0.02 for shares such as AUROC",
    "near": "within the second tolerance: 0.05 for shares",
    "explained": "differs, and a measurement shows the cause; or the published value itself is flawed",
    "unexplained": "differs, and no cause was shown",
    "not run": "there is no result of ours, or it cannot be computed here",
}
RENEWED = """## Renew this page

`offnominal reproduce --all` prints the same counts from your own store. `python docs/scoreboard.py --store runs/store`
writes the values of all tables with results in a store to `docs/measured/published`, and makes this page from there.
"""
EXPLAINED = (
    "A difference is explained if the published value contradicts other published ones or says nothing about the "
    "method, or if a measurement shows one of these causes:"
)
NUMBER = re.compile(r"–|-?[\d,.]+(e[+-]?\d+)?%?")


def page(tables: list[MeasuredTable]) -> str:
    """Return the page."""
    total = total_of(tables)
    groups = {id: list(group) for id, group in groupby(tables, lambda table: table.score.paper)}
    totals = {f"[{id}](#{id})": total_of(group) for id, group in groups.items()} | {"**all**": total}
    parts = [
        "---\nhide: [toc]\n---",
        "# Scoreboard",
        f"All tables and figures with numbers of five papers: {total.values:,} values in {len(tables)} tables. "
        f"{total.compared:,} have one of ours beside them: {total.match:,} match, {total.near:,} are near, "
        f"{total.explained:,} differ and are explained, {total.unexplained:,} ({_share(total)}) differ and are not.",
        *(f"![Outcomes by table](scoreboard/outcomes-{mode}.svg#only-{mode})" for mode in MODES),
        _table(
            {"paper": name} | _counts(counts) | {"unexplained of compared": _share(counts)}
            for name, counts in totals.items()
        ),
        "A value has one of five outcomes:",
        _table({"outcome": name, "meaning": meaning} for name, meaning in MEANINGS.items()),
        EXPLAINED,
        _table({"cause": CAUSE_NAMES[name], "meaning": meaning} for name, meaning in CAUSES.items()),
        *(section(id, group) for id, group in groups.items()),
        unexplained(tables),
        RENEWED,
    ]
    return "\n\n".join(parts)


def section(id: str, tables: list[MeasuredTable]) -> str:
    """Return the tables of a paper; the number of each links to its file."""
    rows = (
        {"table": _linked(table), "content, and source of ours": table.content} | _counts(table.counts)
        for table in tables
    )
    return f"## {id}\n\nThe [page of the study]({id}.md) has the results in full.\n\n{_table(rows)}"


def unexplained(tables: list[MeasuredTable]) -> str:
    """Return the unexplained differences of each table, the largest ones first."""
    parts = ["## Unexplained differences"]
    for table in tables:
        rows = sorted((row for row in table.rows if row["outcome"] == "unexplained"), key=_distance, reverse=True)
        if not rows:
            continue
        shown = [
            {name: markdown_text(value) for name, value in row.items() if name not in COLUMNS and name}
            | {name: _digits(row[name]) for name in ("ours", "published")}
            for row in rows[:LISTED]
        ]
        most = f", the {LISTED} largest" if len(rows) > LISTED else ""
        title = (
            f"{table.score.paper}, {table.score.table.name}{', images' * table.score.table.images}: {len(rows)}{most}"
        )
        body = f"{_table(shown)}\n\nAll values: {_linked(table)}."
        parts.append(f'??? note "{title}"\n\n{indent(body, "    ")}')
    return "\n\n".join(parts if len(parts) > 1 else [*parts, "There are none."])


def _linked(table: MeasuredTable) -> str:
    there = f"[{table.score.label}](../measured/published/{file_name(table.score)})"
    return there if table.counts.compared else table.score.label


def _table(rows: Iterable[Mapping[str, str]]) -> str:
    """Return a Markdown table; columns of numbers are aligned right, but not the first."""
    listed = list(rows)
    head, _, *body = markdown(listed, escape=False).splitlines()
    numeric = [all(NUMBER.fullmatch(row[name]) for row in listed) for name in list(listed[0])[1:]]
    sides = ["---", *("---:" if each else "---" for each in numeric)]
    return "\n".join([head, f"| {' | '.join(sides)} |", *body])


def _counts(counts: OutcomeCounts) -> dict[str, str]:
    numbers = dict(zip(("values", *OUTCOMES), (counts.values, *counts.each()), strict=True))
    return {name: f"{number:,}" if number else "–" for name, number in numbers.items()}


def _share(counts: OutcomeCounts) -> str:
    return "–" if counts.unexplained_share is None else f"{counts.unexplained_share:.0%}"


def _distance(row: Row) -> float:
    return abs(float(row["ours"]) - float(row["published"]))


def _digits(text: str) -> str:
    value = float(text)
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
