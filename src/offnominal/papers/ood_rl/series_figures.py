"""Figures of predictions along episodes: Figures 4 and 5 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from offnominal.core.plot_style import DASHES, FAULTY, INK, NOMINAL, SERIES
from offnominal.papers.ood_rl.series import Series

PUSHES = (("left", SERIES[0], DASHES[0]), ("right", SERIES[4], DASHES[1]))
CALLED = INK
STEPS = 120
"""Number of steps shown of an episode with continuous actions."""


def value_figure(plt: Any, both: Sequence[Series]) -> Any:
    """Draw the mean value of each action with a band of one standard deviation, a panel per episode.

    Args:
        plt: matplotlib's pyplot.
        both: An unmodified episode and a modified one.
    """
    figure, panels = plt.subplots(1, len(both), figsize=(8.0, 2.9), sharey=True, layout="constrained")
    for axes, found in zip(panels, both, strict=True):
        steps = np.arange(len(found.mean))
        for place, (name, shade, dash) in enumerate(PUSHES):
            mean, sigma = found.mean[:, place], found.sigma[:, place]
            axes.plot(steps, mean, color=shade, lw=1.2, ls=dash, label=f"push {name}")
            axes.fill_between(steps, mean - sigma, mean + sigma, color=shade, alpha=0.22, lw=0)
        axes.set_title(_title(found))
        _finish(axes, len(steps))
    panels[0].set_ylabel("value ± one deviation\n(sum of rewards)")
    panels[0].legend(loc="lower left")
    return figure


def action_figure(plt: Any, both: Sequence[Series], threshold: float) -> Any:
    """Draw the mean action, its band of one standard deviation, and that of the threshold, a panel per episode.

    A step is classified as modified where the first band is wider than the second.

    Args:
        plt: matplotlib's pyplot.
        both: An unmodified episode and a modified one.
        threshold: Threshold of the standard deviation.
    """
    figure, panels = plt.subplots(1, len(both), figsize=(8.0, 2.9), sharey=True, layout="constrained")
    for axes, found, shade in zip(panels, both, (NOMINAL, FAULTY), strict=True):
        mean, sigma = found.mean[:STEPS, 0], found.sigma[:STEPS, 0]
        steps = np.arange(len(mean))
        called = sigma >= threshold
        axes.fill_between(steps, mean - sigma, mean + sigma, color=shade, alpha=0.3, lw=0, label="± one deviation")
        for side in (-1.0, 1.0):
            axes.plot(steps, mean + side * threshold, color=INK, lw=0.7, ls=":")
        axes.plot(steps, mean, color=shade, lw=1.2, label="torque, mean")
        axes.plot([], [], color=INK, lw=0.7, ls=":", label="± threshold")
        axes.plot(steps[called], mean[called], ls="", marker="o", ms=2.6, color=CALLED, label="classified as modified")
        axes.set_title(f"{_title(found)}: {called.mean():.0%} classified as modified")
        _finish(axes, len(steps))
    panels[0].set_ylabel("torque (N m)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def _finish(axes: Any, steps: int) -> None:
    axes.set_xlabel("time (steps)")
    axes.set_xlim(0, max(steps - 1, 1))
    axes.xaxis.get_major_locator().set_params(integer=True)


def _title(found: Series) -> str:
    return "unmodified" if found.setting is None else found.setting.label
