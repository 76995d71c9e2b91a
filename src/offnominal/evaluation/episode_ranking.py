"""Discrimination between whole episodes, for labels that are constant in each episode."""

from __future__ import annotations

import numpy as np

from offnominal.core.types import BoolArray
from offnominal.evaluation.bootstrap import Resamples
from offnominal.evaluation.estimate import Estimate
from offnominal.evaluation.ranking import rank_pooled
from offnominal.evaluation.step_scores import StepScores


def episode_auroc(
    steps: StepScores,
    faulty: BoolArray,
    drawn: Resamples,
    nominal: StepScores | None = None,
    drawn_nominal: Resamples | None = None,
) -> Estimate:
    """Return the AUROC of the largest score of each episode: faulty episodes against nominal ones.

    Args:
        steps: Scores of labelled episodes.
        faulty: (n,): whether each of them is faulty.
        drawn: Their bootstrap replicates.
        nominal: Scores of further nominal episodes.
        drawn_nominal: Their bootstrap replicates.

    Example:
        >>> scores = StepScores.of([[1.0, 5.0], [2.0, 2.0], [6.0, 0.0]])
        >>> episode_auroc(scores, np.array([True, False, True]), Resamples.draw(3, 0))
        Estimate(1.000)
    """
    values, labels, counts = steps.maxima(), faulty, drawn.counts
    if nominal is not None and drawn_nominal is not None:
        values = np.concatenate([values, nominal.maxima()])
        labels = np.concatenate([labels, np.zeros(len(nominal), np.bool_)])
        counts = np.ascontiguousarray(np.concatenate([counts, drawn_nominal.counts]))
    order = np.argsort(values)[::-1]
    ranked = values[order]
    last = np.append(ranked[1:] != ranked[:-1], True)[: len(ranked)]
    out = np.empty((3, counts.shape[1]))
    rank_pooled(order.astype(np.int64), labels[order], last, counts, out)
    units = drawn.units if drawn_nominal is None else drawn.units + drawn_nominal.units
    return Estimate.of(out[0], units)
