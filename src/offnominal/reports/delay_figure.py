"""Figure of detection and delay against false alarms: a curve per detector, and the alarms as points on it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from offnominal.core.plot_style import RULE
from offnominal.evaluation.alarm_budget import GRID
from offnominal.reports.budget_curves import BudgetCurve
from offnominal.reports.colours import colours, is_baseline
from offnominal.reports.headline import NOT_CONTROLLED

LABELS = {"detected": "detected within 20 steps (share)", "delay": "mean delay, a miss costs 20 (steps)"}
MARKERS = "os^Dv*Xp"
Points = Mapping[str, Mapping[str, tuple[float, float]]]
"""Rate of false alarms and height of each alarm and detector."""


def delay_figure(
    plt: Any, curves: Mapping[str, Mapping[str, BudgetCurve]], points: Mapping[str, Points], budgets: Collection[float]
) -> Any:
    """Draw detection and delay against the rate of false alarms.

    Args:
        plt: matplotlib's pyplot.
        curves: For each of ``"detected"`` and ``"delay"``, the curve of each detector, best first.
        points: The same for the alarms.
        budgets: Budgets of the worlds, in false alarms per 1,000 steps; a dotted line each.
    """
    figure, panels = plt.subplots(1, len(curves), figsize=(9.6, 4.4), layout="constrained")
    names = list(next(iter(curves.values())))
    shades = colours(names)
    dotted = "budget" if len(budgets) == 1 else "budgets of the worlds"
    for axes, (what, found) in zip(panels, curves.items(), strict=True):
        for budget in budgets:
            axes.axvline(budget, color=RULE, lw=1.0, ls=":", zorder=0)
        for name, curve in found.items():
            axes.fill_between(GRID, curve.low, curve.high, color=shades[name], alpha=0.12, lw=0)
            axes.plot(GRID, curve.values, color=shades[name], lw=1.6, ls="--" if is_baseline(name) else "-", label=name)
        for marker, each in zip(MARKERS, points[what].values(), strict=False):
            for name, (x, y) in each.items():
                axes.plot(max(x, GRID[0]), y, marker, ms=5.5, color=shades[name], mec="white", mew=0.6, zorder=3)
        axes.set_xscale("log")
        axes.set_xlim(GRID[0] / 1.15, GRID[-1])
        axes.set_ylim(0, 1.02 if what == "detected" else None)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_ylabel(LABELS[what])
        axes.set_xlabel(f"false alarms (per 1,000 nominal steps)\ndotted: the {dotted}")
    handles, labels = panels[0].get_legend_handles_labels()
    for marker, alarm in zip(MARKERS, next(iter(points.values())), strict=False):
        (handle,) = panels[0].plot([], [], marker, color="0.4", ms=5.5)
        handles.append(handle)
        labels.append(alarm)
    about = {"title": NOT_CONTROLLED, "title_fontsize": 8.5}
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=8, **about)
    return figure
