"""The published tables of AnoVox, and our results for them."""

from __future__ import annotations

from functools import partial
from typing import cast

from offnominal.core.rounding import fixed
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anovox.evidence import experiments
from offnominal.papers.anovox.figures import label_data, label_figure
from offnominal.papers.anovox.published import (
    PAPER,
    PUBLISHED_FORMS,
    PublishedNumber,
    published_methods,
    published_normality,
    published_numbers,
    published_set,
)
from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.scene_data import SPLITS
from offnominal.papers.anovox.scene_rows import AS_PUBLISHED
from offnominal.papers.anovox.study import SceneStudy
from offnominal.papers.causes import explainer
from offnominal.papers.paper import Published, PublishedFigure, PublishedTable
from offnominal.papers.protocol import protocol
from offnominal.studies.catalogue import load_study
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults
from offnominal.worlds.road.assets.catalogue import catalogue
from offnominal.worlds.road.rigs import RIGS
from offnominal.worlds.road.scenarios.description import town_plans
from offnominal.worlds.road.weather import WEATHERS

METRICS = {"AUPR": "average_precision", "AUROC": "auroc", "F1": "f1", "PPV": "ppv", "FPR95": "fpr95"}
ROWS = ("default", "+norm", "tiny", "small", "medium", "big", "huge")
SET_FIELDS = {"size": "frames", "n_anomaly_classes": "kinds of objects"}
NORMALITY = {"sensor_configuration": "sensor rigs", "area": "towns", "environment": "weathers"}
"""Parts of the normality of Table 2 that are names in this package too."""
OTHER_SET = "our scenes are another set: frames of scale `paper`, without twins"
NO_NUMBERS = (
    "It has no numbers that can be read, and the public code does not say which of its plots it is, so that ours could "
    "not be compared with it."
)
WEATHERS_TEXT = "the text counts 14, as there are here"


def table_1(results: RunResults) -> list[PublishedComparison]:
    """Compare the size of the set and the number of its objects; the other rows are about sets of other papers."""
    study = cast(SceneStudy, load_study("anovox").at("paper"))
    frames = sum(scenario.timing.frames for split in SPLITS for scenario in study.data.scenarios(split))
    ours = {"size": frames, "n_anomaly_classes": len(catalogue())}
    return [
        PublishedComparison(
            {"number": SET_FIELDS[field]},
            Estimate(float(ours[field])),
            value,
            protocol(PAPER).rule("size"),
            OTHER_SET if field == "size" else "",
        )
        for field, value in published_set().items()
    ]


def table_2(results: RunResults) -> list[PublishedComparison]:
    """Count the names of sensor rigs, towns and weathers that this package has too."""
    ours = {
        "sensor_configuration": {name.capitalize() for name in RIGS},
        "area": {plan.published for plan in town_plans().values()},
        "environment": {each.name for each in WEATHERS.values()},
    }
    return [
        PublishedComparison(
            {"names of": NORMALITY[item]},
            Estimate(float(len(ours[item].intersection(names)))),
            float(len(names)),
            protocol(PAPER).rule("size"),
            WEATHERS_TEXT if item == "environment" else "",
        )
        for item, names in published_normality().items()
        if item in NORMALITY
    ]


def table_3(results: RunResults) -> list[PublishedComparison]:
    """List the published methods; those of this study have our voxel AUROC of content anomalies."""
    found = SceneResults.of(results.table)
    return [
        PublishedComparison(method, found.estimate(method["method"], "voxel", "default", "auroc"), None)
        for method in published_methods()
    ]


def table_4(results: RunResults, *, as_published: bool = False) -> list[PublishedComparison]:
    """Compare the voxel metrics of the published methods; all other detectors follow without published numbers.

    Beside RbA and REAL are their published forms, without outliers, if the run has them.

    Args:
        results: A run of the study.
        as_published: Whether ours are computed as in the public code: FPR95, F1 and PPV on a grid of raw thresholds.
    """
    found = SceneResults.of(results.table)
    published = published_numbers()
    methods = list(dict.fromkeys(number.method for number in published))
    lines = [_line(found, number, as_published) for number in published]
    beside = {_detector(found, method) for method in methods}
    for name in (name for name in found.names if name not in beside):
        lines += [_ours(found, name, row, metric, as_published) for row in ROWS for metric in METRICS]
    return [line for line in lines if line.published is not None or line.ours.value is not None]


def published_lines() -> dict[str, list[PublishedComparison]]:
    """Return the published values that experiments are about, by the number of their table."""
    rule = protocol(PAPER).rule("share")
    return {
        "4": [
            PublishedComparison(
                {"method": each.method, "frames": each.subset, "metric": each.metric},
                Estimate(None),
                each.value,
                rule,
                flaw=each.flaw,
            )
            for each in published_numbers()
        ]
    }


def _line(found: SceneResults, number: PublishedNumber, as_published: bool) -> PublishedComparison:
    ours = _ours(found, _detector(found, number.method), number.subset, number.metric, as_published)
    rule = protocol(PAPER).rule("share")
    labels = {**ours.labels, "method": number.method}
    return PublishedComparison(labels, ours.ours, number.value, rule, number.problem, number.flaw)


def _detector(found: SceneResults, method: str) -> str:
    """Return the detector that stands beside a published method: its published form if the run has that."""
    form = PUBLISHED_FORMS[method]
    return form if form in found.names else method


def _ours(found: SceneResults, name: str, row: str, metric: str, as_published: bool) -> PublishedComparison:
    exact = found.estimate(name, "voxel", row, METRICS[metric])
    grid = Estimate(found.estimate(name, "voxel", row, AS_PUBLISHED + METRICS[metric]).value)
    other, column = (exact, "exact") if as_published else (grid, "ours as published")
    shown = "–" if other.value is None else fixed(other.value, 3)
    labels = {"method": name, "frames": row, "metric": metric, column: shown}
    return PublishedComparison(labels, grid if as_published else exact, None)


PUBLISHED = Published(
    (
        PublishedTable(1, "size of the set and number of objects; the other rows are other sets", "", table_1),
        PublishedTable(2, "normality: sensor rigs, towns and weathers", "", table_2),
        PublishedTable(
            3, "published detectors of road anomalies; AUROC of voxels, content anomalies", "anovox", table_3
        ),
        PublishedTable(
            4,
            "voxel metrics of content anomalies",
            "anovox",
            table_4,
            compare_as_published=partial(table_4, as_published=True),
            explain=explainer(protocol(PAPER), experiments, published_lines, "4"),
        ),
    ),
    (
        PublishedFigure(
            7, "pixels of each label in scenarios with an anomaly", "", "label-pixels", label_data, label_figure
        ),
    ),
    unknown_figures=dict.fromkeys(("6", "8"), NO_NUMBERS),
    protocol=protocol(PAPER),
    experiments=experiments,
    experiment_lines=published_lines,
)
