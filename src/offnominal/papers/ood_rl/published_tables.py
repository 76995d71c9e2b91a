"""The published tables and figures of the paper, and our results for them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import stats

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
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG, OODSetting
from offnominal.papers.paper import DEFAULT_SCALE, Published, PublishedFigure, PublishedTable
from offnominal.studies.published_comparison import Cause, PublishedComparison
from offnominal.studies.results import RunResults

STUDY = "ood-rl"
PONG_SCALE = "pong-agents"
"""It has the cells of scale ``pong`` inside the policy, and those of more agents."""
ABSENT = "not in this run"
NAMES = {world: name for name, world in WORLDS.items()}
NOT_FAILED = "published because the agent fails, but ours do not"
MILDER = "our agents also fail in milder settings, where the AUC is as low as published"
DEVIATIONS = 2.0
"""Half the width of our interval, in standard deviations over agents."""
FEWEST_AGENTS = 3
LEVEL = 0.95
"""Level of the prediction interval of one more agent."""


@dataclass(frozen=True, slots=True, eq=False)
class _Ours:
    """Our AUC in a setting.

    Args:
        setting: The setting.
        auc: (agents, trials).
        failed: Whether at least half of the agents fail that solve the unmodified world.
    """

    setting: OODSetting
    auc: FloatArray
    failed: bool

    def per_agent(self, best: bool) -> FloatArray:
        """Return the mean over trials of each agent, or the best of them."""
        found: FloatArray = self.auc.max(axis=1) if best else self.auc.mean(axis=1)
        return found

    def estimate(self, best: bool) -> Estimate:
        """Return the mean over agents, with two standard deviations to both sides; with one, the range of trials."""
        per_agent = self.per_agent(best)
        mean = float(per_agent.mean())
        if len(per_agent) == 1:
            return Estimate(mean, np.empty(0) if best else self.auc[0])
        ends = mean + np.array([-DEVIATIONS, DEVIATIONS]) * per_agent.std(ddof=1)
        return Estimate(mean, np.clip(ends, 0.0, 1.0))

    def may_be(self, published: float, best: bool) -> bool:
        """Whether a number is within the prediction interval of one more agent; two agents are too few to say."""
        per_agent = self.per_agent(best)
        count = len(per_agent)
        if count < FEWEST_AGENTS:
            return False
        half = stats.t.ppf(0.5 + LEVEL / 2.0, count - 1) * per_agent.std(ddof=1) * math.sqrt(1.0 + 1.0 / count)
        return bool(abs(per_agent.mean() - published) <= half)


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
    deviations over agents to both sides; with one agent, the range of its trials.

    Args:
        results: Results of a run.
        columns: The published columns of the table.
        best: Whether it has the best trial of each column.
    """
    found = _measured(OODResults.of(results.table), columns[0].world)
    return [_line(column, found[column.method], best) for column in columns]


def _measured(outcomes: OODResults, world: str) -> defaultdict[str, list[_Ours]]:
    """Return our AUC in all settings of a world, by kind of agent."""
    found: defaultdict[str, list[_Ours]] = defaultdict(list)
    for detections in outcomes.in_world(world):
        if detections.method == UNCERTAINTY:
            measured = zip(
                detections.settings, detections.reading("auc"), outcomes.failed(detections).tolist(), strict=True
            )
            found[detections.uncertainty] += [_Ours(*each) for each in measured]
    return found


def _line(column: PublishedColumn, measured: Sequence[_Ours], best: bool) -> PublishedComparison:
    ours = next((each for each in measured if each.setting == column.setting), None)
    labels = {"method": KINDS[column.method], "setting": column.setting.label, **_columns(ours, column, best)}
    published = column.best if best else column.mean
    if ours is None:
        return PublishedComparison(labels, Estimate(None), published, note=ABSENT)
    line = PublishedComparison(labels, ours.estimate(best), published)
    cause, note = _cause(line, column, ours, measured, best)
    return replace(line, cause=cause, note=note)


def _cause(
    line: PublishedComparison, column: PublishedColumn, ours: _Ours, measured: Sequence[_Ours], best: bool
) -> tuple[Cause, str]:
    """Return the cause of a difference and its note; both empty if none is shown.

    ``chance``: the published number can be that of one more of our agents. ``setting``: the policies differ. Settings
    are published in which the agent fails. Either ours do not fail there, or they also fail in milder settings that are
    not published, and the interval of our mean AUC there reaches the published mean.
    """
    if abs(line.difference or 0.0) <= line.near:
        return "", ""
    if ours.may_be(line.published or 0.0, best):
        return "chance", ""
    if not ours.failed:
        return "setting", NOT_FAILED
    listed = {(each.method, each.setting) for each in published_columns()}
    milder = [
        each.estimate(best=False).low
        for each in measured
        if each.failed and _is_milder(each.setting, ours.setting) and (column.method, each.setting) not in listed
    ]
    lower = column.mean < ours.auc.mean() and any(low is not None and low <= column.mean for low in milder)
    return ("setting", MILDER) if lower else ("", "")


def _is_milder(one: OODSetting, other: OODSetting) -> bool:
    """Whether a setting changes the same quantity as another in the same direction, but less."""
    first, second = _change(one), _change(other)
    return one.quantity == other.quantity and first * second > 0.0 and abs(first) < abs(second)


def _change(setting: OODSetting) -> float:
    """Return the severity of a corruption, or the logarithm of the factor of a physical quantity."""
    return setting.parameter if setting.world == PONG else math.log(setting.parameter / setting.quantity.default)


def _columns(ours: _Ours | None, column: PublishedColumn, best: bool) -> dict[str, str]:
    """Return the first agent, and standard deviations over agents, over trials and over the published trials."""
    found: dict[str, float | None] = dict.fromkeys(("first agent", "± agents", "± trials"))
    if ours is not None:
        (agents, trials), per_agent = ours.auc.shape, ours.per_agent(best)
        found |= {"first agent": per_agent[0], "± agents": per_agent.std(ddof=1)} if agents > 1 else {}
        found |= {"± trials": float(np.sqrt(ours.auc.var(axis=1, ddof=1).mean()))} if trials > 1 else {}
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
