"""Published values and ours on one page: `python docs/scoreboard.py --store runs/store` renews it.

Writes for every published table with results in the stores a file `docs/measured/published/PAPER-TABLE[-PART].csv`;
values without newer results of the same or a larger scale stay as they are. The page `docs/studies/scoreboard.md` and
its figures are made from these files. `--check` fails if they differ from what the files say; `tests/docs` does the
same.
"""

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from html import escape
from io import StringIO
from itertools import groupby
from pathlib import Path
from textwrap import indent

from offnominal.core.plot_style import INK, RULE, SERIES
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.scoreboard import NO_VALUE, OWN_SCALE, SCALES, OutcomeCounts, TableScore, scoreboard
from offnominal.reports.escape import markdown_text
from offnominal.reports.published_comparison import CAUSE_NAMES, cause_of
from offnominal.reports.tables import markdown
from offnominal.studies.published_comparison import CAUSES, OUTCOMES, Outcome, PublishedComparison
from offnominal.studies.store import Store

DOCS = Path(__file__).parent
MEASURED = DOCS / "measured" / "published"
PAGE = DOCS / "studies" / "scoreboard.md"
FIGURES = DOCS / "studies" / "scoreboard"
NOWHERE = Path("no-such-store")
MADE_BY = ("study", "scale", "cells", "date", "version")
COLUMNS = ("ours", "low", "high", "published", "outcome", "verdict", "cause", "note", *MADE_BY)
"""Columns of a file after the labels of the published table."""
LISTED = 10
"""Number of unexplained differences of a table that the page lists."""
COLOURS = dict(zip(OUTCOMES, (SERIES[0], SERIES[5], SERIES[4], SERIES[1]), strict=False))
MODES = {"light": (INK, RULE), "dark": ("#d6d9de", "#3a414b")}
"""Colours of text and of values without a result, on a light and on a dark page."""
WIDTH, LEFT, BAR, GAP, LINE = 560, 105, 400, 1.5, 23
LEGEND = (0, 80, 150, 256, 380)
"""Sizes of the figure in pixels: places of bars and of the names of outcomes."""
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
Row = dict[str, str]


@dataclass(frozen=True)
class MeasuredTable:
    """A published table and the rows of its file; without results, the published values alone."""

    score: TableScore
    rows: list[Row]

    @property
    def counts(self) -> OutcomeCounts:
        """Outcomes of its published values."""
        return OutcomeCounts.of(row["outcome"] or None for row in self.rows)

    @property
    def content(self) -> str:
        """Title of the table; study, scale and date of our values, or why there are none."""
        source = markdown_text(self.score.source)
        if runs := {(rank(row), _run_name(row)) for row in self.rows if row["ours"] and row["study"]}:
            source = "; ".join(name for _, name in sorted(runs, reverse=True))
        title = markdown_text(self.score.table.title)
        return f"{title}<br>*{source}*" if source else title


