"""Tables 3, 12 and 13: how well the scores of each detector separate nominal from faulty steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from offnominal.evaluation.estimate import Estimate, average
from offnominal.kinds.faults.study import Study
from offnominal.papers.anomaly_gym.pooled_metrics import with_replicates
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
)
from offnominal.papers.anomaly_gym.published_sampling import with_published_sampling
from offnominal.papers.anomaly_gym.remarks import flaw_of, remark
from offnominal.papers.anomaly_gym.training_interval import with_training_intervals
from offnominal.papers.protocol import protocol
from offnominal.studies.leaderboards import pivot
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.published_comparison import PublishedComparison
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
