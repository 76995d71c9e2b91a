"""The published tables recomputed from the released scores, with the published rules and with ours.

The released scores are not in the package: the numbers are those of `recomputed.csv`, which names their source. With
the scores in the data home they are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from offnominal.evaluation.novelty import measure_episode_novelty, measure_novelty
from offnominal.evaluation.novelty.novelty_metrics import NoveltyMetrics
from offnominal.papers.novelcraft.published import (
    LABELLED_CLASSES,
    PublishedNumber,
    commented_rows,
    released_confusion,
)
from offnominal.papers.novelcraft.released_scores import released_episodes, released_file, released_frames

METRICS = {
    "AUROC": "auroc",
    "AUPRC": "auprc",
    "TNR at TPR95": "tnr_at_tpr",
    "PPV at TPR95": "ppv_at_tpr",
    "delay at TPR95": "delay_at_tpr",
    "TNR at PPV80": "tnr_at_ppv",
    "TPR at PPV80": "tpr_at_ppv",
    "TNR at PPV95": "tnr_at_ppv",
    "TPR at PPV95": "tpr_at_ppv",
    "delay at PPV95": "delay_at_ppv",
}
"""Our name of each published metric."""

Numbers = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A number recomputed from released scores; None if it is undefined, or if its scores were not released.

    Args:
        as_published: With the rules of the public code.
        ours: With our rules.
    """

    as_published: float | None = None
    ours: float | None = None


def recompute(number: PublishedNumber) -> Recomputed:
    """Recompute a published number.

    The last frame of every released episode is left out, also with our rules, because the public code calls it faulty.
    With our rules the scores of the one-class SVM are negated: the released ones are higher for normal frames.
    """
    if number.table == "fig4":
        return _from_confusion(number)
    file = released_file()
    if file is None:
        return recomputed_numbers()[number.table, number.method, number.variant, number.metric]
    computed = _episodes if number.table == "4" else _frames
    rules = [computed(file, number.method, number.variant, published) for published in (True, False)]
    return Recomputed(*(each[METRICS[number.metric]] for each in rules))


@cache
def recomputed_numbers() -> dict[tuple[str, str, str, str], Recomputed]:
    """Return what `tools/recompute_novelcraft.py` computed from the released scores, by the name of each number."""
    return {
        (row["table"], row["method"], row["variant"], row["metric"]): Recomputed(
            *(float(row[name]) if row[name] else None for name in ("as_published", "ours"))
        )
        for row in commented_rows("recomputed.csv")
    }


@cache
def _frames(file: Path, method: str, training_data: str, as_published: bool) -> Numbers:
    scores, novel = released_frames(file, method, training_data)
    sign = -1.0 if method == "One-Class SVM" and not as_published else 1.0
    return _values(measure_novelty(sign * scores, novel, as_published=as_published, replicates=0))


@cache
def _episodes(file: Path, model: str, context: str, as_published: bool) -> Numbers:
    released = released_episodes(file, model, context)
    scores = released.scores if as_published else [row[:-1] for row in released.scores]
    found = measure_episode_novelty(scores, released.novelties, as_published=as_published, replicates=0)
    return {name: number.value for name, number in found.numbers().items()}


def _values(found: NoveltyMetrics) -> Numbers:
    return {name: number.value for name, number in found.numbers().items()}


def _from_confusion(number: PublishedNumber) -> Recomputed:
    """Return the accuracy of the released confusion matrix, which is of one method only."""
    if (number.method, number.variant) != ("SSKM", "GCD"):
        return Recomputed()
    _, confusion = released_confusion()
    classes = {"All": slice(None), "Labelled": slice(LABELLED_CLASSES), "New": slice(LABELLED_CLASSES, None)}
    rows = classes[number.metric]
    accuracy = float(confusion.diagonal()[rows].sum() / confusion[rows].sum())
    return Recomputed(accuracy, accuracy)
