"""The figure of a reviewed recording: its score over the time of its operation, with events and alarms."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from offnominal.core.plot_style import FAULTY, INK, REFERENCE, SERIES
from offnominal.core.types import BoolArray, FloatArray
from offnominal.evaluation.step_scores import intervals
from offnominal.watch.log_review.review import LogReview

EPOCH = 1e8
"""Times above this are seconds since 1970, and shown as dates."""
MOST_POINTS = 4000


def shown_time(seconds: float) -> str:
    """Return a time as a date in UTC, or as hours, minutes and seconds since the begin.

    Example:
        >>> shown_time(3725.5), shown_time(1_700_000_000.0)
        ('1:02:05.5', '2023-11-14 22:13:20')
    """
    if seconds >= EPOCH:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    minutes, rest = divmod(round(seconds, 1), 60.0)
    return f"{int(minutes) // 60}:{int(minutes) % 60:02d}:{rest:04.1f}"


def review_figure(plt: Any, review: LogReview) -> Any:
    """Draw the scores of the reviewed part, its events and its alarms."""
    figure, (top, bottom) = plt.subplots(
        2, 1, figsize=(9.0, 3.4), sharex=True, gridspec_kw={"height_ratios": [5, 1]}, layout="constrained"
    )
    times, unit = _axis(review.parts.times)
    bounds = review.parts.bounds
    for first, last in pairwise(bounds.tolist()):
        places, largest = _thinned(times[first:last], review.scores[first:last])
        top.plot(places, np.maximum(largest, 1e-12), color=INK, lw=0.7)
    top.axhline(review.threshold, color=REFERENCE, lw=1.0, ls="--")
    for axes in (top, bottom):
        _spans(axes, times, review.active, bounds, FAULTY, 0.25)
    _spans(bottom, times, review.raised, bounds, SERIES[0], 1.0)
    top.set_yscale("log")
    top.yaxis.set_major_locator(plt.LogLocator(subs=(1.0, 2.0, 5.0)))
    top.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    top.yaxis.set_minor_formatter(lambda value, _: "")
    top.set_ylabel("score")
    bottom.set_yticks([])
    bottom.set_ylabel("alarm", rotation=0, ha="right", va="center")
    bottom.set_xlabel(unit)
    return figure


def _axis(times: FloatArray) -> tuple[Any, str]:
    """Return the values of the axis of time and its name."""
    if len(times) and times[0] >= EPOCH:
        return times.astype("datetime64[s]"), "time (UTC)"
    return times / 3600.0, "hours"


def _thinned(times: Any, values: FloatArray) -> tuple[Any, FloatArray]:
    """Return fewer points with the same peaks."""
    size = max(1, -(-len(values) // MOST_POINTS))
    starts = np.arange(0, len(values), size)
    return times[starts], np.maximum.reduceat(values, starts)


def _spans(axes: Any, times: Any, flags: BoolArray, bounds: Any, colour: str, alpha: float) -> None:
    for begin, end in zip(*intervals(flags, bounds), strict=True):
        axes.axvspan(times[begin], times[min(end, len(times) - 1)], color=colour, alpha=alpha, lw=0.6)
