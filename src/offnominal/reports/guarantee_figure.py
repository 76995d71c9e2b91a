"""Figure of guarantees: what each alarm guaranteed, the measured share with its interval, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from offnominal.alarms.guarantee_check import BROKEN, KEPT, MARGIN, UNDECIDED, GuaranteeCheck, percent
from offnominal.core.plot_style import DOTTED, GREY, INK, SERIES
from offnominal.reports.dot_panels import name_rows

COLOURS = {KEPT: SERIES[2], BROKEN: SERIES[1], UNDECIDED: GREY}
MARKS = {KEPT: "o", BROKEN: "X", UNDECIDED: "o"}
WIDTH, ROW, AROUND = 7.6, 0.27, 1.1
"""Of the figure, of a row, and of what is around the rows of a panel; inches."""
Checks = Mapping[tuple[str, str], GuaranteeCheck]
"""Checks by alarm and detector."""


def guarantee_figure(plt: Any, checks: Checks, names: Sequence[str]) -> Any:
    """Draw the measured share of nominal units with a false alarm: a panel per alarm, a row per detector.

    A dashed line is at the guaranteed share; the shaded area goes up to the margin above it, in which an interval must
    end to be kept. Verdicts, with the number of units that would decide, are at the right.

    Args:
        plt: matplotlib's pyplot.
        checks: The checks; alarms without a guarantee are left out.
        names: Detectors, best first.
    """
    panels = guarantee_panels(checks, names)
    heights = [ROW * len(rows) + AROUND for rows in panels.values()]
    figure, grid = plt.subplots(
        len(panels), 1, figsize=(WIDTH, sum(heights)), height_ratios=heights, squeeze=False, layout="constrained"
    )
    for axes, (alarm, rows) in zip(grid[:, 0], panels.items(), strict=True):
        _panel(axes, alarm, rows)
    return figure


def guarantee_panels(checks: Checks, names: Sequence[str]) -> dict[str, dict[str, GuaranteeCheck]]:
    """Return the checks of each alarm with a guarantee by detector, in the order of the names.

    Example:
        >>> kept = GuaranteeCheck("at most 5% of nominal episodes", "episodes", 0.05, 0.04, 0.006, 0.0, 999)
        >>> free = GuaranteeCheck("no guarantee", "episodes", None, 0.4, 0.05, 0.0, 100)
        >>> found = {("EpisodeMaximum", "LOF"): kept, ("EpisodeMaximum", "KNN"): kept, ("Quantile", "KNN"): free}
        >>> {alarm: list(rows) for alarm, rows in guarantee_panels(found, ["KNN", "LOF"]).items()}
        {'EpisodeMaximum': ['KNN', 'LOF']}
    """
    alarms = dict.fromkeys(alarm for (alarm, _), check in checks.items() if check.level is not None)
    return {alarm: {name: checks[alarm, name] for name in names if (alarm, name) in checks} for alarm in alarms}


def _panel(axes: Any, alarm: str, rows: Mapping[str, GuaranteeCheck]) -> None:
    first = next(iter(rows.values()))
    level = first.level or 0.0
    axes.axvspan(0.0, (1.0 + MARGIN) * level, color=SERIES[0], alpha=0.08, lw=0, zorder=0)
    axes.axvline(level, color=INK, lw=1.0, ls=DOTTED, zorder=1)
    ends = [end for check in rows.values() for end in check.interval or ()]
    for place, check in enumerate(rows.values()):
        _row(axes, place, check)
    name_rows(axes, list(rows))
    axes.set_xlim(0.0, min(1.04 * max(2.0 * level, *ends), 1.0))
    axes.xaxis.set_major_formatter(lambda value, _: f"{100.0 * value:.3g}")
    axes.set_title(f"{alarm}: {first.text}", fontsize=9.5)
    axes.set_xlabel(
        f"nominal {first.unit} with a false alarm (%), 95 % interval;\ndashed: guaranteed; shaded: up to the margin"
    )


def _row(axes: Any, place: int, check: GuaranteeCheck) -> None:
    """Draw the share and its interval, and write the verdict at the right."""
    shade = COLOURS.get(check.outcome, GREY)
    if check.interval is not None:
        axes.plot(check.interval, [place, place], color=shade, lw=4, alpha=0.4, solid_capstyle="butt")
        fill = "white" if check.outcome == UNDECIDED else shade
        axes.plot(check.share, place, MARKS[check.outcome], ms=6, color=shade, mfc=fill, mew=1.4, zorder=3)
    axes.annotate(
        check.verdict if check.share is None else f"{percent(check.share)} of {check.n:,}: {check.verdict}",
        (1.0, place),
        xycoords=("axes fraction", "data"),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        fontsize=8.5,
        color=INK if check.outcome == UNDECIDED else shade,
        annotation_clip=False,
    )