def main(words: list[str]) -> int:
    """Write the files, the page and the figures, or check them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, nargs="+", default=[], metavar="DIR", help="stores with results")
    parser.add_argument("--check", action="store_true", help="fail if the page is not what the files say")
    options = parser.parse_args(words)
    if options.check:
        stale = [str(file.relative_to(DOCS.parent)) for file, text in made().items() if read(file) != text]
        print(*stale or ["up to date"], sep="\n")
        return int(bool(stale))
    measure(options.store)
    for file, text in made().items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


def measure(stores: Iterable[Path]) -> None:
    """Write the file of every table with values of ours, and remove the files of tables that no longer exist.

    A value in a file stays until there is one of the same or of a larger scale. A table that needs no run may need
    data; its file stays if it has more values than can be computed here.
    """
    MEASURED.mkdir(parents=True, exist_ok=True)
    tables = {file_of(score): score for score in published_tables()}
    runs: dict[Path, list[list[Row]]] = {file: [] for file in tables}
    for store in stores:
        for score in scoreboard(store=store):
            if score.run is not None:
                runs[file_of(score)].append(rows_of(score.lines, run_of(score, store)))
    for file, score in tables.items():
        before, rows = rows_in(file), rows_of(score.lines, {})
        if score.needs_run:
            rows = merged(rows, before, *runs[file])
        if compared(rows) >= max(compared(before), 1):
            file.write_text(csv_text(rows), encoding="utf-8")
    for file in set(MEASURED.glob("*.csv")) - set(tables):
        file.unlink()


def merged(published: list[Row], *results: list[Row]) -> list[Row]:
    """Return the published values with our results; of several, the last one of the largest scale.

    Args:
        published: Rows of the published values alone. Labels without a value are measured, and name no row.
        results: Rows of results; one of a value that is no longer published is left out.
    """
    names = [tuple(name for name in labels_of([row]) if row[name] != NO_VALUE) for row in published]
    found = {_label(row, each): row for row, each in zip(published, names, strict=True)}
    ways = sorted(set(names), key=len, reverse=True)
    for row in (row for rows in results for row in rows if row["ours"]):
        labels = [_label(row, way) for way in ways]
        key = next((label for label in labels if label in found), labels[0])
        before = found.get(key, row)
        if (key in found or not row["published"]) and (not before["ours"] or rank(row) >= rank(before)):
            found[key] = row
    return list(found.values())


def rank(row: Row) -> float:
    """Return a number that is larger for results of larger scales."""
    return SCALES.index(row["scale"]) if row["scale"] in SCALES else OWN_SCALE - 0.5


def compared(rows: Iterable[Row]) -> int:
    """Return the number of published values with one of ours beside them."""
    return OutcomeCounts.of(row["outcome"] or None for row in rows).compared


def labels_of(rows: Iterable[Row]) -> list[str]:
    """Return the columns that name the rows of a table."""
    return [name for name in dict.fromkeys(name for row in rows for name in row) if name not in COLUMNS]


def file_of(score: TableScore) -> Path:
    """Return the file of a table; a table that several studies compute in parts has one for each."""
    study = score.table.study
    part = study.removeprefix(score.paper).strip("-") if study else "facts"
    return MEASURED / ("-".join(filter(None, [score.paper, str(score.table.number), part])) + ".csv")


def run_of(score: TableScore, store: Path) -> Row:
    """Return study and scale of the results, the day of the last one, and the versions of the package."""
    if score.run is None:
        return {}
    place, keys = Store(store), set(score.run.results.table["key"].to_pylist())
    cells = [row for row in place.cells().select(["key", "versions"]).to_pylist() if row["key"] in keys]
    versions = sorted({json.loads(row["versions"])["offnominal"] for row in cells})
    last = max(place.path(key).stat().st_mtime for key in keys)
    day = datetime.fromtimestamp(last, UTC).date().isoformat()
    return {
        "study": score.table.study,
        "scale": score.scale,
        "cells": f"{len(keys)} of {score.run.cells}",
        "date": day,
        "version": " ".join(versions),
    }


def rows_of(lines: Iterable[PublishedComparison], run: Row) -> list[Row]:
    """Return a comparison as rows of text."""
    return [
        {
            **line.labels,
            "ours": _number(line.ours.value),
            "low": _number(line.ours.low),
            "high": _number(line.ours.high),
            "published": _number(line.published),
            "outcome": line.outcome or "",
            "verdict": line.verdict,
            "cause": cause_of(line),
            "note": line.note,
            **{name: run.get(name, "") for name in MADE_BY},
        }
        for line in lines
    ]


def csv_text(rows: list[Row]) -> str:
    """Return the text of the file of a table."""
    text = StringIO()
    writer = csv.DictWriter(text, [*labels_of(rows), *COLUMNS], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


@cache
def published_tables() -> tuple[TableScore, ...]:
    """Return every published table without results of a run."""
    return tuple(scoreboard(store=NOWHERE))


def measured_tables() -> list[MeasuredTable]:
    """Return every published table with the rows of its file; without one, the published values alone."""
    tables = [MeasuredTable(score, rows_in(file_of(score))) for score in published_tables()]
    return [table if table.rows else replace(table, rows=published_alone(table.score)) for table in tables]


def rows_in(file: Path) -> list[Row]:
    """Return the rows of a file; none if it does not exist."""
    return list(csv.DictReader(read(file).splitlines()))


def published_alone(score: TableScore) -> list[Row]:
    """Return the published values of a table as not run: what needs no run may need data that are not everywhere."""
    return rows_of((replace(line, ours=Estimate(None)) for line in score.lines), {})


def made() -> dict[Path, str]:
    """Return the text of the page and of its figures."""
    tables = measured_tables()
    figures = {FIGURES / f"outcomes-{mode}.svg": figure(tables, *colours) for mode, colours in MODES.items()}
    return {PAGE: page(tables), **figures}


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


def figure(tables: list[MeasuredTable], ink: str, not_run: str) -> str:
    """Return an SVG with the share of each outcome in every table with values of ours.

    Args:
        tables: The tables.
        ink: Colour of the text.
        not_run: Colour of values without a result.
    """
    colours = {**COLOURS, "not run": not_run}
    shapes, y = [], 0.0
    for x, outcome in zip(LEGEND, OUTCOMES, strict=True):
        shapes += [f'<rect x="{x}" y="4" width="12" height="12" rx="2" fill="{colours[outcome]}"/>']
        shapes += [f'<text x="{x + 17}" y="15">{outcome}</text>']
    y = 34.0
    for id, group in groupby((table for table in tables if table.counts.compared), lambda table: table.score.paper):
        shapes.append(f'<text x="0" y="{y + 14:g}" font-weight="bold">{escape(id)}</text>')
        y += LINE
        for table in group:
            shapes += _bar(table, y, colours)
            y += LINE
        y += LINE / 3
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:g}" width="{WIDTH}" height="{y:g}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="15" fill="{ink}">\n'
        f"<title>Share of each outcome among the published values of a table</title>\n"
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


def _bar(table: MeasuredTable, y: float, colours: Mapping[Outcome, str]) -> Iterator[str]:
    """Yield the label, the segments and the number of values of one table."""
    counts = table.counts
    yield f'<text x="{LEFT - 10}" y="{y + 14:g}" text-anchor="end">{escape(table.score.label)}</text>'
    x = float(LEFT)
    for outcome, count in zip(OUTCOMES, counts.each(), strict=True):
        width = BAR * count / counts.values
        if count:
            drawn = max(width - GAP, 0.6)
            tip = f"<title>{count} {outcome}</title>"
            yield f'<rect x="{x:.1f}" y="{y:g}" width="{drawn:.1f}" height="17" fill="{colours[outcome]}">{tip}</rect>'
        x += width
    yield f'<text x="{WIDTH}" y="{y + 14:g}" text-anchor="end">{counts.values:,}</text>'


def total_of(tables: Iterable[MeasuredTable]) -> OutcomeCounts:
    """Return the sum of the outcomes of tables."""
    return OutcomeCounts.total(table.counts for table in tables)


def read(file: Path) -> str:
    """Return the text of a file; empty if there is none."""
    return file.read_text(encoding="utf-8") if file.exists() else ""


def _linked(table: MeasuredTable) -> str:
    there = f"[{table.score.label}](../measured/published/{file_of(table.score).name})"
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


def _label(row: Row, names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the labels of a row, without columns that it does not have."""
    return tuple((name, row[name]) for name in names if name in row)


def _run_name(row: Row) -> str:
    """Return study, scale and date of a result; the cells, if some of the study are missing."""
    done, _, of = row.get("cells", "").partition(" of ")
    cells = f" ({row['cells']} cells)" if done != of else ""
    return f"{row['study']}@{row['scale']}{cells}, {row['date']}"


def _distance(row: Row) -> float:
    return abs(float(row["ours"]) - float(row["published"]))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}" if abs(value) < 1e6 else f"{value:.10g}"


def _digits(text: str) -> str:
    value = float(text)
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
