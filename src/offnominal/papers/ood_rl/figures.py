"""The figures of a run, drawn from its stored results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.plot_style import (
    DASHES,
    DOTTED,
    FAULTY,
    GREY,
    INK,
    NOMINAL,
    REFERENCE,
    RULE,
    SERIES,
    markers,
    pyplot,
)
from offnominal.core.rounding import fixed
from offnominal.papers.ood_rl.detection_results import KINDS, UNCERTAINTY, DetectionResults
from offnominal.papers.ood_rl.report_tables import detection_leaderboard
from offnominal.papers.ood_rl.results import AgentReturns, OODResults
from offnominal.papers.ood_rl.separation import SEPARATION_METRICS
from offnominal.papers.ood_rl.series import Series, stored_series
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG, OODSetting
from offnominal.reports.colours import colours_in_order
from offnominal.reports.heat_cells import draw_heat_cells
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
    values = both_series(outcomes, examples, CARTPOLE)
    if values is not None:
        drawings["q_values"] = (
            "Values of both actions along an unmodified and a modified episode, mean and one standard deviation",
            lambda plt: value_figure(plt, values[0]),
        )
    actions = both_series(outcomes, examples, PENDULUM)
    if actions is not None:
        drawings["actions"] = (
            "Torque along an unmodified and a modified episode; the threshold is the best one by Youden's J",
            lambda plt: action_figure(plt, *actions),
        )
    return drawings


def both_series(outcomes: OODResults, examples: Any, world: str) -> tuple[list[Series], float] | None:
    """Return an unmodified and a modified episode of the first ensemble, and the threshold between them.

    Args:
        outcomes: Of a run.
        examples: Predictions along single episodes that the run stored.
        world: Id of the world.
    """
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


MARK = "✕"


def heat_figure(plt: Any, outcomes: OODResults, label: str) -> Any:
    """Draw the mean AUC of a method: a panel per world, a row per quantity, a column per multiple of its default.

    Neutral is an AUC of 0.5; in orange settings scores are lower than in the unmodified world. A cross marks
    settings in which agents fail.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Of a run.
        label: Name of the method.
    """
    found = outcomes.by_label(label)
    grids = [_grid(detections) for detections in found]
    heights = [len(rows) for rows, _, _ in grids]
    figure, panels = plt.subplots(
        len(found),
        1,
        figsize=(9.2, 0.42 * sum(heights) + 1.05 * len(found) + 0.3),
        squeeze=False,
        height_ratios=heights,
        layout="constrained",
    )
    for axes, detections, grid in zip(panels[:, 0], found, grids, strict=True):
        image = _panel(axes, outcomes, detections, grid)
    figure.colorbar(image, ax=panels[:, 0].tolist(), fraction=0.025, pad=0.01, label="mean AUC (0.5 = random)")
    figure.suptitle(label, fontweight="bold", x=0.01, ha="left", fontsize=11)
    return figure


Grid = tuple[list[str], list[str], dict[OODSetting, tuple[int, int]]]


def _grid(detections: DetectionResults) -> Grid:
    """Return the names of rows and columns, and where each setting is."""
    rows = list(dict.fromkeys(each.quantity.name for each in detections.settings))
    keys = [_column(each) for each in detections.settings]
    columns = sorted(set(keys))
    where = {
        each: (rows.index(each.quantity.name), columns.index(key))
        for each, key in zip(detections.settings, keys, strict=True)
    }
    return rows, [_setting_row(detections.world, each) for each in columns], where


def _column(setting: OODSetting) -> float:
    """Return the multiple of the default that is meant, before rounding; of a corruption, its level."""
    if setting.world == PONG:
        return setting.parameter
    multiple = setting.parameter / setting.quantity.default
    return float(round(multiple)) if multiple > 1.0 else 1.0 / round(1.0 / multiple)


def _setting_row(world: str, column: float) -> str:
    if world == PONG:
        return f"{column:g}"
    return f"×{column:g}" if column > 1.0 else f"÷{round(1.0 / column)}"


def _panel(axes: Any, outcomes: OODResults, detections: DetectionResults, grid: Grid) -> Any:
    rows, columns, where = grid
    values, texts = np.full((len(rows), len(columns)), np.nan), np.full((len(rows), len(columns)), "", object)
    mean, failed = detections.mean("auc"), outcomes.failed(detections)
    for place, setting in enumerate(detections.settings):
        values[where[setting]] = mean[place]
        texts[where[setting]] = fixed(mean[place], 2) + (f"\n{MARK}" if failed[place] else "")
    axes.set_title(f"{detections.world}   {MARK} agents fail")
    axes.set_xlabel("severity" if detections.world == PONG else "multiple of the default (×, ÷)")
    return draw_heat_cells(axes, values, rows, columns, texts=texts)


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


def return_figure(plt: Any, outcomes: OODResults) -> Any:
    """Draw mean returns over the settings of each quantity: a row of panels per world, a line per kind of agent.

    Args:
        plt: matplotlib's pyplot.
        outcomes: Of a run.
    """
    worlds = outcomes.worlds
    quantities = {world: _quantities(outcomes, world) for world in worlds}
    max_settings = max(len(each) for each in quantities.values())
    size = (1.75 * max_settings + 0.6, 2.2 * len(worlds) + 0.4)
    figure, panels = plt.subplots(
        len(worlds), max_settings, figsize=size, squeeze=False, sharey="row", layout="constrained"
    )
    names = list(KINDS.values())
    shades, shapes = colours_in_order(names), markers(names)
    for row, world in zip(panels, worlds, strict=True):
        found = [each for each in outcomes.returns if each.world == world]
        for axes, name in zip(row, quantities[world], strict=False):
            for returns in found:
                kind = KINDS[returns.uncertainty]
                _line(axes, returns, name, shades[kind], shapes[kind])
            _finish_returns(axes, world, name, found)
        for axes in row[len(quantities[world]) :]:
            axes.set_visible(False)
        row[0].set_ylabel(f"{world}\nmean return (reward)")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=len(labels))
    return figure


def _quantities(outcomes: OODResults, world: str) -> list[str]:
    found = [each for each in outcomes.returns if each.world == world]
    return list(dict.fromkeys(setting.quantity.name for each in found for setting in each.settings))


def _line(axes: Any, returns: AgentReturns, name: str, shade: str, shape: str) -> None:
    """Draw the returns of agents of a kind; filled marks where most of them fail, and one for the unmodified world."""
    places = [place for place, setting in enumerate(returns.settings) if setting.quantity.name == name]
    mean, half = returns.mean.mean(axis=1), np.sqrt((returns.half**2).sum(axis=1)) / len(returns.agents)
    physics = returns.world != PONG
    points = [(_at(returns, place), mean[place], half[place]) for place in places]
    points.append((1.0 if physics else 0.0, float(returns.nominal.mean()), 0.0))
    at, values, reach = np.array(sorted(points)).T
    axes.plot(at, values, color=shade, lw=1.2)
    axes.plot([], [], color=shade, lw=1.2, marker=shape, ms=4.5, label=KINDS[returns.uncertainty])
    axes.fill_between(at, values - reach, values + reach, color=shade, alpha=0.2, lw=0)
    failed = returns.mostly_failed
    for full in (True, False):
        some = [place for place in places if failed[place] == full]
        filled = {"mfc": shade if full else "white", "mec": shade}
        axes.plot([_at(returns, place) for place in some], mean[some], ls="", marker=shape, ms=4.2, **filled)


def _at(returns: AgentReturns, place: int) -> float:
    setting = returns.settings[place]
    return setting.parameter if returns.world == PONG else setting.parameter / setting.quantity.default


def _finish_returns(axes: Any, world: str, name: str, found: list[AgentReturns]) -> None:
    axes.set_title(name)
    axes.axhline(float(np.mean([each.limit.mean() for each in found])), color=INK, lw=0.8, ls="--")
    if world == PONG:
        axes.set_xlabel("severity (level)")
        return
    axes.set_xscale("log")
    axes.set_xlabel("multiple of\nthe default (×)")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")


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
        _finish_series(axes, len(steps))
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
        axes.set_title(f"{_title(found)}: {fixed(100.0 * called.mean(), 0)}% classified as modified")
        _finish_series(axes, len(steps))
    panels[0].set_ylabel("torque (N m)")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return figure


def _finish_series(axes: Any, steps: int) -> None:
    axes.set_xlabel("time (steps)")
    axes.set_xlim(0, max(steps - 1, 1))
    axes.xaxis.get_major_locator().set_params(integer=True)


def _title(found: Series) -> str:
    return "unmodified" if found.setting is None else found.setting.label
