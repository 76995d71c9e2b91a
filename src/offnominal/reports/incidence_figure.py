"""Figure of detection over time: cumulative incidences, and the numbers at risk below them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from offnominal.reports.colours import colours, is_baseline
from offnominal.reports.dot_panels import name_rows
from offnominal.reports.headline import NOT_CONTROLLED
from offnominal.reports.incidence_curves import IncidenceCurve

ROW = 0.2
"""Height of a row of numbers at risk, in inches."""
BANDS = 3
"""Detectors whose intervals are drawn: bands of more hide each other."""


def incidence_figure(plt: Any, curves: Mapping[str, IncidenceCurve], alarm: str) -> Any:
    """Draw the cumulative incidence of detection and, if episodes fail undetected, that of failure beside it.

    Below the first panel are the numbers of episodes at risk. The first detectors have a band.

    Args:
        plt: matplotlib's pyplot.
        curves: Curve of each detector, best first.
        alarm: Name of the alarm.
    """
    names, shades = list(curves), colours(curves)
    panels = ["detected", *(["failed"] if any(curve.failed[-1] > 0.0 for curve in curves.values()) else [])]
    heights = [3.0, ROW * len(names)]
    figure, grid = plt.subplots(
        2,
        len(panels),
        figsize=(5.6 + 3.0 * (len(panels) - 1), sum(heights) + 1.4),
        height_ratios=heights,
        width_ratios=[1.6, 1.0][: len(panels)],
        squeeze=False,
        layout="constrained",
    )
    for axes, what in zip(grid[0], panels, strict=True):
        for name, curve in curves.items():
            _draw(axes, getattr(curve, what), shades[name], name)
            if what == "detected" and name in names[:BANDS]:
                steps = np.arange(len(curve.detected))
                axes.fill_between(steps, curve.low, curve.high, color=shades[name], alpha=0.15, lw=0, step="post")
        axes.set_ylim(0.0, 1.02 if what == "detected" else None)
        axes.set_xlim(0, len(curve.detected) - 1)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_xlabel("time since the onset (steps)")
    grid[0, 0].set_ylabel("detected (share of the faults)")
    if len(panels) > 1:
        grid[0, 1].set_ylabel("failed undetected (share)")
        grid[1, 1].set_axis_off()
    _numbers_at_risk(grid[1, 0], grid[0, 0], curves, shades)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    about = f"alarm {alarm}; bands: means of the 95 % intervals of {', '.join(names[:BANDS])}\n{NOT_CONTROLLED}"
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8, title=about, title_fontsize=8.5)
    return figure


def _draw(axes: Any, shares: Any, shade: str, name: str) -> None:
    line = {"color": shade, "lw": 1.6, "ls": "--" if is_baseline(name) else "-"}
    axes.step(np.arange(len(shares)), shares, where="post", label=name, **line)


def _numbers_at_risk(axes: Any, above: Any, curves: Mapping[str, IncidenceCurve], shades: Mapping[str, str]) -> None:
    """Write the number of episodes at risk of each detector at the ticks of the axes above."""
    name_rows(axes, list(curves))
    axes.set_xlim(*above.get_xlim())
    axes.tick_params(axis="x", bottom=False, labelbottom=False)
    axes.tick_params(axis="y", pad=22)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)
    for label, name in zip(axes.get_yticklabels(), curves, strict=True):
        label.set(color=shades[name], fontsize=8)
    last = above.get_xlim()[1]
    for place, curve in enumerate(curves.values()):
        for tick in (int(tick) for tick in above.get_xticks() if 0 <= tick <= last):
            axes.text(tick, place, f"{curve.at_risk[tick]:,}", ha="center", va="center", fontsize=8, clip_on=False)
    axes.set_title("at risk (episodes without an end or an alarm before)", fontsize=8.5, fontweight="normal")
