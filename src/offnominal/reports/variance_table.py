"""The table and the page section of the variance of the headline metrics, in parts."""

from __future__ import annotations

from typing import Any

from offnominal.core.rounding import fixed
from offnominal.evaluation.metrics import METRICS
from offnominal.evaluation.variance_split import EPISODES, VariancePart
from offnominal.reports.sections import PageSection
from offnominal.reports.study_tables import StudyTable
from offnominal.reports.table_section import table_section
from offnominal.studies.results import STUDY, RunResults
from offnominal.studies.variance import MetricVariance, variance_of

HEADLINES = ("net_detection", "matched_auroc")
"""Metrics whose variance is split."""
NAME = "variance"
TITLE = "Where the variance of a result comes from"
NOTE = (
    "Shares of the variance of one number (one world, fault, policy and training of the detector) with 95 % intervals; "
    "sd is the square root of the whole. “policy” and “training” include what they change for single faults only. An "
    "asterisk marks policies whose variance is above 0 beyond its 95 % interval. A dash: the design cannot tell, as "
    "of detectors with one training, whose trainings count among the policies."
)
Row = dict[str, Any]


def variance_table(results: RunResults) -> StudyTable | None:
    """Return the variance of the headline metrics in parts, or None if no world of the run has several policies.

    Args:
        results: The run.
    """
    if results.kind != STUDY or not _several(results.table):
        return None
    rows: list[Row] = []
    numbers: list[Row] = []
    for metric in HEADLINES:
        if metric in results.table.column_names:
            for found in variance_of(results.table, metric):
                rows.append(_shown(found))
                numbers += _numbers(found)
    return StudyTable(NAME, TITLE, rows, numbers, note=NOTE, label="Variance") if rows else None


def variance_section(results: RunResults) -> PageSection | None:
    """Return the section of a page with this table, or None."""
    table = variance_table(results)
    return None if table is None else table_section(table)


def _several(table: Any) -> bool:
    """Whether some world has several policies."""
    if not {"world", "policy", "alarm"} <= set(table.column_names):
        return False
    pairs = set(zip(table["world"].to_pylist(), table["policy"].to_pylist(), strict=True))
    return len(pairs) > len({world for world, _ in pairs})


def _shown(found: MetricVariance) -> Row:
    parts, split = found.split.parts, found.split
    return {
        "metric": METRICS[found.metric].label,
        "detector": found.name,
        "mean": fixed(found.mean, 3),
        "sd": fixed(split.total**0.5, 3),
        "world": _share(parts.get("world")),
        "fault": _share(parts["fault"]),
        "policy": _share(split.policies, mark=True),
        "training": _share(split.trainings),
        EPISODES: _share(parts.get(EPISODES)),
    }


def _share(part: VariancePart | None, *, mark: bool = False) -> str | None:
    if part is None or part.share is None or part.share_low is None or part.share_high is None:
        return None
    text = f"{fixed(part.share, 2)} [{fixed(part.share_low, 2)}, {fixed(part.share_high, 2)}]"
    return f"{text} *" if mark and part.low else text


def _numbers(found: MetricVariance) -> list[Row]:
    split = found.split
    together = {"all of policy": split.policies} | ({"all of training": split.trainings} if split.trainings else {})
    about = {"metric": found.metric, "detector": found.name, "mean": found.mean, "total": split.total}
    sizes = {name: getattr(found, name) for name in ("worlds", "faults", "policies", "trainings", "left_out")}
    return [
        about | {"part": name} | {field: getattr(part, field) for field in VariancePart.__slots__} | sizes
        for name, part in {**split.parts, **together}.items()
    ]
