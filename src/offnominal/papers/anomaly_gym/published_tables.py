"""The tables of the Anomaly-Gym paper, compared with our results."""

from __future__ import annotations

import numpy as np

from offnominal.evaluation.delays import MEDIAN_DELAY
from offnominal.evaluation.estimate import Estimate, average
from offnominal.papers.anomaly_gym.known_differences import EARLY_NOTE, known_difference
from offnominal.papers.anomaly_gym.published_numbers import (
    ADDED_FAULTS,
    GROUPS,
    published_by_group,
    published_by_world,
)
from offnominal.papers.paper import Published, PublishedTable
from offnominal.studies.leaderboards import pivot
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.studies.timings import Numbers, over, timings

IMAGES = "anomaly-gym-images"
LEVELS = ("tiny", "strong")
DETECTORS = ("PE-DM", "MLP-DM", "LSTM-DM", "KNN", "OC-SVM", "iF", "RIQN")
# Image detectors; those with our own encoder are compared with the published ones with a pretrained network.
IMAGE_DETECTORS = {
    **{name: name for name in ("LRDM", "LDM", "AE-Pred", "PredNet", "RSSM-PPM", "RES-KNN", "CLIP-Sim", "DINO-Patch")},
    **dict.fromkeys(("KNN-encoder", "KNN-random"), "RES-KNN"),
    **dict.fromkeys(("Patch-encoder", "Patch-random"), "DINO-Patch"),
}
COUNTERPARTS = {**{name: name for name in DETECTORS}, **IMAGE_DETECTORS}
"""The published detector that each of ours is compared with."""
METRICS = {
    "auroc": "AUROC",
    "average_precision": "AUPR",
    "fpr95": "FPR95",
    "pooled_auroc": "global AUROC",
    "pooled_average_precision": "global AUPR",
    "pooled_fpr95": "global FPR95",
}
# Share of episodes with an alarm before the fault, over all detectors of the published table.
PUBLISHED_EARLY = {"3 sigma": (0.34, 0.41), "95 % of steps": (0.54, 0.71), "maximum": (0.06, 0.06)}


def every_metric(results: RunResults) -> list[PublishedComparison]:
    """Compare every metric of every detector, world and level."""
    if not results.table.num_rows:
        return _published_alone(results)
    return [line for metric in METRICS for line in _by_world(results, metric)]


def table_3(results: RunResults) -> list[PublishedComparison]:
    """Compare the local AUROC of each detector and level as a mean over worlds, and of some by group of worlds.

    Published numbers of the mean are those of Tables 12 and 13, averaged over the same worlds.
    """
    return [*(_over_worlds(results) if results.table.num_rows else ()), *_by_group(results)]


def table_4(results: RunResults) -> list[PublishedComparison]:
    """Compare the rate of alarms before the fault, and report delays after it."""
    numbers = {"early_rate": "early", "miss_rate": "missed", MEDIAN_DELAY: "median delay"}
    found: dict[str, list[Numbers]] = {}
    for (alarm, _, _, name), timing in timings(results.table).items() if results.table.num_rows else ():
        if name in DETECTORS:
            found.setdefault(alarm, []).append(timing)
    lines = []
    for alarm, rows in found.items():
        together = over(rows)
        for column, title in numbers.items():
            span = PUBLISHED_EARLY.get(alarm) if column == "early_rate" else None
            published = None if span is None else float(np.mean(span))
            labels = {"alarm": alarm, "number": title}
            note = EARLY_NOTE if span else ""
            lines.append(PublishedComparison(labels, Estimate(together[column]), published, span=span, note=note))
    return lines


def table_5(results: RunResults) -> list[PublishedComparison]:
    """Report the AUROC of each detector under each policy; the published numbers are not known to us."""
    if not results.table.num_rows:
        return []
    measured = MetricTable.of(results.table, "auroc")
    found = pivot(measured, "auroc", "world", "name")
    return [
        PublishedComparison({"world and policy": place, "detector": name}, ours, None)
        for (place, name), ours in found.items()
    ]


