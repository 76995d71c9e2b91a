"""Our AUC beside the published columns."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from offnominal.alarms.share_interval import TAIL
from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.ood_rl.detection_results import KINDS, UNCERTAINTY
from offnominal.papers.ood_rl.published import PAPER, PublishedColumn
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import OODSetting
from offnominal.papers.ood_rl.study import OODStudy
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

ABSENT = "not in this run"
NOT_FAILED = "published because the agent fails; ours do not"


def auc_table(results: RunResults, *, columns: Sequence[PublishedColumn], best: bool) -> list[PublishedComparison]:
    """Compare the AUC of the policies' uncertainty with published columns of one world.

    Ours is the mean over agents of the mean over trials, or of the best of them. Its interval is that of one more
    agent; a published mean has the interval of its trials.

    Args:
        results: Results of a run.
        columns: The published columns of the table.
        best: Whether it has the best trial of each column.
    """
    found = measured_auc(OODResults.of(results.table), columns[0].world)
    return [_line(column, found[column.method], best) for column in columns]


def without_columns(study: OODStudy, *, columns: Sequence[PublishedColumn]) -> str:
    """Return why a run of a study has no AUC for some published columns; empty if it has their world and kinds.

    Args:
        study: The study at the scale of the run.
        columns: The published columns of a table.
    """
    world = columns[0].world
    if world not in study.worlds:
        return f"it is about {world}, and the run has {', '.join(study.worlds)}"
    kinds = [each for each in study.uncertainties if each not in study.change(world).excluded_uncertainties]
    if any(column.method in kinds for column in columns):
        return ""
    wanted, known = (
        ", ".join(dict.fromkeys(KINDS[each] for each in some)) for some in ((c.method for c in columns), kinds)
    )
    return f"it is about agents with {wanted}, and the run has {known}"


def _line(column: PublishedColumn, measured: Sequence[MeasuredAUC], best: bool) -> PublishedComparison:
    ours = next((each for each in measured if each.setting == column.setting), None)
    labels = {"method": KINDS[column.method], "setting": column.setting.label, **_columns(ours, column, best)}
    published, reach = (column.best, 0.0) if best else (column.mean, column.reach)
    rule = protocol(PAPER).rule("share")
    if ours is None:
        return PublishedComparison(labels, Estimate(None), published, rule, ABSENT, reach=reach)
    note = "" if ours.failed else NOT_FAILED
    return PublishedComparison(labels, ours.estimate(best), published, rule, note, reach=reach)


def _columns(ours: MeasuredAUC | None, column: PublishedColumn, best: bool) -> dict[str, str]:
    """Return the first agent, and standard deviations over agents, over trials and over the published trials."""
    found: dict[str, float | None] = dict.fromkeys(("first agent", "± agents", "± trials"))
    if ours is not None:
        (agents, trials), per_agent = ours.auc.shape, ours.per_agent(best)
        found |= {"first agent": per_agent[0], "± agents": per_agent.std(ddof=1)} if agents > 1 else {}
        found |= {"± trials": float(np.sqrt(ours.auc.var(axis=1, ddof=1).mean()))} if trials > 1 else {}
    found["± published"] = column.std
    return {name: "–" if value is None else fixed(value, 3) for name, value in found.items()}


FEWEST_AGENTS = 3
"""Of an interval."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredAUC:
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
        """Return the mean over agents with the interval of one more agent; of fewer than three, it has none."""
        per_agent = self.per_agent(best)
        mean, count = float(per_agent.mean()), len(per_agent)
        if count < FEWEST_AGENTS:
            return Estimate(mean)
        half = stdtrit(count - 1, 1.0 - TAIL) * per_agent.std(ddof=1) * math.sqrt(1.0 + 1.0 / count)
        return Estimate(mean, np.clip([mean - half, mean + half], 0.0, 1.0))


def measured_auc(outcomes: OODResults, world: str) -> defaultdict[str, list[MeasuredAUC]]:
    """Return our AUC in all settings of a world, by kind of agent.

    Args:
        outcomes: Results of a run.
        world: Id of the world.
    """
    found: defaultdict[str, list[MeasuredAUC]] = defaultdict(list)
    for detections in outcomes.in_world(world):
        if detections.method == UNCERTAINTY:
            measured = zip(
                detections.settings, detections.reading("auc"), outcomes.failed(detections).tolist(), strict=True
            )
            found[detections.uncertainty] += [MeasuredAUC(*each) for each in measured]
    return found
