"""Tables 3, 12 and 13: how well the scores of each detector separate nominal from faulty steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate, average
from offnominal.kinds.faults.study import Study
from offnominal.papers.anomaly_gym.published_intervals import with_published_sampling, with_training_intervals
from offnominal.papers.anomaly_gym.published_numbers import (
    ADDED_FAULTS,
    COUNTERPARTS,
    GROUPS,
    IMAGE_DETECTORS,
    LEVELS,
    METRIC_NAMES,
    PAPER,
    published_by_group,
    published_by_world,
    worlds_with_same_numbers,
)
from offnominal.papers.protocol import protocol
from offnominal.studies.leaderboards import interval_ends, pivot
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.published_comparison import Flaw, PublishedComparison
from offnominal.studies.results import RunResults

IMAGES = "anomaly-gym-images"
METRIC_OF = {title: metric for metric, title in METRIC_NAMES.items()}


def table_3(results: RunResults) -> list[PublishedComparison]:
    """Compare the local AUROC by group of worlds and kind of fault; ours needs all worlds of a group."""
    measured = _measured(results, "auroc") if results.table.num_rows else None
    lines = []
    for (group, kind, level, detector), published in published_by_group().items():
        if (detector in IMAGE_DETECTORS) == _of_images(results):
            part = None if measured is None else measured.where(kind=kind, level=level)
            ours = Estimate(None) if part is None else _of_group(part, GROUPS[group], detector)
            labels = {"level": level, "detector": detector, "worlds": group, "faults": kind}
            note = remark(group, level, detector, kind)
            lines.append(PublishedComparison(labels, ours, published, protocol(PAPER).rule("share"), note))
    return lines


def without_group(study: Study) -> str:
    """Return why a run of a study has no number for Table 3; empty if it has all worlds of a group."""
    if any(set(group) <= set(study.worlds) for group in GROUPS.values()):
        return ""
    return f"its numbers are means over groups of worlds, and none of the groups is among {', '.join(study.worlds)}"


def every_metric(results: RunResults) -> list[PublishedComparison]:
    """Compare every metric of every detector, world and level.

    Intervals are those of another run like the published one: over its episodes, and where a run has several trainings
    of a detector, of one more.
    """
    return list(_by_world(results) if results.table.num_rows else _published_alone(results))


def every_metric_as_published(results: RunResults) -> list[PublishedComparison]:
    """Compare every metric of a run with the errors of the public code, about which nothing is remarked."""
    return [PublishedComparison(line.labels, line.ours, line.published, line.rule) for line in every_metric(results)]


def _line(labels: dict[str, str], ours: Estimate, published: float | None) -> PublishedComparison:
    """Return a value of Table 12 or 13 with what is known about the published one."""
    world, level, detector = (labels[name] for name in ("world", "level", "detector"))
    note, flaw = remark(world, level, detector), flaw_of(world, detector)
    return PublishedComparison(labels, ours, published, protocol(PAPER).rule("share"), note, flaw)


def _of_group(measured: MetricTable, worlds: tuple[str, ...], detector: str) -> Estimate:
    """Return the mean of a detector over some worlds, undefined if one of them is missing."""
    means = pivot(measured, "auroc", "world", "name", names=(detector,))
    complete = all((world, detector) in means for world in worlds)
    return average([means[world, detector] for world in worlds]) if complete else Estimate(None)


def _by_world(results: RunResults) -> Iterator[PublishedComparison]:
    published = published_by_world()
    for metric, title in METRIC_NAMES.items():
        measured = _measured(results, metric)
        for level in LEVELS:
            part = measured.where(level=level)
            means = with_training_intervals(part, pivot(part, metric, "world", "name"))
            for (world, detector), ours in means.items():
                counterpart = COUNTERPARTS.get(detector)
                if counterpart is not None:
                    labels = {"world": world, "level": level, "detector": detector, "metric": title}
                    value = published.get((world, level, counterpart, metric))
                    line = _line(labels, ours, value)
                    if counterpart == detector:
                        yield line
                    else:
                        yield PublishedComparison(labels, ours, None, note=_beside(counterpart, value, line.note))


def _beside(counterpart: str, published: float | None, note: str) -> str:
    """Return the published number of a detector with another network, which is not compared."""
    return note if published is None else f"{counterpart} {published:.2f}; {note}"


def _published_alone(results: RunResults) -> Iterator[PublishedComparison]:
    """Yield the published numbers of vectors or of images, without ours."""
    for (world, level, detector, metric), value in published_by_world().items():
        if (detector in IMAGE_DETECTORS) == _of_images(results):
            labels = {"world": world, "level": level, "detector": detector, "metric": METRIC_NAMES[metric]}
            yield _line(labels, Estimate(None), value)


def _of_images(results: RunResults) -> bool:
    return results.name.startswith(IMAGES)


def _measured(results: RunResults, metric: str) -> MetricTable:
    """Return a metric of a run without the faults that the published numbers leave out; see :func:`every_metric`."""
    measured = with_published_sampling(with_replicates(results.table, metric), results.table)
    left_out = [
        split.rpartition("@")[0] in ADDED_FAULTS.get(world, ())
        for world, split in zip(measured.world, measured.split, strict=True)
    ]
    return measured.take(~np.array(left_out, np.bool_))


POOLED = "pooled_"


def with_replicates(table: Any, metric: str) -> MetricTable:
    """Return a metric of a run; replicates of a pooled metric that were not stored are approximated.

    Older results have only the interval of each pooled number, which is not enough for that of a mean over splits: the
    same episodes are drawn for all splits, so their replicates are correlated. Those of the local metric, which are
    stored, have nearly the same correlation. They are moved to the pooled number and scaled to its interval. In 126
    means with stored replicates, such approximated intervals have 0.73 to 1.24 of the true width, 1.0 in the middle.

    Args:
        table: Rows of a run.
        metric: A column of numbers.
    """
    measured = MetricTable.of(table, metric)
    stored = {f"draws_{metric.removeprefix(POOLED)}", f"{metric}_low", f"{metric}_high"}
    if not metric.startswith(POOLED) or not stored <= set(table.column_names):
        return measured
    local = MetricTable.of(table, metric.removeprefix(POOLED))
    low, high = (MetricTable.of(table, f"{metric}_{end}").values for end in ("low", "high"))
    return replace(measured, draws=_filled(measured, _scaled(local, measured.values, high - low)))


def _scaled(local: MetricTable, values: FloatArray, widths: FloatArray) -> FloatArray:
    """Return the replicates of a local metric around other values, with intervals of other widths."""
    low, high = interval_ends(local.draws)
    spread = np.where(high > low, high - low, np.inf)
    offsets: FloatArray = (local.draws - local.values[:, None]) * (widths / spread)[:, None]
    return values[:, None] + offsets


def _filled(measured: MetricTable, approximated: FloatArray) -> FloatArray:
    """Return the stored replicates, and approximated ones in rows without any."""
    if measured.draws.shape != approximated.shape:
        return approximated
    missing = np.isnan(measured.draws).all(axis=1, keepdims=True)
    return np.where(missing, approximated, measured.draws)


NULL_NOTE = "the published value is near that of nominal episodes with random onsets"
SAP_NOTE = "in the original, constant channels were divided by 1e-6 and two faults leaked into later episodes"
ARM_NOTE = "in the original, constant channels were divided by 1e-6"
SPEED_NOTE = "in the original, robot_speed at tiny had no effect"
FRICTION_NOTE = "in the original, robot_friction at tiny removed the damping"
ROBOT_NOTE = "published: a real robot, 50 episodes per fault, without noise; ours: a virtual controller"
RIQN_NOTE = "the original learned from a single episode and took the channel for the time"
ENCODER_NOTE = "published: a network trained on other images; ours: an encoder trained on the nominal frames"
RANDOM_NOTE = "published: a network trained on other images; ours: an encoder with random weights"
PREDNET_NOTE = "in the original, pixels below zero were cut off and scores came one step late"
LRDM_NOTE = "the published numbers of LDM and LRDM are identical here, deviations included: one column is a copy"
TINY = "tiny"
TINY_NOTES = {"URM-Reach-v0": SPEED_NOTE, "URM-PnP-v0": FRICTION_NOTE}
DETECTOR_NOTES = {
    "RIQN": RIQN_NOTE,
    "PredNet": PREDNET_NOTE,
    "KNN-encoder": ENCODER_NOTE,
    "Patch-encoder": ENCODER_NOTE,
    "KNN-random": RANDOM_NOTE,
    "Patch-random": RANDOM_NOTE,
}
WITHOUT_ACTIONS = ("IsolationForest", "OC-SVM", "KNN")
"""Vector detectors that only use observations."""


def flaw_of(world: str, detector: str) -> Flaw:
    """Return what is wrong with published numbers: those of LRDM are copies of LDM, which alone is in the public code.

    Example:
        >>> flaw_of("URM-PnP-v0", "LRDM"), flaw_of("URM-PnP-v0", "LDM")
        ('impossible', '')
    """
    return "impossible" if detector == "LRDM" and world in worlds_with_same_numbers("LDM", "LRDM") else ""


def remark(world: str, level: str, detector: str, kind: str = "") -> str:
    """Return what is known about the original of a published value; empty if nothing is.

    Args:
        world: Id or group of the world.
        level: Level of strength.
        detector: Name of our detector.
        kind: Kind of the faults; empty for all kinds.

    Example:
        >>> remark("URM-Reach-v0", "strong", "PE-DM")
        'in the original, constant channels were divided by 1e-6'
    """
    if detector in DETECTOR_NOTES:
        reasons = [DETECTOR_NOTES[detector]]
    elif detector in IMAGE_DETECTORS:
        reasons = [LRDM_NOTE] * bool(flaw_of(world, detector))
    elif world.startswith("SAP"):
        reasons = [SAP_NOTE]
    elif world.startswith("UR"):
        reasons = [ARM_NOTE] * (kind in ("", "observation"))
    else:
        reasons = [NULL_NOTE] * (level == TINY and detector in WITHOUT_ACTIONS)
    if level == TINY and world in TINY_NOTES:
        reasons.append(TINY_NOTES[world])
    if world.startswith("URR"):
        reasons.append(ROBOT_NOTE)
    return "; ".join(reasons)
