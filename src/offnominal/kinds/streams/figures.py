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
LABELS = {"none": "no guarantee", "fixed": "fixed, per unit", "run length": "run length"}
SHOWN = 5
"""Number of alarms below a stream over time."""


def alarm_figure(plt: Any, found: StreamResults) -> Any:
    """Draw false alarms per hour against the delay: a panel per world and condition, a number per alarm."""
    worlds, conditions, alarms = found.worlds, found.conditions, found.alarms
    size = (2.3 * len(conditions) + 0.6, 2.5 * len(worlds) + 0.45 + 0.2 * -(-len(alarms) // 4))
    figure, grid = plt.subplots(
        len(worlds), len(conditions), figsize=size, sharex="row", sharey="row", squeeze=False, layout="constrained"
    )
    for axes_row, world in zip(grid, worlds, strict=True):
        for axes, condition in zip(axes_row, conditions, strict=True):
            _draw_alarms(axes, found.chosen(world=world, condition_name=condition), alarms)
            if world == worlds[0]:
                axes.set_title(condition)
            if world == worlds[-1]:
                axes.set_xlabel("false alarms per hour")
        axes_row[0].set_ylabel(f"{world}\nmean delay (s)")
    figure.legend(handles=_alarm_handles(plt, found), loc="outside lower center", ncols=4, fontsize=8)
    return figure


def _draw_alarms(axes: Any, rows: list[Row], alarms: list[str]) -> None:
    for row in rows:
        shade = FAMILIES.get(row["family_name"], INK)
        size = 5.5 if alarms.index(row["alarm"]) < 9 else 8.0
        mark = f"${alarms.index(row['alarm']) + 1}$"
        axes.plot(row["false_alarms_h"], row["delay_s"], marker=mark, ms=size, color=shade, mew=0.4, ls="", zorder=3)
    if rows:
        axes.axvline(rows[0]["budget_h"], color=REFERENCE, lw=0.9, ls="--", zorder=0)
        axes.set_xscale("symlog", linthresh=max(rows[0]["budget_h"] / 10.0, 1e-9), linscale=0.5)
        axes.set_xlim(left=0.0)
    axes.set_ylim(bottom=0.0)


def _alarm_handles(plt: Any, found: StreamResults) -> list[Any]:
    handles = []
    for number, alarm in enumerate(found.alarms, 1):
        shade = FAMILIES.get(found.chosen(alarm=alarm)[0]["family_name"], INK)
        handles.append(plt.Line2D([], [], marker=f"${number}$", ms=7, color=shade, mew=0.4, ls="", label=alarm))
    return handles


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
    return [best[name] for name in FAMILIES if name in best][:SHOWN]


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
