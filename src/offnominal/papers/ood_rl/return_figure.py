"""Figure of the returns of agents in modified worlds."""

from __future__ import annotations

from typing import Any

import numpy as np

from offnominal.core.plot_style import INK, markers
from offnominal.papers.ood_rl.agent_returns import AgentReturns
from offnominal.papers.ood_rl.detection_results import KINDS
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import PONG
from offnominal.reports.colours import colours_in_order


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
            _finish(axes, world, name, found)
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


def _finish(axes: Any, world: str, name: str, found: list[AgentReturns]) -> None:
    axes.set_title(name)
    axes.axhline(float(np.mean([each.limit.mean() for each in found])), color=INK, lw=0.8, ls="--")
    if world == PONG:
        axes.set_xlabel("severity (level)")
        return
    axes.set_xscale("log")
    axes.set_xlabel("multiple of\nthe default (×)")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
