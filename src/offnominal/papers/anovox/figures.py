"""The figures of AnoVox that can be drawn: how many pixels each label has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from offnominal.core.plot_style import FAULTY, GREY
from offnominal.core.types import IntArray
from offnominal.papers.paper import FigureData
from offnominal.studies.results import RunResults
from offnominal.worlds.road.labels import Label
from offnominal.worlds.road.scenarios import Scenario, Timing, make_scenarios
from offnominal.worlds.road.scenes import ScenarioRun

PRESET = "mini"
TIMING = Timing(settling_ticks=30, recorded_ticks=160, record_every=40)
"""Four frames of each scenario; at tick 150, the third, the car ahead brakes in those with a temporal anomaly."""
PUBLISHED_BARS = 40
FRONT = "top"


def label_data(results: RunResults) -> FigureData:
    """Return the number of pixels of each label in the front cameras of scenarios with an anomaly.

    As in the public code of AnoVox, ``unlabeled`` and labels without a pixel are left out. No run is needed: the scenes
    are those of the preset ``mini``.

    Args:
        results: Results without rows.
    """
    scenarios = [
        each.replace(timing=TIMING)
        for each in make_scenarios(PRESET, types=["content", "temporal"])
        if each.anomaly is not None
    ]
    return _bars(*label_pixels(scenarios))


def label_pixels(scenarios: Iterable[Scenario]) -> tuple[IntArray, int]:
    """Return the number of pixels of each label, by its id, in the front cameras of scenarios, and how many count.

    Args:
        scenarios: The scenarios; those that the published rules discard do not count.
    """
    total, accepted = np.zeros(1 + max(Label), np.int64), 0
    for scenario in scenarios:
        run = ScenarioRun(scenario)
        place = [mount.name for mount in run.rig.cameras].index(FRONT)
        found = [images()[place] for number, _, images in run.labels() if number >= 0]
        if run.discards:
            continue
        accepted += 1
        for image in found:
            total += np.bincount(np.ravel(image), minlength=len(total))
    return total, accepted


def _bars(pixels: IntArray, scenarios: int) -> FigureData:
    shown = [label for label in Label if label is not Label.UNLABELED and pixels[label] > 0]
    shown.sort(key=lambda label: -int(pixels[label]))
    return {
        "labels": [label.name.lower().replace("_", " ") for label in shown],
        "pixels": [int(pixels[label]) for label in shown],
        "anomalous": [label.is_anomaly for label in shown],
        "scenarios": scenarios,
    }


def label_figure(plt: Any, data: FigureData) -> Any:
    """Draw the number of pixels of each label on a logarithmic axis; those of anomalies are in colour.

    Args:
        plt: matplotlib's pyplot.
        data: Of :func:`label_data`.
    """
    names, pixels = data["labels"], data["pixels"]
    figure, axes = plt.subplots(figsize=(8.6, 3.6), layout="constrained")
    shades = [FAULTY if anomalous else GREY for anomalous in data["anomalous"]]
    axes.bar(range(len(names)), pixels, color=shades, width=0.8)
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.yaxis.set_minor_formatter(plt.NullFormatter())
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor", fontsize=8)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.grid(False, axis="x")
    axes.set_ylabel("pixels of the front camera")
    ours = f"{len(names)} labels in {data['scenarios']} scenarios with an anomaly"
    axes.set_title(f"{ours}; the paper has {PUBLISHED_BARS} labels", fontsize=9)
    return figure
