"""The published tables and figures of the paper, and our results for them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

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
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG, settings
from offnominal.papers.paper import DEFAULT_SCALE, Published, PublishedFigure, PublishedTable
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

STUDY = "ood-rl"
ABSENT = "not in this run"
NAMES = {world: name for name, world in WORLDS.items()}
UNPUBLISHED = "agents fail, but the setting is not published"

Place = tuple[str, str, float]
"""Kind of agent, anomaly and its parameter."""


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


def auc_table(results: RunResults, *, columns: Sequence[PublishedColumn], best: bool) -> list[PublishedComparison]:
    """Compare the AUC of the policies' uncertainty with published columns of one world.

    Ours is of the first agent: the mean over trials with their range, or the best of them. Settings of the same methods
    in which our agents fail come last.

    Args:
        results: Results of a run.
        columns: The published columns of the table.
        best: Whether it has the best trial of each column.
    """
    world, methods = columns[0].world, {column.method for column in columns}
    outcomes = OODResults.of(results.table)
    ours: dict[Place, FloatArray] = {}
    failed: dict[Place, bool] = {}
    for detections in outcomes.in_world(world):
        if detections.method == UNCERTAINTY and detections.uncertainty in methods:
            fails = outcomes.failed(detections)
            for place, setting in enumerate(detections.settings):
                key = (detections.uncertainty, setting.anomaly, setting.parameter)
                ours[key], failed[key] = detections.reading("auc")[place, 0], bool(fails[place])
    published = {(column.method, column.anomaly, column.parameter): column for column in columns}
    more = [key for key in ours if failed[key] and key not in published]
    return [_line(world, key, ours.get(key), published.get(key), best) for key in [*published, *more]]


def _line(
    world: str, place: Place, trials: FloatArray | None, column: PublishedColumn | None, best: bool
) -> PublishedComparison:
    method, anomaly, parameter = place
    setting = next(each for each in settings(world) if (each.anomaly, each.parameter) == (anomaly, parameter))
    labels = {"method": KINDS[method], "setting": setting.label}
    number = None if column is None else column.best if best else column.mean
    notes = [] if column is not None else [UNPUBLISHED]
    if trials is None:
        return PublishedComparison(labels, Estimate(None), number, note=ABSENT)
    if best:
        return PublishedComparison(labels, Estimate(float(trials.max())), number, note="".join(notes))
    deviation = float(trials.std(ddof=1)) if len(trials) > 1 else 0.0
    notes.append(f"± {deviation:.3f}" + ("" if column is None else f", published ± {column.std:.3f}"))
    return PublishedComparison(labels, Estimate(float(trials.mean()), trials), number, note="; ".join(notes))


def _table(number: int, columns: Sequence[PublishedColumn], title: str, *, best: bool) -> PublishedTable:
    world = columns[0].world
    return PublishedTable(
        number,
        title,
        STUDY,
        partial(auc_table, columns=columns, best=best),
        scale="pong" if world == PONG else DEFAULT_SCALE,
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
    PublishedTable(1, "all settings: returns, and where agents fail", STUDY, table_1, worlds=(CARTPOLE, PENDULUM)),
    *(_best_table(world) for world in (CARTPOLE, PENDULUM, PONG)),
    *(_trial_table(number) for number in TRIAL_TABLES),
]
UNKNOWN_TABLES = {"2": "It lists the methods that the paper applies to each world, and has no numbers."}
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
