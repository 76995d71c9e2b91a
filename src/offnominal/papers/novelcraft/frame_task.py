"""Novelty of single frames: a detector of the normal classes, and the frames of normal and novel classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, TypeGuard

import numpy as np

from offnominal.core.device import choose_device
from offnominal.core.types import FloatArray, Frames
from offnominal.datasets.novelcraft import LabelledImages
from offnominal.detectors.classifiers import ImageClassifier, MaxLogit
from offnominal.evaluation.novelty import choose_thresholds, measure_novelty
from offnominal.papers.novelcraft.cell import NoveltyCell
from offnominal.papers.novelcraft.computed import Arrays, computed_once
from offnominal.papers.novelcraft.image_scoring import build, fit_images, score_images
from offnominal.papers.novelcraft.novelty_sets import NoveltySets, class_names
from offnominal.papers.novelcraft.published import PLUS
from offnominal.papers.novelcraft.results import AS_PUBLISHED, FRAME_CLASSES, FRAMES, VALIDATION
from offnominal.papers.novelcraft.task_result import Row, TaskResult, columns, example, values
from offnominal.studies.detector_study import DetectorEntry
from offnominal.studies.resource_meter import ResourceMeter

BOOTSTRAP = 0
"""Seed of the bootstrap of all cells, so that differences between methods are paired."""
SHOWN = 8
"""Frames with the highest and with the lowest scores that the report shows."""


def run_frames(cell: NoveltyCell, sets: NoveltySets, meter: ResourceMeter, network_code: str) -> TaskResult:
    """Fit a detector to the normal classes and evaluate it on the test frames.

    Args:
        cell: The cell.
        sets: Its set.
        meter: Measures fitting, scoring and evaluation.
        network_code: Hash of the code of the classifier that several detectors share.
    """
    plus = cell.variant == PLUS
    train, valid, test = sets.labelled("train", plus=plus), sets.labelled("valid"), sets.labelled("test")
    images, shown = sets.pixels("train", plus=plus), sets.pixels("test")
    detector = build(cell.detectors[0])
    cost: dict[str, float] = {}
    if shares_network(detector):
        trained, spent = trained_network(detector, sets, cell.seed, network_code, plus=plus)
        with meter("fit"):
            detector.fit_with(trained, images, train.labels, seed=cell.seed)
        cost = {"fit_cpu_s": spent + meter.cpu["fit"]}
    else:
        with meter("fit"):
            fit_images(detector, images, train.labels, train.episode_ids, cell.seed)
    with meter("score"):
        known, scores = score_images(detector, sets.pixels("valid")), score_images(detector, shown)
    with meter("evaluate"):
        rows = [_frame_row(cell, known, valid, scores, test), *_class_rows(cell, scores, test)]
    return TaskResult(rows, list(_examples(scores, test, shown)), len(known) + len(scores), cost)


def _frame_row(
    cell: NoveltyCell, known: FloatArray, valid: LabelledImages, scores: FloatArray, test: LabelledImages
) -> Row:
    """Return the metrics of all test frames: with our rules, as published, and with thresholds of the validation."""
    options = {"replicates": cell.replicates, "seed": BOOTSTRAP}
    found = measure_novelty(scores, test.novel, episodes=test.episode_ids, **options)  # type: ignore[arg-type]
    published = measure_novelty(scores, test.novel, as_published=True)
    row = {"task_name": FRAMES, "split": FRAMES, "normal": found.normal, "novel": found.novel}
    row |= columns(found.numbers()) | values(published.numbers(), AS_PUBLISHED)
    if valid.novel.any() and not valid.novel.all():
        thresholds = choose_thresholds(known, valid.novel)
        chosen = measure_novelty(scores, test.novel, thresholds=thresholds, replicates=0).numbers()
        row |= values({name: chosen[name] for name in chosen if "_at_" in name}, VALIDATION)
    return row


def _class_rows(cell: NoveltyCell, scores: FloatArray, test: LabelledImages) -> Iterator[Row]:
    """Yield the AUROC of each novel class against all normal test frames."""
    names = np.array(class_names(test))
    owners = np.array(test.episode_ids)
    for name in dict.fromkeys(names[test.novel].tolist()):
        chosen = ~test.novel | (names == name)
        found = measure_novelty(
            scores[chosen],
            test.novel[chosen],
            episodes=owners[chosen].tolist(),
            replicates=cell.replicates,
            seed=BOOTSTRAP,
        )
        row = {"task_name": FRAME_CLASSES, "split": f"{FRAMES}/{name}", "row_name": name, "novel": found.novel}
        yield row | columns({"auroc": found.auroc}) | {"fraction": float(test.fractions[names == name].mean())}


def _examples(scores: FloatArray, test: LabelledImages, pixels: Frames) -> Iterator[Row]:
    """Yield the frames with the highest and with the lowest scores, at most one of each episode."""
    names = class_names(test)
    for group, sign in (("highest", -1.0), ("lowest", 1.0)):
        used: set[str] = set()
        for row in np.argsort(sign * scores, kind="stable").tolist():
            if len(used) == SHOWN:
                break
            if test.episode_ids[row] not in used:
                used.add(test.episode_ids[row])
                yield example(group, names[row], bool(test.novel[row]), [scores[row]], pixels[row])


CPU_TIME = "cpu"
STATE = "state."


def trained_network(
    detector: ImageClassifier, sets: NoveltySets, seed: int, code: str, *, plus: bool = False
) -> tuple[ImageClassifier, float]:
    """Return a fitted detector with the network of another one, and the processor time of its training.

    A network depends on the parameters of the training, on the images, the seed and the device, and not on the score
    of a detector. So it is trained once for all detectors that differ in their score only, and stored in the data home.
    :meth:`~offnominal.detectors.classifiers.ImageClassifier.fit_with` gives it to the others.

    Args:
        detector: A detector for which :func:`shares_network` holds.
        sets: The set.
        seed: Training seed.
        code: Hash of the code of the network and its training.
        plus: Whether it is trained on NovelCraft+.
    """
    parameters = {field.name: getattr(detector, field.name) for field in fields(ImageClassifier)}
    entry = DetectorEntry("classifier", "MaxLogit", parameters)
    name = f"network-{'train+' if plus else 'train'}-{choose_device(detector.device).type}"
    stored = computed_once(name, entry, sets, seed, code, lambda: _computed(parameters, sets, seed, plus))
    trained = MaxLogit(**parameters)
    trained.load_state_dict({name.removeprefix(STATE): each for name, each in stored.items() if name != CPU_TIME})
    return trained, float(stored[CPU_TIME])


def _computed(parameters: dict[str, Any], sets: NoveltySets, seed: int, plus: bool) -> Arrays:
    """Train a network, and return the state of its detector and the processor time."""
    meter, labels = ResourceMeter(), sets.labelled("train", plus=plus).labels
    with meter("fit"):
        state = MaxLogit(**parameters).fit(sets.pixels("train", plus=plus), labels, seed=seed).state_dict()
    return {CPU_TIME: np.array(meter.cpu["fit"]), **{f"{STATE}{name}": each for name, each in state.items()}}


def shares_network(detector: Any) -> TypeGuard[ImageClassifier]:
    """Whether the network of a detector does not depend on its score.

    Example:
        >>> from offnominal.detectors.classifiers import NDCC, ODIN
        >>> shares_network(ODIN()), shares_network(NDCC())
        (True, False)
    """
    return isinstance(detector, ImageClassifier) and type(detector)._network is ImageClassifier._network
