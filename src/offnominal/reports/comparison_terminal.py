"""Comparison with published results for the terminal: narrow enough for 80 columns where that is possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from offnominal.core.printable import one_line
from offnominal.reports.published_comparison import MARKS as LONG_MARKS
from offnominal.reports.published_comparison import NUMBERS, comparison_rows, verdict_line, with_cause
from offnominal.studies.published_comparison import PublishedComparison

if TYPE_CHECKING:
    from rich.table import Table as RichTable

STYLES = {
    "reproduced closely": "green",
    "reproduced": "green",
    "inconclusive": "yellow",
    "no interval": "dim",
    "differs": "red",
    "impossible": "magenta",
    "artefact": "magenta",
    "": "dim",
}
MARKS = LONG_MARKS | {"impossible": "⚠ impossible", "artefact": "⚠ artefact"}
MARK = 2
"""Width of the mark before the words of a verdict, and of the space behind it."""
EMPTY = ("–", "")
HIDDEN = ("style", "cause")
SHORT = 12
"""Largest length of a label that is not wrapped."""


def comparison_terminal(title: str, lines: Sequence[PublishedComparison], not_computed: str = "") -> RichTable:
    """Return the comparison for the terminal.

    Notes are below the table. Columns without a value are left out. A label that is
    the same in all rows is below the title; one that is the same as in the row above is not repeated.

    Args:
        title: Title of the table.
        lines: The comparison.
        not_computed: Why there are no numbers of ours, if they cannot be computed.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    rows, notes = _with_numbered_notes(comparison_rows(lines))
    labels = dict(lines[0].labels) if lines else {}
    same = {name: labels[name] for name in list(labels)[1:] if len({row[name] for row in rows}) == 1 < len(rows)}
    shown = [name for name in (rows[0] if rows else ()) if name not in same and not _is_empty(rows, name)]
    heading = [title, *(f"{name}: {value}" for name, value in same.items() if value not in EMPTY)]
    below = [one_line(not_computed) or verdict_line(lines), *notes]
    table = RichTable(
        title=Text("\n".join(map(one_line, heading)), "table.title"),
        title_justify="left",
        caption=Text("\n".join(part for part in below if part), "table.caption"),
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for name in shown:
        texts = [one_line(str(value)) for value in (name, *(row[name] for row in rows))]
        # Words of long labels and of verdicts may be on several lines; short labels and numbers are on one.
        wraps = name == "verdict" or (name in labels and any(len(text) > SHORT and " " in text for text in texts))
        parts = [word for text in texts for word in text.split()] if wraps else texts
        table.add_column(
            Text(one_line(name)),
            justify="right" if name in NUMBERS else "left",
            no_wrap=not wraps,
            min_width=max(map(len, parts), default=1) + MARK * (name == "verdict"),
            overflow="fold",
        )
    for row in _without_repetition(rows, [name for name in shown if name in labels]):
        table.add_row(
            *(Text(one_line(str(row[name])), STYLES[row["style"]] if name == "verdict" else "") for name in shown)
        )
    return table


def _with_numbered_notes(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows with the number of the note beside the verdict, and the notes."""
    notes = list(dict.fromkeys(one_line(row["note"]) for row in rows if row.get("note")))
    numbered = []
    for row in rows:
        number = f" [{notes.index(one_line(row['note'])) + 1}]" if row.get("note") else ""
        verdict = with_cause(MARKS[row["verdict"]], row) + number
        numbered.append(row | {"verdict": verdict, "note": "", "style": row["verdict"]})
    return numbered, [f"[{number}] {note}" for number, note in enumerate(notes, 1)]


def _is_empty(rows: list[dict[str, Any]], name: str) -> bool:
    return name in HIDDEN or all(row[name] in EMPTY for row in rows)


def _without_repetition(rows: list[dict[str, Any]], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows in which leading labels that equal those of the row above are empty; the last label is kept."""
    shorter: list[dict[str, Any]] = []
    above: dict[str, Any] = {}
    for row in rows:
        same = list(takewhile(lambda name: above.get(name) == row[name], labels[:-1]))  # noqa: B023
        shorter.append(row | dict.fromkeys(same, ""))
        above = row
    return shorter
