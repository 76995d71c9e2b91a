"""The part of a study page that says how many published values are reproduced, from the measured files."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from textwrap import indent

from offnominal.papers.catalogue import papers
from offnominal.papers.scoreboard import scoreboard
from offnominal.papers.value_places import NO_VALUE
from offnominal.studies.published_comparison import KINDS, Kind
from published_values.measured_table import MeasuredTable, measured_tables, share_of, total_of
from published_values.measuring import NOWHERE
from published_values.page import counts_of, linked, summary, table_of

MEASURED = Path(__file__).parents[1] / "measured" / "published"
"""Folder of the files in the documentation."""
IMAGES = "-images"
SHOWN = 8
"""Number of tables of a page that are not folded."""


def published_summary(_: str) -> str:
    """Return the counts of all papers, as on the scoreboard."""
    return summary([table for paper in papers.ids() for table in _tables_of_paper(paper)])


def study_outcomes(page: str) -> str:
    """Return the outcomes of the published tables of a study page.

    Args:
        page: Name of the page: that of its paper, with `-images` if it has the tables about images alone.
    """
    tables = _tables_of(page)
    measured = [table for table in tables if table.kind == "measured"]
    return "\n\n".join([_sentences(measured), _by_table(measured), *_exact(tables)])


def _sentences(tables: list[MeasuredTable]) -> str:
    """Return how many measured results are reproduced, and why others are not."""
    counts, share = total_of("measured", tables), share_of(tables)
    parts = [f"Of {counts.values:,} published results {counts.compared:,} have one of ours beside them."]
    if share is None:
        parts.append("**None can be judged.**")
    else:
        parts.append(
            f"**{share} of the {share.judged:,} that can be judged are reproduced**; "
            f"{counts['inconclusive']:,} are inconclusive and {counts['differs']:,} differ."
        )
    if counts["no interval"]:
        parts.append(f"{counts['no interval']:,} of ours have no interval and no verdict.")
    if counts["flawed"]:
        parts.append(f"{counts['flawed']:,} published ones are flawed.")
    return " ".join(parts)


def _by_table(tables: list[MeasuredTable]) -> str:
    """Return the outcomes of each table; many tables are folded."""
    rows = [_row(table) for table in tables]
    empty = {name for name in rows[0] if all(row[name] == NO_VALUE for row in rows)}
    made = table_of({name: value for name, value in row.items() if name not in empty} for row in rows)
    return made if len(rows) <= SHOWN else f'??? note "Outcomes by table"\n\n{indent(made, "    ")}'


def _row(table: MeasuredTable) -> dict[str, str]:
    scales = sorted({row["scale"] for row in table.rows if row["ours"] and row["published"] and row["scale"]})
    return {
        "table": linked(table),
        "content": table.score.table.title,
        "scale": ", ".join(scales) or NO_VALUE,
        **counts_of(table.counts),
    }


def _exact(tables: list[MeasuredTable]) -> Iterable[str]:
    """Yield how many facts and counts of work are as published."""
    kinds: tuple[Kind, ...] = ("fact", "work")
    for kind in kinds:
        found = [table for table in tables if table.kind == kind]
        counts = total_of(kind, found)
        if counts.compared:
            names = ", ".join(linked(table) for table in found if table.counts.compared)
            title = "Table" if len(found) == 1 else "Tables"
            yield (
                f"{KINDS[kind].capitalize()} ({title} {names}): {counts['reproduced']:,} of {counts.compared:,} "
                "are as published."
            )


def _tables_of(page: str) -> list[MeasuredTable]:
    images = page.endswith(IMAGES)
    paper = page.removesuffix(IMAGES)
    tables = _tables_of_paper(paper)
    divided = any(f"{paper}{IMAGES}" in table.score.table.study for table in tables)
    return [table for table in tables if not divided or (IMAGES in table.score.table.study) == images]


@cache
def _tables_of_paper(paper: str) -> tuple[MeasuredTable, ...]:
    scores = scoreboard([paper], store=NOWHERE, shipped=False)
    return tuple(table for table in measured_tables(scores, MEASURED) if table.counts.values)
