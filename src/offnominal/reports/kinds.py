"""The kinds of studies and what reports on each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.registry import Spec
from offnominal.studies.results import RunResults

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ReportKind:
    """How runs of one kind of study are reported.

    Args:
        write: Writes page, tables and figures into a folder and returns the page.
        leaders: Returns the leaderboard, best first.
    """

    write: Callable[[RunResults, Path], Path]
    leaders: Callable[[RunResults], Rows]


REPORTS = {
    spec.id: spec
    for spec in (
        Spec("study", "offnominal.reports.study_report:REPORT", "detectors on faults"),
        Spec("search", "offnominal.papers.comparison.report:REPORT", "row detectors on tables"),
        Spec("image-search", "offnominal.papers.comparison.report:REPORT", "detectors on image sets"),
        Spec("ood-rl", "offnominal.papers.ood_rl.report:REPORT", "agents in modified environments"),
    )
}
"""What reports on a kind of study, by the ``kind`` in the configuration of the study; imported on first use."""


def report_kind(results: RunResults) -> ReportKind:
    """Return how a run is reported, or raise :class:`UnknownName` for a kind of study that has no report.

    Example:
        >>> import pyarrow as pa
        >>> manifest = {"config": {"kind": "serach"}}
        >>> report_kind(RunResults("toy", "A toy", "", "quick", manifest, pa.table({}), pa.table({})))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no report for studies of kind 'serach'. Did you mean 'search'? There are ...
    """
    if results.kind not in REPORTS:
        raise UnknownName(
            f"no report for studies of kind {results.kind!r}.{did_you_mean(results.kind, REPORTS)} "
            f"There are those of {', '.join(REPORTS)}."
        )
    found: ReportKind = REPORTS[results.kind].load()
    return found
