"""Novelty of single frames: a detector of the normal classes, and the frames of normal and novel classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from offnominal.core.types import FloatArray, Frames
from offnominal.datasets.novelcraft import LabelledImages
from offnominal.evaluation.novelty import choose_thresholds, measure_novelty
from offnominal.papers.novelcraft.cell import NoveltyCell
from offnominal.papers.novelcraft.image_scoring import build, fit_images, score_images
from offnominal.papers.novelcraft.novelty_sets import NoveltySets, class_names
from offnominal.papers.novelcraft.published import PLUS
from offnominal.papers.novelcraft.results import AS_PUBLISHED, FRAME_CLASSES, FRAMES, VALIDATION
from offnominal.papers.novelcraft.shared_network import shares_network, trained_network
from offnominal.papers.novelcraft.task_result import Row, TaskResult, columns, example, values
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
