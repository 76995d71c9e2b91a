"""The published tables and figures of the paper, and our results for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.ood_rl.detection_results import KINDS, UNCERTAINTY
from offnominal.papers.ood_rl.published import (
    BEST_TABLES,
    TRIAL_TABLES,
    WORLDS,
    PublishedColumn,
    published_columns,
)
from offnominal.papers.ood_rl.published_settings import setting_table
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG
from offnominal.papers.paper import DEFAULT_SCALE, Published, PublishedFigure, PublishedTable
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

STUDY = "ood-rl"
PONG_SCALE = "pong-agents"
"""It has the cells of scale ``pong`` inside the policy, and those of more agents."""
ABSENT = "not in this run"
NAMES = {world: name for name, world in WORLDS.items()}
NOT_FAILED = "published because the agent fails, but ours do not"
DEVIATIONS = 2.0
"""Half the width of our interval, in standard deviations over agents."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ours:
    """Our AUC in a setting.

    Args:
        auc: (agents, trials).
        failed: Whether at least half of the agents fail that solve the unmodified world.
    """

    auc: FloatArray
    failed: bool


def return_table(results: RunResults) -> list[PublishedComparison]:
    """Report the returns of agents in every setting of Table 1, and whether they fail."""
    return [
        PublishedComparison(
            {"world": found.world, "agent": KINDS[found.uncertainty], "setting": setting.label},
            Estimate(float(found.mean[place].mean()), found.mean[place].repeat(2)),
            None,
            note="failed" if found.mostly_failed[place] else "",
        )
        for found in OODResults.of(results.table).returns
        for place, setting in enumerate(found.settings)
    ]


def auc_table(results: RunResults, *, columns: Sequence[PublishedColumn], best: bool) -> list[PublishedComparison]:
    """Compare the AUC of the policies' uncertainty with published columns of one world.

    Ours is the mean over agents of the mean over trials, or of the best of them. Its interval is two standard
    deviations over agents to both sides; with one agent, the range of its trials. The published agent is one more, so a
    published number within it can be due to chance.

    Args:
        results: Results of a run.
        columns: The published columns of the table.
        best: Whether it has the best trial of each column.
    """
    world, methods = columns[0].world, {column.method for column in columns}
    outcomes = OODResults.of(results.table)
    ours: dict[tuple[str, str, float], _Ours] = {}
    for detections in outcomes.in_world(world):
        if detections.method == UNCERTAINTY and detections.uncertainty in methods:
            fails = outcomes.failed(detections)
            for place, setting in enumerate(detections.settings):
                key = (detections.uncertainty, setting.anomaly, setting.parameter)
                ours[key] = _Ours(detections.reading("auc")[place], bool(fails[place]))
    return [_line(column, ours.get((column.method, column.anomaly, column.parameter)), best) for column in columns]


def _line(column: PublishedColumn, ours: _Ours | None, best: bool) -> PublishedComparison:
    labels = {"method": KINDS[column.method], "setting": column.setting.label}
    labels |= _columns(None if ours is None else ours.auc, column, best)
    published = column.best if best else column.mean
    if ours is None:
        return PublishedComparison(labels, Estimate(None), published, note=ABSENT)
    per_agent = _per_agent(ours.auc, best)
    line = PublishedComparison(labels, _over_agents(per_agent, np.empty(0) if best else ours.auc[0]), published)
    if line.verdict == "differs" and not ours.failed:
        return replace(line, note=NOT_FAILED, cause="setting")
    chance = line.verdict == "match" and len(per_agent) > 1 and abs(line.difference or 0.0) > line.near
    return replace(line, cause="chance" if chance else "")


def _per_agent(auc: FloatArray, best: bool) -> FloatArray:
    found: FloatArray = auc.max(axis=1) if best else auc.mean(axis=1)
    return found


def _over_agents(per_agent: FloatArray, trials: FloatArray) -> Estimate:
    """Return the mean over agents, with two standard deviations to both sides; with one agent, the range of trials."""
    mean = float(per_agent.mean())
    if len(per_agent) == 1:
        return Estimate(mean, trials)
    ends = mean + np.array([-DEVIATIONS, DEVIATIONS]) * per_agent.std(ddof=1)
    return Estimate(mean, np.clip(ends, 0.0, 1.0))


def _columns(auc: FloatArray | None, column: PublishedColumn, best: bool) -> dict[str, str]:
    """Return the first agent, and standard deviations over agents, over trials and over the published trials."""
    agents, trials = (0, 0) if auc is None else auc.shape
    found: dict[str, float | None] = dict.fromkeys(("first agent", "± agents", "± trials"))
    if auc is not None and agents > 1:
        per_agent = _per_agent(auc, best)
        found |= {"first agent": per_agent[0], "± agents": per_agent.std(ddof=1)}
    if auc is not None and trials > 1:
        found["± trials"] = float(np.sqrt(auc.var(axis=1, ddof=1).mean()))
    found["± published"] = column.std
    return {name: "–" if value is None else f"{value:.3f}" for name, value in found.items()}


def _table(number: int, columns: Sequence[PublishedColumn], title: str, *, best: bool) -> PublishedTable:
    world = columns[0].world
    return PublishedTable(
        number,
        title,
        STUDY,
        partial(auc_table, columns=columns, best=best),
        scale=PONG_SCALE if world == PONG else DEFAULT_SCALE,
        worlds=(world,),
    )


def _best_table(world: str) -> PublishedTable:
    columns = [column for column in published_columns() if column.world == world]
    return _table(BEST_TABLES[world], columns, f"{NAMES[world]}, best of the trials", best=True)


def _trial_table(number: int) -> PublishedTable:
    columns = [column for column in published_columns() if column.table == number]
    title = f"{NAMES[columns[0].world]}, {KINDS[columns[0].method]}, mean over trials"
    return _table(number, columns, title, best=False)


TABLES = [
    PublishedTable(1, "the 150 settings", "", setting_table),
    PublishedTable(
        1, "returns in all settings, and where agents fail", STUDY, return_table, worlds=(CARTPOLE, PENDULUM)
    ),
    PublishedTable(
        2, "methods of each world", "", lambda results: [], not_computed="It lists methods and has no numbers."
    ),
    *(_best_table(world) for world in (CARTPOLE, PENDULUM, PONG)),
    *(_trial_table(number) for number in TRIAL_TABLES),
]
FIGURES = [
    PublishedFigure(
        4, "values of both actions along an unmodified and a modified episode", STUDY, "q_values", worlds=(CARTPOLE,)
    ),
    PublishedFigure(5, "torque along an unmodified and a modified episode", STUDY, "actions", worlds=(PENDULUM,)),
]
_UNKNOWN = "We do not know its content."
UNKNOWN_FIGURES = {
    **dict.fromkeys(("1", "2", "3"), _UNKNOWN),
    "6": "It shows corrupted frames of Pong; ours are on the page of that world.",
}
PUBLISHED = Published(tuple(TABLES), tuple(FIGURES), unknown_figures=UNKNOWN_FIGURES)