TABLES = (
    PublishedTable(3, "local AUROC of each detector, mean over worlds", "anomaly-gym", table_3),
    PublishedTable(4, "timing under the published thresholds and ours", "anomaly-gym", table_4),
    PublishedTable(5, "local AUROC under other policies", "anomaly-gym-policies", table_5),
    PublishedTable(12, "every metric of every detector, world and level", "anomaly-gym", every_metric),
    PublishedTable(
        3, "local AUROC of each image detector, mean over worlds", "anomaly-gym-images", table_3, images=True
    ),
    PublishedTable(5, "image detectors under other policies", "anomaly-gym-images-policies", table_5, images=True),
    PublishedTable(
        13, "every metric of every image detector, world and level", "anomaly-gym-images", every_metric, images=True
    ),
)
PUBLISHED = Published(TABLES)


def _published_alone(results: RunResults) -> list[PublishedComparison]:
    """Return the published numbers of vectors or of images, without ours."""
    return [
        PublishedComparison(
            {"world": world, "level": level, "detector": detector, "metric": METRICS[metric]}, Estimate(None), value
        )
        for (world, level, detector, metric), value in published_by_world().items()
        if (detector in IMAGE_DETECTORS) == _of_images(results)
    ]


def _of_images(results: RunResults) -> bool:
    return results.name.startswith(IMAGES)


def _by_world(results: RunResults, metric: str) -> list[PublishedComparison]:
    """Compare one metric of every detector, world and level with published numbers."""
    measured, published = _measured(results, metric), published_by_world()
    lines = []
    for level in LEVELS:
        for (world, detector), ours in pivot(measured.where(level=level), metric, "world", "name").items():
            counterpart = COUNTERPARTS.get(detector)
            if counterpart is not None:
                labels = {"world": world, "level": level, "detector": detector, "metric": METRICS[metric]}
                value = published.get((world, level, counterpart, metric))
                lines.append(PublishedComparison(labels, ours, value, note=_note(world, level, detector)))
    return lines


def _over_worlds(results: RunResults) -> list[PublishedComparison]:
    """Compare the mean over worlds of each detector and level."""
    groups: dict[tuple[str, str], list[PublishedComparison]] = {}
    for line in _by_world(results, "auroc"):
        groups.setdefault((line.labels["level"], line.labels["detector"]), []).append(line)
    lines = []
    for (level, detector), group in groups.items():
        values = [line.published for line in group if line.published is not None]
        published = float(np.mean(values)) if len(values) == len(group) else None
        ours = average([line.ours for line in group])
        labels = {"level": level, "detector": detector, "worlds": str(len(group)), "faults": "all"}
        lines.append(PublishedComparison(labels, ours, published, note=_note("", level, detector)))
    return lines


def _by_group(results: RunResults) -> list[PublishedComparison]:
    """Compare the numbers of Table 3 for the groups of which the run has all worlds."""
    if not results.table.num_rows:
        return [
            PublishedComparison(
                {"level": level, "detector": detector, "worlds": group, "faults": kind}, Estimate(None), published
            )
            for (group, kind, level, detector), published in published_by_group().items()
            if (detector in IMAGE_DETECTORS) == _of_images(results)
        ]
    measured = _measured(results, "auroc")
    lines = []
    for (group, kind, level, detector), published in published_by_group().items():
        means = pivot(measured.where(kind=kind, level=level), "auroc", "world", "name", names=(detector,))
        worlds = GROUPS.get(group, ())
        if worlds and all((world, detector) in means for world in worlds):
            ours = average([means[world, detector] for world in worlds])
            labels = {"level": level, "detector": detector, "worlds": group, "faults": kind}
            lines.append(PublishedComparison(labels, ours, published, note=_note(group, level, detector, kind)))
    return lines


def _measured(results: RunResults, metric: str) -> MetricTable:
    """Return a metric of a run without the faults that the published numbers leave out."""
    measured = MetricTable.of(results.table, metric)
    left_out = [
        split.rpartition("@")[0] in ADDED_FAULTS.get(world, ())
        for world, split in zip(measured.world, measured.split, strict=True)
    ]
    return measured.take(~np.array(left_out, np.bool_))


def _note(world: str, level: str, detector: str, kind: str = "") -> str:
    return known_difference(world, level, detector, kind=kind, images=detector in IMAGE_DETECTORS)
