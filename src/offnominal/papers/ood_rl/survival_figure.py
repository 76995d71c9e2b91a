"""Figure of the AUC with and without the effect of the length of episodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.plot_style import DOTTED, GREY, REFERENCE, RULE, SERIES
from offnominal.papers.ood_rl.report_tables import detection_leaderboard
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.separation import SEPARATION_METRICS

STYLES = {
    "AUC": ("all steps, as published", GREY, "o"),
    SEPARATION_METRICS["auc_equal"]: ("steps of the same time", SERIES[0], "D"),
    SEPARATION_METRICS["auc_equal_mean"]: ("episode means, same time", SERIES[1], "s"),
}


def survival_figure(plt: Any, outcomes: OODResults) -> Any:
    """Draw the mean AUC over failed settings by three metrics: a panel per world, a line per method.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Results of a run.
    """
    rows = detection_leaderboard(outcomes)
    worlds = outcomes.worlds
    counts = [sum(row["world"] == world for row in rows) for world in worlds]
    figure, panels = plt.subplots(
        1, len(worlds), figsize=(4.6 * len(worlds), 0.26 * max(counts) + 1.1), squeeze=False, layout="constrained"
    )
    for axes, world in zip(panels[0], worlds, strict=True):
        found = [row for row in rows if row["world"] == world]
        places = np.arange(len(found))
        numbers = {name: np.array([row[name] if row[name] is not None else np.nan for row in found]) for name in STYLES}
        together = np.array(list(numbers.values()))
        axes.hlines(places, np.fmin.reduce(together), np.fmax.reduce(together), color=RULE, lw=2)
        for name, (label, shade, marker) in STYLES.items():
            axes.plot(numbers[name], places, ls="", marker=marker, ms=5, color=shade, label=label)
        axes.axvline(0.5, color=REFERENCE, lw=0.9, ls=DOTTED)
        axes.set_yticks(places, [row["method"] for row in found])
        axes.grid(visible=False, axis="y")
        axes.invert_yaxis()
        axes.set_title(world if np.isfinite(together).any() else f"{world}: no agent fails")
        axes.set_xlabel("mean AUC where agents fail (0.5 = random)")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(STYLES))
    return figure
