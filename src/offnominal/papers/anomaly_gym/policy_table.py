"""Table 5: normalised scores and detectors under three policies."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from offnominal.evaluation.estimate import Estimate, average
from offnominal.kinds.faults.study import Study
from offnominal.papers.anomaly_gym.evidence import policy_scores
from offnominal.papers.anomaly_gym.published_numbers import COUNTERPARTS, LEVELS, PAPER, world_id
from offnominal.papers.printed_values import Row, printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.leaderboards import pivot
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

SCORES, VECTORS, IMAGES = "a", "b", "c"
"""Parts of the table."""
SUBSTITUTES = {"RES-KNN": ("RES-KNN", "KNN-encoder")}
"""Our detectors that stand for a published one, in the order of preference."""


def table_5(results: RunResults) -> list[PublishedComparison]:
    """Compare the normalised scores of policies under strong faults, and vector detectors under each policy.

    The AUROC is the mean of *tiny* and *strong*: that of Tables 12 and 13 over the three worlds of the paper is the
    published value of MLP-DM and LRDM under TQC. A run without one of these worlds has no such mean.
    """
    scores = policy_scores() if results.table.num_rows else {}
    return [
        *_lines(SCORES, lambda row: scores.get((world_id(row["env"]), row["policy"].lower()), Estimate(None))),
        *_detectors(VECTORS, results),
    ]


def table_5_images(results: RunResults) -> list[PublishedComparison]:
    """Compare image detectors under each policy."""
    return _detectors(IMAGES, results)


def _detectors(part: str, results: RunResults) -> list[PublishedComparison]:
    measured = _by_policy(results)

    def ours(row: Row) -> Estimate:
        names = SUBSTITUTES.get(row["detector"], (row["detector"],))
        found = (measured.get((name, row["policy"].lower())) for name in names)
        return next((each for each in found if each is not None), Estimate(None))

    return _lines(part, ours)


def without_means(study: Study) -> str:
    """Return why a run of a study has no mean AUROC of Table 5; empty if it has all its worlds and levels."""
    levels = LEVELS if study.data.levels is None else study.data.levels
    lacking = [world for world in dict.fromkeys(_worlds()) if world not in study.worlds]
    lacking += [f"level {level}" for level in LEVELS if level not in levels]
    return f"its numbers are means, and the run lacks {', '.join(lacking)}" if lacking else ""


def _lines(part: str, ours: Callable[[Row], Estimate]) -> list[PublishedComparison]:
    return [
        PublishedComparison(
            {"part": row["part"], "world or detector": row["env"] or row["detector"], "policy": row["policy"]},
            ours(row),
            float(row["value"]),
            protocol(PAPER).rule("score"),
        )
        for row in printed_values(PAPER, "table_5")
        if row["part"] == part
    ]


def _by_policy(results: RunResults) -> dict[tuple[str, str], Estimate]:
    """Return the mean AUROC over all worlds of the table and both levels by detector and policy."""
    if not results.table.num_rows:
        return {}
    found: dict[tuple[str, str], dict[tuple[str, str], Estimate]] = {}
    measured = MetricTable.of(results.table, "auroc")
    for level in LEVELS:
        for (place, name), ours in pivot(measured.where(level=level), "auroc", "world", "name").items():
            world, _, policy = place.removesuffix(")").rpartition(" (")
            if name in COUNTERPARTS:
                found.setdefault((name, policy), {})[world, level] = ours
    whole = set(product(_worlds(), LEVELS))
    return {key: average(list(known.values())) for key, known in found.items() if whole <= set(known)}


def _worlds() -> list[str]:
    """Return the worlds that the published numbers are means over."""
    return [world_id(row["env"]) for row in printed_values(PAPER, "table_5") if row["part"] == SCORES]
