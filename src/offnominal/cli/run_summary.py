"""What the terminal shows of a run: the leaderboard, failures by their cause, and cells without a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from offnominal.cli.output import out, print_json, print_sentence, print_table, print_text

if TYPE_CHECKING:
    from offnominal.studies.failure import Failure, FailureGroup
    from offnominal.studies.results import RunResults
    from offnominal.studies.runner import RunOutcome

NAMED = 20
"""Largest number of cells that a command lists by name."""


def finish_run(
    folder: Path, found: RunResults, outcome: RunOutcome | None, *, as_json: bool, untrained: bool = False
) -> Path:
    """Write the report, and print the leaderboard, the failures and the path of the page; return that path."""
    from offnominal.reports.report import leading_rows, write_report

    page = write_report(found, folder)
    if as_json:
        output: dict[str, Any] = {"page": str(page), "leaderboard": leading_rows(found), "missing": list(found.missing)}
        print_json(output | ({} if outcome is None else outcome.to_dict()))
        return page
    print_leaderboard(found, untrained=untrained)
    if outcome is not None:
        out.print(f"{outcome.computed} cells computed, {outcome.reused} reused, {outcome.wall_s:.0f} s.")
        print_failures(outcome.failures)
    failed = {failure["label"] for failure in found.failures}
    print_missing([label for label in found.missing if outcome is None or label not in failed])
    for name in found.manifest.get("missing", ()):
        print_text(_left_out(name))
    out.print(f"Report: [bold]{escape(str(page))}[/]", soft_wrap=True)
    return page


def _left_out(missing: str) -> str:
    """Return what to do about a table, or about the weights of a detector, that a run left out."""
    from offnominal.studies.detector_study import BACKBONE

    name, separator, backbone = missing.partition(f": {BACKBONE} ")
    if separator:
        return (
            f"{name}: not run, the weights of {backbone} are not in the data home; "
            f"`offnominal backbones fetch {backbone}` downloads them."
        )
    return f"{name} is missing and was left out; `offnominal tables fetch {name}` downloads it."


def print_leaderboard(found: RunResults, metric: str | None = None, *, part: str = "", untrained: bool = False) -> None:
    """Print the leaderboard of a run and what follows from it.

    Args:
        found: The run, or a part of it.
        metric: Metric of the ranking; None for the first one.
        part: Description of the part; empty for the whole run.
        untrained: Whether to show networks without training.
    """
    from offnominal.studies.kinds import study_kind
    from offnominal.studies.untrained import untrained_names

    kind = study_kind(found.kind)
    rows, hidden = kind.summary(found, metric), set() if untrained else untrained_names(found.table)
    shown = [row for row in rows if row.get("detector") not in hidden]
    print_table(f"{found.title}: leaderboard{part}", shown)
    for line in kind.findings(found) if metric is None else ():
        print_sentence(line)
    if len(shown) < len(rows):
        print_text(f"{len(rows) - len(shown)} untrained baselines are not shown; --all shows them.")


def print_failures(failures: Iterable[Failure]) -> None:
    """Print failures, those of the same cause together."""
    from offnominal.studies.failure import group_failures

    found = list(failures)
    for group in group_failures(found):
        _print_group(group)
    if found:
        out.print(f"{_where_errors_are()}; --retry runs these cells again.", markup=False, soft_wrap=True)
    if not all(failure.final for failure in found):
        out.print("Run the same command again to retry cells that were killed or ran out of memory.")


def _where_errors_are() -> str:
    """Return how to see full errors with what is installed."""
    query = '`offnominal results "SELECT * FROM failures"`'
    if find_spec("duckdb") is not None:
        return f"{query} shows the full errors"
    return f'after `pip install "offnominal[results]"`, {query} shows the full errors'


def _print_group(group: FailureGroup) -> None:
    """Print the error once, with the cells that it stopped and one traceback."""
    from offnominal.core.printable import one_line, printable
    from offnominal.studies.failure import is_expected

    cells = "1 cell" if len(group.labels) == 1 else f"{len(group.labels)} cells"
    message = one_line(group.first.message) + ("" if group.messages == 1 else " (messages differ in details)")
    out.print(
        f"[red]{cells} failed[/] with [bold]{escape(group.first.error)}[/]: {escape(message)}",
        highlight=False,
        soft_wrap=True,
    )
    _print_labels(group.labels, out)
    if group.first.traceback and not is_expected(group.first):
        out.print(printable(group.first.traceback.rstrip()), style="dim", highlight=False, markup=False, soft_wrap=True)


def print_missing(labels: Sequence[str], *, stderr: bool = False) -> None:
    """Print the labels of cells without a result."""
    if not labels:
        return
    console = Console(stderr=True) if stderr else out
    console.print(f"[red]{len(labels)} cells have no result and are omitted; run the study again:[/]", soft_wrap=True)
    _print_labels(labels, console)


def _print_labels(labels: Sequence[str], console: Console) -> None:
    from offnominal.core.printable import one_line

    for label in labels[:NAMED]:
        console.print(f"  {escape(one_line(label))}", highlight=False, soft_wrap=True)
    if len(labels) > NAMED:
        console.print(f"  and {len(labels) - NAMED} more; --json lists all of them.")
