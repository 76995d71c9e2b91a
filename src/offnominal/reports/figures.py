"""Figures of episodes and twins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.plot_style import FAULTY, INK, NOMINAL, STYLE, pyplot
from offnominal.core.types import Frame
from offnominal.rollouts.twin_rollouts import Twin

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class TwinPanel:
    """One twin and the scene it happens in.

    Args:
        title: Name of the fault.
        twin: The pair.
        scene: Image of the start.
        view: Extent of the image: left, right, bottom, top.
        path: The two observation channels with the position of the agent.
    """

    title: str
    twin: Twin
    scene: Frame
    view: tuple[float, float, float, float]
    path: tuple[int, int]


def twin_figure(path: Path, panels: Sequence[TwinPanel]) -> None:
    """Draw the divergence of twins: paths through the scene above, difference over time below."""
    plt = pyplot()
    with plt.rc_context(STYLE):
        figure, grid = plt.subplots(
            2, len(panels), figsize=(2.7 * len(panels), 4.6), dpi=150, layout="constrained", height_ratios=(2.0, 1.0)
        )
        for panel, above, below in zip(panels, grid[0], grid[1], strict=True):
            _paths(above, panel)
            _divergence(below, panel.twin)
            below.set_xlabel("time (transitions)")
        grid[0, 0].legend(loc="upper left", fontsize=8)
        grid[1, 0].set_ylabel("largest difference\n(observation units)")
        figure.savefig(path)
        plt.close(figure)


def _paths(axes: Axes, panel: TwinPanel) -> None:
    axes.imshow(panel.scene, extent=panel.view, interpolation="lanczos")
    for episode, colour, label in ((panel.twin.nominal, NOMINAL, "nominal"), (panel.twin.faulty, FAULTY, "faulty")):
        path = episode.extras["clean_observations"][:, panel.path]
        axes.plot(path[:, 0], path[:, 1], color=colour, lw=1.8, marker="o", ms=2.2, label=label)
    onset = panel.twin.faulty.onset
    if onset is not None:
        affected = panel.twin.faulty.extras["clean_observations"][onset, panel.path]
        axes.plot(*affected, marker="*", ms=11, color=INK, mec="white", ls="none", label="onset of the fault", zorder=5)
    axes.set_title(panel.title, fontsize=9)
    axes.set_xlim(panel.view[0], panel.view[1])
    axes.set_ylim(panel.view[2], panel.view[3])
    axes.set_axis_off()


def _divergence(axes: Axes, pair: Twin) -> None:
    difference = pair.divergence()
    steps = np.arange(len(difference))
    axes.plot(steps, difference, color=FAULTY, lw=1.6)
    axes.fill_between(steps, 0.0, difference, color=FAULTY, alpha=0.15, lw=0)
    axes.set_ylim(0.0, None)
    axes.set_xlim(0, max(len(difference) - 1, 1))
    if pair.faulty.onset is not None:
        axes.axvline(pair.faulty.onset, color=INK, lw=1.0, ls="--")
