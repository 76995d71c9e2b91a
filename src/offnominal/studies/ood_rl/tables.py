"""The tables of the paper: ours, and what is known of print."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from offnominal.core.types import FloatArray
from offnominal.evaluation.estimate import Estimate
from offnominal.studies.comparison import Comparison
from offnominal.studies.ood_rl.outcomes import OODOutcomes
from offnominal.studies.ood_rl.printed import PrintedRow, printed_rows
from offnominal.studies.ood_rl.settings import CARTPOLE, PENDULUM, PONG, OODSetting, settings
from offnominal.studies.ood_rl.watched import KINDS, UNCERTAINTY, Watched
from offnominal.studies.papers import USUAL, Printed, PrintedFigure
from offnominal.studies.results import RunResults

STUDY = "ood-rl"
ABSENT = "not in this run"
UNPLACED = "setting unknown; ours: all it may be"


Found = tuple[str, OODSetting, FloatArray]
"""Kind of agent, setting, and AUC of each trial."""


def table_1(results: RunResults) -> list[Comparison]:
    """Give what agents earn in every setting of Table 1, and whether they fail; print says only that some do."""
    return [
        Comparison(
            {"world": found.world, "agent": KINDS[found.uncertainty], "setting": setting.label},
            Estimate(float(found.mean[place].mean()), found.mean[place].repeat(2)),
            None,
            note="failed" if found.mostly_failed[place] else "",
        )
        for found in OODOutcomes.of(results.table).earned
        for place, setting in enumerate(found.settings)
    ]


def auc_table(results: RunResults, *, number: int, world: str, best: bool) -> list[Comparison]:
    """Compare the AUC of the policies' uncertainty in the settings in which agents fail, as the paper reads it.

    Ours is of the first agent: the mean over trials with their range, or the best of them.

    Args:
        results: Of a run.
        number: Of the table.
        world: It is of.
        best: Whether it prints the best trial of each row.
    """
    rows = [row for row in printed_rows() if row.world == world and (best or number in row.tables)]
    placed = {(row.method, row.anomaly, row.value): row for row in rows if row.method and row.value is not None}
    outcomes = OODOutcomes.of(results.table)
    lines, ours, others = [], list[Found](), list[Found]()
    for watched in outcomes.in_world(world):
        if watched.method != UNCERTAINTY:
            continue
        failed = outcomes.failed(watched)
        for place, setting in enumerate(watched.settings):
            row = placed.get((watched.uncertainty, setting.anomaly, setting.parameter))
            trials = watched.reading("auc")[place, 0]
            if failed[place] or row is not None:
                ours.append((watched.uncertainty, setting, trials))
                lines.append(_line(watched, setting, trials, row, best))
            else:
                others.append((watched.uncertainty, setting, trials))
    apart = [row for row in rows if row not in placed.values() and _shown(row, best)]
    return lines + [_apart(row, _of(row, ours) or _of(row, others), best) for row in apart]


def _line(watched: Watched, setting: OODSetting, trials: FloatArray, row: PrintedRow | None, best: bool) -> Comparison:
    labels = {"method": KINDS[watched.uncertainty], "setting": setting.label}
    if best:
        return Comparison(labels, Estimate(float(trials.max())), row.best if row else None)
    deviation = float(trials.std(ddof=1)) if len(trials) > 1 else 0.0
    note = f"± {deviation:.3f}" + (f", print ± {row.std:.3f}" if row and row.std is not None else "")
    return Comparison(labels, Estimate(float(trials.mean()), trials), row.mean if row else None, note=note)


def _shown(row: PrintedRow, best: bool) -> bool:
    return row.best is not None if best else True


def _of(row: PrintedRow, found: Iterable[Found]) -> list[FloatArray]:
    """Return the trials of all settings that a printed row may be of."""
    return [
        trials
        for kind, setting, trials in found
        if row.method in ("", kind) and row.anomaly in ("", setting.anomaly) and row.value in (None, setting.parameter)
    ]


def _apart(row: PrintedRow, trials: list[FloatArray], best: bool) -> Comparison:
    """Return a printed row of which method or setting is not known, beside all of ours that it may be of.

    To lie within so wide a range is no evidence, so print is told in the note and no verdict is given.
    """
    named = next((each.quantity.name for each in settings(row.world) if each.anomaly == row.anomaly), "")
    labels = {"method": KINDS.get(row.method, "one of three"), "setting": named or "mean deviation over trials"}
    if not trials:
        return Comparison(labels, Estimate(None), row.best if best else row.mean or row.std, note=ABSENT)
    if not row.anomaly:
        values = np.array([each.std(ddof=1) for each in trials if len(each) > 1] or [0.0])
        return Comparison(labels, Estimate(float(values.mean())), row.std)
    values = np.array([each.max() if best else each.mean() for each in trials])
    number = f"{row.best:.3f}" if best else f"{row.mean:.3f} ± {row.std:.3f}"
    return Comparison(labels, Estimate(float(values.mean()), values), None, note=f"print {number}, {UNPLACED}")


def _printed(number: int, title: str, world: str, *, best: bool = False) -> Printed:
    compare = partial(auc_table, number=number, world=world, best=best)
    return Printed(number, title, STUDY, compare, scale="pong" if world == PONG else USUAL)


_ONE = "mean over trials; which method the printed one is of is not known here"
TABLES = [
    Printed(1, "all settings: returns, and where agents fail", STUDY, table_1),
    _printed(3, "CartPole, best of the trials; no printed number is known here", CARTPOLE, best=True),
    _printed(4, "Pendulum, best of the trials", PENDULUM, best=True),
    _printed(5, "Pong, best of the trials", PONG, best=True),
    *(_printed(number, f"CartPole, {_ONE}", CARTPOLE) for number in (6, 7, 8)),
    *(_printed(number, f"Pendulum, {_ONE}", PENDULUM) for number in (9, 10, 11)),
    *(_printed(number, f"Pong, {_ONE}", PONG) for number in range(12, 20)),
]
UNKNOWN_TABLES = {"2": "We know neither what it shows nor its numbers."}
FIGURES = [
    PrintedFigure(4, "values of both pushes along an unchanged and a changed episode", STUDY, "q_values"),
    PrintedFigure(5, "torque along an unchanged and a changed episode", STUDY, "actions"),
]
_UNKNOWN = "We do not know what it shows."
UNKNOWN_FIGURES = {
    **dict.fromkeys(("1", "2", "3"), _UNKNOWN),
    "6": "It shows corrupted frames of Pong; ours are on the page of that world.",
}
