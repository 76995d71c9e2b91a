"""Novelty of whole episodes: the highest score of an episode, and the delay until its first alarm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from offnominal.core.types import Array, FloatArray
from offnominal.evaluation.bootstrap import REPLICATES
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.novelty.novelty_delay import NoveltyDelays, measure_novelty_delays, novelty_names
from offnominal.evaluation.novelty.novelty_metrics import TPR, NoveltyMetrics, choose_thresholds, measure_novelty
from offnominal.evaluation.novelty.weighting import EPISODE_WEIGHTING, Weighting
from offnominal.evaluation.step_scores import StepScores
from offnominal.evaluation.timing import HORIZON

EPISODE_PPV = 0.95


@dataclass(frozen=True, slots=True)
class EpisodeNovelty:
    """Metrics of normal and novel episodes.

    Args:
        metrics: Ranking and operating points of all episodes.
        delays_at_tpr: Delays at the threshold of the required TPR.
        delays_at_ppv: Delays at the threshold of the required precision; None if no threshold reaches it.
        auroc_by_type: AUROC of the episodes of each type of novelty against all normal episodes. Below 0.5 the novel
            episodes look more normal than the normal ones, which the AUROC of all episodes hides.
    """

    metrics: NoveltyMetrics
    delays_at_tpr: NoveltyDelays
    delays_at_ppv: NoveltyDelays | None
    auroc_by_type: Mapping[str, Estimate]

    def numbers(self) -> dict[str, Estimate]:
        """Return all numbers that are about every type by name; undefined ones included."""
        missing = Estimate(None)
        found = self.metrics.numbers()
        for name, delays in (("at_tpr", self.delays_at_tpr), ("at_ppv", self.delays_at_ppv)):
            found[f"delay_{name}"] = missing if delays is None else delays.mean_delay
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Return one row of a table per type of novelty, with delays at the required TPR."""
        return [row | self.auroc_by_type[row["novelty"]].columns("auroc") for row in self.delays_at_tpr.rows()]


def measure_episode_novelty(
    scores: Sequence[Array],
    novelties: Sequence[str | None],
    *,
    weighting: Weighting = EPISODE_WEIGHTING,
    tpr: float = TPR,
    ppv: float = EPISODE_PPV,
    thresholds: tuple[float | None, float | None] | None = None,
    horizon: int = HORIZON,
    as_published: bool = False,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> EpisodeNovelty:
    """Measure how well and how soon the frame scores of an episode show that it is novel.

    The score of an episode is its highest frame score. As published, the last frame is left out of the maximum, though
    not of the delays.

    Args:
        scores: One array per episode with a score for each frame.
        novelties: Type of novelty of each episode; None for a normal one.
        weighting: Weights of normal and novel episodes for precisions.
        tpr: Required TPR.
        ppv: Required precision.
        thresholds: The two thresholds, such as those of :func:`choose_episode_thresholds` on validation episodes;
            chosen on these episodes if None.
        horizon: Horizon of the mean delay in which a miss costs the horizon, in frames.
        as_published: Whether to use the rules of the public code of NovelCraft, without intervals.
        replicates: Bootstrap replicates over episodes.
        seed: Seed of the bootstrap.

    Example:
        >>> scores = [[1, 2, 1], [1, 9, 1], [1, 1, 8], [1, 1, 3]]
        >>> found = measure_episode_novelty(scores, [None, "tree", "fence", "fence"], replicates=0)
        >>> found.metrics.auroc, found.delays_at_tpr.mean_delay, found.auroc_by_type
        (Estimate(1.000), Estimate(1.500), {'tree': Estimate(1.000), 'fence': Estimate(1.000)})
    """
    highest = episode_scores(scores, as_published=as_published)
    novel = np.array([each is not None for each in novelties])
    names = novelty_names(novelties, len(highest))
    options: dict[str, Any] = {"as_published": as_published, "replicates": 0 if as_published else replicates}
    metrics = measure_novelty(
        highest, novel, weighting=weighting, tpr=tpr, ppv=ppv, thresholds=thresholds, seed=seed, **options
    )
    delays = [
        None
        if point.threshold is None
        else measure_novelty_delays(scores, novelties, point.threshold, horizon=horizon, seed=seed, **options)
        for point in (metrics.at_tpr, metrics.at_ppv)
    ]
    if delays[0] is None:
        raise InvalidLabels("the threshold of the required TPR is None; give a number.")
    by_type = {}
    for name in names:
        chosen = np.array([each is None or each == name for each in novelties])
        by_type[name] = measure_novelty(highest[chosen], novel[chosen], seed=seed, **options).auroc
    return EpisodeNovelty(metrics, delays[0], delays[1], by_type)


def choose_episode_thresholds(
    scores: Sequence[Array],
    novelties: Sequence[str | None],
    *,
    weighting: Weighting = EPISODE_WEIGHTING,
    tpr: float = TPR,
    ppv: float = EPISODE_PPV,
) -> tuple[float | None, float | None]:
    """Return the thresholds for a required TPR and a required precision on validation episodes.

    Example:
        >>> choose_episode_thresholds([[1, 2], [3, 1], [0, 1]], ["tree", None, None])
        (2.0, None)
    """
    novel = np.array([each is not None for each in novelties])
    return choose_thresholds(episode_scores(scores), novel, weighting=weighting, tpr=tpr, ppv=ppv)


def episode_scores(scores: Sequence[Array], *, as_published: bool = False) -> FloatArray:
    """Return the highest frame score of each episode.

    Args:
        scores: One array per episode.
        as_published: Whether to leave out the last frame of each episode.
    """
    return StepScores.of([row[:-1] if as_published else row for row in scores]).maxima()
