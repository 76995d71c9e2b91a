"""Metrics of one row: ranking, operating point at a threshold, components, and the metrics as published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from offnominal.evaluation.bootstrap import REPLICATES, Resamples
from offnominal.evaluation.discrimination import Ranking
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.scenes.as_published import PublishedMetrics, measure_as_published
from offnominal.evaluation.scenes.components import ComponentMetrics, component_metrics
from offnominal.evaluation.scenes.elements import Unit
from offnominal.evaluation.scenes.rows import Row
from offnominal.evaluation.scenes.score_pool import ScorePool


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """Metrics at one threshold; an element is detected if its score is at least the threshold.

    Args:
        threshold: The threshold.
        f1: Harmonic mean of PPV and recall.
        ppv: Share of detected elements that are anomalous (precision).
        recall: Share of anomalous elements that are detected.
    """

    threshold: float
    f1: Estimate
    ppv: Estimate
    recall: Estimate


@dataclass(frozen=True, slots=True)
class SceneMetrics:
    """Metrics of the elements of one row. Intervals are bootstrapped over scenarios.

    Args:
        unit: What the elements are.
        group: Group of the row.
        name: Name of the row.
        frames: Number of frames.
        scenarios: Number of scenarios.
        positives: Number of anomalous elements.
        negatives: Number of other elements.
        ranking: AUROC, average precision (AUPR) and FPR95; undefined without elements of both kinds.
        operating: F1, PPV and recall at the threshold of the validation scenes; None without validation scenes.
        components: Component-level metrics at the same threshold; None without one, for points and for ranges.
        as_published: Metrics as the public code of AnoVox computes them; None unless requested.
    """

    unit: Unit
    group: str
    name: str
    frames: int
    scenarios: int
    positives: int
    negatives: int
    ranking: Ranking
    operating: OperatingPoint | None = None
    components: ComponentMetrics | None = None
    as_published: PublishedMetrics | None = None

    def numbers(self) -> dict[str, Estimate]:
        """Return every estimate by name."""
        found = {
            "auroc": self.ranking.auroc,
            "aupr": self.ranking.average_precision,
            "fpr95": self.ranking.fpr95,
        }
        if self.operating is not None:
            found |= {"f1": self.operating.f1, "ppv": self.operating.ppv, "recall": self.operating.recall}
        if self.components is not None:
            found |= {"f1_star": self.components.f1, "ppv_star": self.components.ppv, "siou": self.components.siou}
        return found

    def columns(self) -> dict[str, Any]:
        """Return a row of a table: names, counts, and each estimate with its interval."""
        found: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("unit", "group", "name", "frames", "scenarios", "positives", "negatives")
        }
        for name, number in self.numbers().items():
            found |= number.columns(name)
        return found


def measure_row(
    row: Row,
    unit: Unit,
    *,
    threshold: float | None = None,
    as_published: bool = False,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> SceneMetrics:
    """Return the metrics of a row.

    Args:
        row: The row.
        unit: Its elements.
        threshold: Threshold for F1, PPV and recall; None without them.
        as_published: Whether to compute the metrics of the public code as well.
        replicates: Bootstrap replicates.
        seed: Seed of the bootstrap.
    """
    pool = row.pool(unit)
    resamples = Resamples.draw(len(pool), replicates, seed=seed)
    both = bool(pool.n_positives and pool.n_negatives)
    return SceneMetrics(
        unit=unit,
        group=row.group,
        name=row.name,
        frames=len(row.frames),
        scenarios=len(pool),
        positives=pool.n_positives,
        negatives=pool.n_negatives,
        ranking=pool.ranking(resamples),
        operating=None if threshold is None else _operating(pool, threshold, resamples),
        components=_components(row, unit, resamples),
        as_published=measure_as_published(*pool.joined()) if as_published and both else None,
    )


def _operating(pool: ScorePool, threshold: float, resamples: Resamples) -> OperatingPoint:
    found, alarmed, missed = pool.counts_at(threshold)
    return OperatingPoint(
        threshold,
        f1=resamples.ratio(2.0 * found, 2.0 * found + alarmed + missed),
        ppv=resamples.ratio(found, found + alarmed),
        recall=resamples.ratio(found, found + missed),
    )


def _components(row: Row, unit: Unit, resamples: Resamples) -> ComponentMetrics | None:
    matches = [[each.components for each in frames] for frames in row.by_scenario(unit)]
    known = [[each for each in frames if each is not None] for frames in matches]
    if row.range is not None or not any(known):
        return None
    return component_metrics(known, resamples)
