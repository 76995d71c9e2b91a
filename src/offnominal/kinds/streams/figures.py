"""The figures of a study of streams: false alarms per hour against delay, and one stream over time."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.plot_style import FAULTY, GREY, INK, REFERENCE, SERIES
from offnominal.kinds.streams.results import Row, StreamResults

FAMILIES = {
    "none": GREY,
    "fixed": SERIES[0],
    "run length": SERIES[2],
    "recalibrated": SERIES[6],
    "adaptive": SERIES[1],
}
"""Colours of alarms by what they promise."""
COLUMNS = 5


def alarm_figure(plt: Any, found: StreamResults) -> Any:
    """Draw false alarms per hour against the delay: a panel per world and condition, a number per alarm."""
    worlds, conditions, alarms = found.worlds, found.conditions, found.alarms
    size = (2.5 * len(conditions) + 0.6, 2.7 * len(worlds) + 0.5 + 0.2 * -(-len(alarms) // COLUMNS))
    figure, grid = plt.subplots(len(worlds), len(conditions), figsize=size, squeeze=False, layout="constrained")
    for axes_row, world in zip(grid, worlds, strict=True):
        rows = found.chosen(world=world)
        for axes, condition in zip(axes_row, conditions, strict=True):
            _draw_alarms(axes, found.chosen(world=world, condition_name=condition), alarms)
            _set_limits(axes, rows)
            if axes is not axes_row[0]:
                axes.tick_params(labelleft=False)
            if world == worlds[0]:
                axes.set_title(condition)
            if world == worlds[-1]:
                axes.set_xlabel("false alarms per hour")
        axes_row[0].set_ylabel(f"{world}\nmean delay (s)")
    handles = [_alarm_handle(plt, found, number, alarm) for number, alarm in enumerate(alarms, 1)]
    figure.legend(handles=handles, loc="outside lower center", ncols=COLUMNS, fontsize=8)
    return figure


def _draw_alarms(axes: Any, rows: list[Row], alarms: list[str]) -> None:
    for row in rows:
        shade, number = FAMILIES.get(row["family_name"], INK), alarms.index(row["alarm"]) + 1
        place = row["false_alarms_h"], row["delay_s"]
        if place[1] is not None:
            axes.plot(*place, "o", ms=9, mfc="white", mec=shade, mew=0.9, alpha=0.9, zorder=3, clip_on=False)
            about = {"ha": "center", "va": "center_baseline", "fontsize": 6, "zorder": 4, "clip_on": False}
            axes.text(*place, str(number), color=shade, **about)


def _set_limits(axes: Any, rows: list[Row]) -> None:
    """Give all panels of a world the same axes: linear near zero, then logarithmic."""
    budget = rows[0]["budget_h"]
    largest = max([row["false_alarms_h"] for row in rows] + [10.0 * budget])
    axes.set_xscale("symlog", linthresh=0.1 * budget, linscale=0.4)
    axes.set_xlim(-0.02 * budget, 1.3 * largest)
    axes.set_ylim(0.0, 1.05 * max(row["delay_s"] or 0.0 for row in rows))
    decades = 10.0 ** np.arange(np.ceil(np.log10(0.1 * budget)), np.floor(np.log10(largest)) + 1.0)
    axes.set_xticks([0.0, *decades], ["0", *(f"{decade:g}" for decade in decades)])
    axes.set_xticks([], minor=True)
    axes.axvline(budget, color=REFERENCE, lw=0.9, ls="--", zorder=0)


def _alarm_handle(plt: Any, found: StreamResults, number: int, alarm: str) -> Any:
    shade = FAMILIES.get(_family(found, alarm), INK)
    return plt.Line2D([], [], marker="o", ms=6, mfc="white", mec=shade, ls="", label=f"{number}  {alarm}")


def stream_figure(plt: Any, found: StreamResults) -> Any:
    """Draw the first stream of the first world over time: scores, faults and events, and when alarms are raised."""
    rows = [row for row in found.shown if row["world"] == found.worlds[0] and row["name"] == found.names[0]]
    rows = [row for row in rows if row["seed"] == rows[0]["seed"]]
    chosen = shown_alarms(found)
    heights = [1.25, 0.13 * len(chosen) + 0.1] * len(rows)
    figure, grid = plt.subplots(
        2 * len(rows),
        1,
        figsize=(9.0, sum(heights) + 0.45 * len(rows) + 0.6),
        sharex=True,
        squeeze=False,
        gridspec_kw={"height_ratios": heights},
        layout="constrained",
    )
    for number, row in enumerate(rows):
        _draw_scores(grid[2 * number, 0], row)
        _draw_raised(grid[2 * number + 1, 0], row, chosen, {name: _family(found, name) for name in chosen})
    grid[-1, 0].set_xlabel("hours since the begin of the test")
    return figure


def shown_alarms(found: StreamResults) -> list[str]:
    """Return the alarms below a stream: the best one of each kind of promise."""
    best: dict[str, str] = {}
    for alarm in found.alarms:
        best.setdefault(_family(found, alarm), alarm)
    return [best[name] for name in FAMILIES if name in best]


def _family(found: StreamResults, alarm: str) -> str:
    return str(found.chosen(alarm=alarm)[0]["family_name"])


def _draw_scores(axes: Any, row: Row) -> None:
    hours = row["unit_s"] / 3600.0
    times = (np.arange(len(row["scores"])) + 0.5) * hours
    axes.plot(times, np.maximum(row["scores"], 1e-12), color=INK, lw=0.6)
    for onset, end in zip(row["onsets"], row["ends"], strict=True):
        axes.axvspan(onset * hours, end * hours, color=FAULTY, alpha=0.25, lw=0)
    for event in row["events"]:
        axes.axvline(event * hours, color=SERIES[0], lw=1.0, ls="--")
    top = axes.get_xaxis_transform()
    axes.plot(
        np.array(row["restarts"]) * hours,
        np.full(len(row["restarts"]), 0.96),
        "|",
        color=SERIES[2],
        ms=5,
        transform=top,
    )
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(lambda value, _: "")
    axes.set_title(row["condition"])
    axes.set_ylabel("score")
    axes.set_xlim(0.0, len(row["scores"]) * hours)


def _draw_raised(axes: Any, row: Row, chosen: list[str], families: dict[str, str]) -> None:
    hours = row["unit_s"] / 3600.0
    raised = dict(zip(row["alarms"], row["raised"], strict=True))
    for place, alarm in enumerate(chosen):
        spans = [(unit * hours, hours) for unit in raised.get(alarm, [])]
        axes.broken_barh(spans, (place - 0.4, 0.8), color=FAMILIES[families[alarm]], lw=0)
    axes.set_yticks(range(len(chosen)), chosen, fontsize=7)
    axes.set_ylim(len(chosen) - 0.4, -0.6)
    axes.grid(visible=False)
