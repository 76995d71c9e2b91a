"""The figures of a run, drawn from its stored results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.plot_style import pyplot
from offnominal.papers.ood_rl.detection_results import UNCERTAINTY, DetectionResults
from offnominal.papers.ood_rl.heat_figure import heat_figure
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.return_figure import return_figure
from offnominal.papers.ood_rl.series import Series, stored_series
from offnominal.papers.ood_rl.series_figures import action_figure, value_figure
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM
from offnominal.papers.ood_rl.survival_figure import survival_figure
from offnominal.reports.save_figures import save_figures

Drawing = tuple[str, Callable[[Any], Any]]
"""A caption, and a function that draws the figure with pyplot."""
SHOWN = (("dynamics/pole_length", 2.0), ("dynamics/gravity", 20.0))
"""Settings whose episodes are shown: a long pole on the cart, a pendulum in twice the gravity."""


def draw_figures(outcomes: OODResults, examples: Any, folder: Path) -> dict[str, str]:
    """Write every figure as PNG and SVG; return their captions by name.

    Args:
        outcomes: Results of a run.
        examples: Predictions along single episodes that the run stored; see `series`.
        folder: Folder of the figures.
    """
    plt = pyplot()
    drawings = {**_overviews(outcomes), **_along_episodes(outcomes, examples), **_heats(outcomes)}
    save_figures(plt, {name: draw for name, (_, draw) in drawings.items()}, folder)
    return {name: caption for name, (caption, _) in drawings.items()}


def _overviews(outcomes: OODResults) -> dict[str, Drawing]:
    return {
        "survival": (
            "AUC of all steps, and of steps at the same time of their episode: mean over the settings in "
            "which agents fail",
            lambda plt: survival_figure(plt, outcomes),
        ),
        "returns": (
            "Returns of the agents; filled marks where most of them fail, the dashed line is the threshold of failure",
            lambda plt: return_figure(plt, outcomes),
        ),
    }


def _heats(outcomes: OODResults) -> dict[str, Drawing]:
    return {
        f"heat_{file_of(label)}": (
            f"Mean AUC of {label} in every setting, all steps together as in the paper",
            partial(heat_figure, outcomes=outcomes, label=label),
        )
        for label in outcomes.labels
    }


def file_of(label: str) -> str:
    """Return a label as a name of files.

    Example:
        >>> file_of("TD residual (MC-Dropout)")
        'td_residual_mc_dropout'
    """
    plain = "".join(letter if letter.isalnum() else " " for letter in label.lower())
    return "_".join(plain.split())


def _along_episodes(outcomes: OODResults, examples: Any) -> dict[str, Drawing]:
    """Return the figures of single episodes that the run stored."""
    drawings: dict[str, Drawing] = {}
    values = _both(outcomes, examples, CARTPOLE)
    if values is not None:
        drawings["q_values"] = (
            "Values of both actions along an unmodified and a modified episode, mean and one standard deviation",
            lambda plt: value_figure(plt, values[0]),
        )
    actions = _both(outcomes, examples, PENDULUM)
    if actions is not None:
        drawings["actions"] = (
            "Torque along an unmodified and a modified episode; the threshold is the best one by Youden's J",
            lambda plt: action_figure(plt, *actions),
        )
    return drawings


def _both(outcomes: OODResults, examples: Any, world: str) -> tuple[list[Series], float] | None:
    """Return an unmodified and a modified episode of the first ensemble, and the threshold between them."""
    wanted = [each for each in outcomes.in_world(world) if (each.method, each.uncertainty) == (UNCERTAINTY, "ensemble")]
    if not wanted:
        return None
    found = stored_series(examples, world, "ensemble", wanted[0].agents[0])
    place = _shown_setting(outcomes, wanted[0])
    setting = wanted[0].settings[place]
    if None not in found or setting not in found:
        return None
    return [found[None], found[setting]], float(wanted[0].thresholds[place, 0].mean())


def _shown_setting(outcomes: OODResults, detections: DetectionResults) -> int:
    """Return the setting to show; if it was not run, the one with the largest AUC among those in which agents fail."""
    for place, setting in enumerate(detections.settings):
        if (setting.anomaly, setting.parameter) in SHOWN:
            return place
    return int(np.argmax(detections.mean("auc") + outcomes.failed(detections)))
