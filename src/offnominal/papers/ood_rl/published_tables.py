"""The published tables and figures of the paper, and our results for them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.ood_rl.detection_results import KINDS, UNCERTAINTY, DetectionResults
from offnominal.papers.ood_rl.published import PublishedRow, published_rows
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG, OODSetting, settings
from offnominal.papers.paper import DEFAULT_SCALE, Published, PublishedFigure, PublishedTable
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

STUDY = "ood-rl"
ABSENT = "not in this run"
UNPLACED = "setting unknown; ours: all it may be"


Found = tuple[str, OODSetting, FloatArray]
"""Kind of agent, setting, and AUC of each trial."""


def table_1(results: RunResults) -> list[PublishedComparison]:
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


def auc_table(results: RunResults, *, number: int, world: str, best: bool) -> list[PublishedComparison]:
    """Compare the AUC of the policies' uncertainty in the settings in which agents fail, as in the paper.

    Ours is of the first agent: the mean over trials with their range, or the best of them.

    Args:
        results: Results of a run.
        number: Number of the table.
        world: Id of the world.
        best: Whether it has the best trial of each row.
    """
    rows = [row for row in published_rows() if row.world == world and (best or number in row.tables)]
    placed = {(row.method, row.anomaly, row.value): row for row in rows if row.method and row.value is not None}
    outcomes = OODResults.of(results.table)
    lines, ours, others = [], list[Found](), list[Found]()
    for detections in outcomes.in_world(world):
        if detections.method != UNCERTAINTY:
            continue
        failed = outcomes.failed(detections)
        for place, setting in enumerate(detections.settings):
            row = placed.get((detections.uncertainty, setting.anomaly, setting.parameter))
            trials = detections.reading("auc")[place, 0]
            if failed[place] or row is not None:
                ours.append((detections.uncertainty, setting, trials))
                lines.append(_line(detections, setting, trials, row, best))
            else:
                others.append((detections.uncertainty, setting, trials))
    known = placed.values() if outcomes.detections else ()
    apart = [row for row in rows if row not in known and _shown(row, best)]
    return lines + [_apart(row, _of(row, ours) or _of(row, others), best) for row in apart]


def _line(
    detections: DetectionResults, setting: OODSetting, trials: FloatArray, row: PublishedRow | None, best: bool
) -> PublishedComparison:
    labels = {"method": KINDS[detections.uncertainty], "setting": setting.label}
    if best:
        return PublishedComparison(labels, Estimate(float(trials.max())), row.best if row else None)
    deviation = float(trials.std(ddof=1)) if len(trials) > 1 else 0.0
    note = f"± {deviation:.3f}" + (f", published ± {row.std:.3f}" if row and row.std is not None else "")
    return PublishedComparison(labels, Estimate(float(trials.mean()), trials), row.mean if row else None, note=note)


def _shown(row: PublishedRow, best: bool) -> bool:
    return row.best is not None if best else True


def _of(row: PublishedRow, found: Iterable[Found]) -> list[FloatArray]:
    """Return the trials of all settings that a published row may belong to."""
    return [
        trials
        for kind, setting, trials in found
        if row.method in ("", kind) and row.anomaly in ("", setting.anomaly) and row.value in (None, setting.parameter)
    ]


def _apart(row: PublishedRow, trials: list[FloatArray], best: bool) -> PublishedComparison:
    """Return a published row with unknown method or setting, and all of ours that it may belong to.

    A match with so wide a range is no evidence, so the published number is in the note and there is no verdict.
    """
    named = next((each.quantity.name for each in settings(row.world) if each.anomaly == row.anomaly), "")
    labels = {"method": KINDS.get(row.method, "one of three"), "setting": named or "mean deviation over trials"}
    if not trials:
        return PublishedComparison(labels, Estimate(None), row.best if best else row.mean or row.std, note=ABSENT)
    if not row.anomaly:
        values = np.array([each.std(ddof=1) for each in trials if len(each) > 1] or [0.0])
        return PublishedComparison(labels, Estimate(float(values.mean())), row.std)
    values = np.array([each.max() if best else each.mean() for each in trials])
    number = f"{row.best:.3f}" if best else f"{row.mean:.3f} ± {row.std:.3f}"
    return PublishedComparison(
        labels, Estimate(float(values.mean()), values), None, note=f"published {number}, {UNPLACED}"
    )


def _published(number: int, title: str, world: str, *, best: bool = False) -> PublishedTable:
    compare = partial(auc_table, number=number, world=world, best=best)
    scale = "pong" if world == PONG else DEFAULT_SCALE
    return PublishedTable(number, title, STUDY, compare, scale=scale, worlds=(world,))


_ONE = "mean over trials; the method of the published numbers is not known to us"
TABLES = [
    PublishedTable(1, "all settings: returns, and where agents fail", STUDY, table_1, worlds=(CARTPOLE, PENDULUM)),
    _published(3, "CartPole, best of the trials; no published number is known to us", CARTPOLE, best=True),
    _published(4, "Pendulum, best of the trials", PENDULUM, best=True),
    _published(5, "Pong, best of the trials", PONG, best=True),
    *(_published(number, f"CartPole, {_ONE}", CARTPOLE) for number in (6, 7, 8)),
    *(_published(number, f"Pendulum, {_ONE}", PENDULUM) for number in (9, 10, 11)),
    *(_published(number, f"Pong, {_ONE}", PONG) for number in range(12, 20)),
]
UNKNOWN_TABLES = {"2": "We know neither its content nor its numbers."}
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
PUBLISHED = Published(tuple(TABLES), tuple(FIGURES), UNKNOWN_TABLES, UNKNOWN_FIGURES)
