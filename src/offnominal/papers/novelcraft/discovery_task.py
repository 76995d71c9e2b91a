"""Category discovery: clusters of the features of labelled and unlabelled frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.checks import one_of
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.discovery import SSGMM, SSKM, UNLABELLED, ContrastiveEncoder, estimate_n_clusters
from offnominal.evaluation.novelty import measure_discovery
from offnominal.papers.novelcraft.cell import NoveltyCell
from offnominal.papers.novelcraft.computed import Arrays, computed_once
from offnominal.papers.novelcraft.image_scoring import build, fit_images, image_features
from offnominal.papers.novelcraft.novelty_sets import NoveltySets
from offnominal.papers.novelcraft.results import DISCOVERY, DISCOVERY_CLASSES
from offnominal.papers.novelcraft.task_result import Row, TaskResult, columns, example
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.resource_meter import ResourceMeter

ESTIMATED = "estimated"
CLUSTERINGS: dict[str, Any] = {"SSKM": SSKM, "SSGMM": SSGMM}
MOST = 3
"""Largest estimated number of clusters, as a multiple of the number of labelled classes."""
BOOTSTRAP = 0


def run_discovery(cell: NoveltyCell, sets: NoveltySets, meter: ResourceMeter, code: str) -> TaskResult:
    """Cluster the validation frames with the help of the labelled training frames.

    The protocol is transductive: accuracies are those of the clustered frames without labels.

    Args:
        cell: The cell.
        sets: Its set.
        meter: Measures clustering and evaluation.
        code: Hash of the code of the detector.
    """
    one_of("the name of a clustering", cell.name, tuple(CLUSTERINGS))
    train, valid = sets.labelled("train"), sets.labelled("valid")
    entry = cell.detectors[0]
    stored = computed_once("features", entry, sets, cell.seed, code, lambda: _features(entry, sets, cell.seed))
    labels = np.concatenate([train.labels, np.full(len(valid), UNLABELLED)])
    known = len(np.unique(np.concatenate([train.labels, valid.labels])))
    with meter("score"):
        clusters, k = _clustered(cell, stored["features"], labels, known)
    with meter("evaluate"):
        labelled = np.unique(train.labels).tolist()
        found = measure_discovery(
            valid.labels,
            clusters[len(train) :],
            labelled,
            episodes=valid.episode_ids,
            replicates=cell.replicates,
            seed=BOOTSTRAP,
        )
    row: Row = {"task_name": DISCOVERY, "split": DISCOVERY, "n_clusters": float(k), "n_classes": float(known)}
    names = [train.classes[number] for number in found.classes.tolist()]
    shares = [
        {"task_name": DISCOVERY_CLASSES, "split": f"{DISCOVERY}/{name}", "row_name": name, "accuracy": share}
        for name, share in zip(names, found.by_class().values(), strict=True)
    ]
    label = f"{sum(number in labelled for number in found.classes.tolist())}|{','.join(names)}"
    shown = [example("confusion", label, True, found.confusion.ravel())]
    cost = {"fit_cpu_s": float(stored["cpu"][0])}
    return TaskResult([row | columns(found.numbers()), *shares], shown, len(labels), cost)


def _features(entry: DetectorEntry, sets: NoveltySets, seed: int) -> Arrays:
    """Return the features of the training frames and of the validation frames."""
    meter, detector = ResourceMeter(), build(entry)
    train, valid = sets.labelled("train"), sets.labelled("valid")
    images = np.concatenate([sets.pixels("train"), sets.pixels("valid")])
    labels = np.concatenate([train.labels, np.full(len(valid), UNLABELLED)])
    # Only an encoder learns from images without labels.
    n = len(images) if isinstance(detector, ContrastiveEncoder) else len(train)
    with meter("fit"):
        fit_images(detector, images[:n], labels[:n], (*train.episode_ids, *valid.episode_ids)[:n], seed)
        features = image_features(detector, images)
    return {"features": features, "cpu": np.array([meter.cpu["fit"]])}


def _clustered(cell: NoveltyCell, features: FloatArray, labels: IntArray, known: int) -> tuple[IntArray, int]:
    """Return the cluster of each row, and the number of clusters."""
    parameters = dict(cell.parameters)
    k = parameters.pop("n_clusters", known)
    if k == ESTIMATED:
        most = min(MOST * len(np.unique(labels[labels != UNLABELLED])), len(labels) - 1)
        k = estimate_n_clusters(features, labels, most, seed=cell.seed)
    found: IntArray = CLUSTERINGS[cell.name](k, **parameters).fit(features, labels, seed=cell.seed).labels_
    return found, k
