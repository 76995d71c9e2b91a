"""The published tables recomputed from the released scores, with the published rules and with ours.

The released scores are not in the package: the numbers are those of `recomputed.csv`, which names their source. With
the scores in the data home they are computed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from offnominal.core.directories import find_data_home
from offnominal.core.errors import DamagedFile
from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.novelty import measure_episode_novelty, measure_novelty
from offnominal.evaluation.novelty.novelty_metrics import NoveltyMetrics
from offnominal.papers.novelcraft.published import (
    LABELLED_CLASSES,
    PLUS,
    PublishedNumber,
    commented_rows,
    released_confusion,
)

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


FILE = Path("novelcraft", "released_scores.npz")
METHODS = {
    "NDCC": "NDCC",
    "ODIN": "ODIN",
    "Deep Ensemble": "DeepEnsemble",
    "One-Class SVM": "OCSVM",
    "Autoencoder": "AE",
}
MODELS = {"Visual": "AE", "Symbolic": "Symbolic", "Multimodal": "Multimodal"}
FIRST_NOVEL = {"fence": 14, "tree_easy": 15, "supplier": 12, "thief": 16}
"""Number of the first novel episode of each tournament; the episodes before it are normal."""
NORMAL = "normal"


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedEpisodes:
    """Frame scores of the episodes of Table 4.

    Args:
        scores: One array per episode, in the order of its frames.
        novelties: Type of novelty of each episode; None for a normal one.
    """

    scores: list[FloatArray]
    novelties: list[str | None]


def released_file() -> Path | None:
    """Return the file of the released scores, or None if it is not in the data home."""
    home = find_data_home()
    return home / FILE if home is not None and (home / FILE).is_file() else None


def released_frames(file: Path, method: str, training_data: str) -> tuple[FloatArray, BoolArray]:
    """Return scores and labels of the test frames of Tables 3 and E.1.

    Args:
        file: File of the released scores.
        method: Published name of the method.
        training_data: ``"NovelCraft"`` or ``"NovelCraft+"``.
    """
    arrays = _arrays(file)
    name = f"frame/{METHODS[method]}{'+' if training_data == PLUS else ''}"
    return arrays[f"{name}/score"], arrays[f"{name}/true"]


def released_episodes(file: Path, model: str, context: str) -> ReleasedEpisodes:
    """Return the frame scores of the episodes of Table 4.

    Args:
        file: File of the released scores.
        model: ``"Visual"``, ``"Symbolic"`` or ``"Multimodal"``.
        context: Number of context steps; empty for the visual model.
    """
    arrays = _arrays(file)
    name = f"episode/{MODELS[model]}{context}"
    frames: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)
    for path, score in zip(arrays[f"{name}/path"], arrays[f"{name}/score"], strict=True):
        kind, episode, frame = str(path).split("/")
        if kind == NORMAL or kind in FIRST_NOVEL:
            frames[kind, int(episode)][int(frame.split(".")[0])] = float(score)
    ordered = sorted(frames)
    return ReleasedEpisodes(
        [np.array([frames[key][frame] for frame in sorted(frames[key])]) for key in ordered],
        [kind if number >= FIRST_NOVEL.get(kind, number + 1) else None for kind, number in ordered],
    )


@cache
def _arrays(file: Path) -> dict[str, np.ndarray]:
    """Read the file."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (OSError, ValueError, KeyError) as error:
        raise DamagedFile(f"{file} cannot be read: {error}. Replace it by the released scores.") from None
