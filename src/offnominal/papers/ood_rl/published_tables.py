"""The published tables and figures of the paper, and our results for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from offnominal.anomalies.catalogue import anomalies as anomaly_registry
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.ood_rl.auc_tables import auc_table, without_columns
from offnominal.papers.ood_rl.detection_results import KINDS
from offnominal.papers.ood_rl.published import (
    ANOMALIES,
    BEST_TABLES,
    PAPER,
    TRIAL_TABLES,
    WORLDS,
    PublishedColumn,
    published_columns,
)
from offnominal.papers.ood_rl.published_figures import published_figures
from offnominal.papers.ood_rl.results import OODResults
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG, OODSetting, settings
from offnominal.papers.paper import DEFAULT_SCALE, Published, PublishedTable
from offnominal.papers.printed_values import Row, printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

STUDY = "ood-rl"
PONG_SCALE = "pong-agents"
"""It has the cells of scale ``pong`` inside the policy, and those of more agents."""
NAMES = {world: name for name, world in WORLDS.items()}


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


def _table(number: int, columns: Sequence[PublishedColumn], title: str, *, best: bool) -> PublishedTable:
    world = columns[0].world
    return PublishedTable(
        number,
        title,
        STUDY,
        partial(auc_table, columns=columns, best=best),
        scale=PONG_SCALE if world == PONG else DEFAULT_SCALE,
        worlds=(world,),
        unfilled=partial(without_columns, columns=columns),
    )


def _best_table(world: str) -> PublishedTable:
    columns = [column for column in published_columns() if column.world == world]
    return _table(BEST_TABLES[world], columns, f"{NAMES[world]}, best of the trials", best=True)


def _trial_table(number: int) -> PublishedTable:
    columns = [column for column in published_columns() if column.table == number]
    title = f"{NAMES[columns[0].world]}, {KINDS[columns[0].method]}, mean over trials"
    return _table(number, columns, title, best=False)


def setting_table(results: RunResults) -> list[PublishedComparison]:
    """Compare the 155 numbers of the 150 settings: a setting of motion blur has two."""
    found = {(each.world, each.anomaly): [*_of_anomaly(each)] for each in settings()}
    return [line for row in printed_values(PAPER, "table_1") for line in _lines(row, found)]


def _of_anomaly(first: OODSetting) -> Iterator[tuple[float, ...]]:
    """Yield the values in force in each setting of an anomaly, in the order of Table 1."""
    for each in settings(first.world):
        if each.anomaly == first.anomaly:
            yield _in_force(each)


def _in_force(setting: OODSetting) -> tuple[float, ...]:
    """Return the modified value; of a corruption of Pong, what its severity stands for."""
    if setting.world != PONG:
        return (setting.parameter,)
    stands_for = anomaly_registry.spec(setting.anomaly).load().settings[int(setting.parameter) - 1]
    return tuple(map(float, stands_for)) if isinstance(stands_for, tuple) else (float(stands_for),)


def _lines(row: Row, found: dict[tuple[str, str], list[tuple[float, ...]]]) -> Iterator[PublishedComparison]:
    world = WORLDS[row["task"]]
    ours = found[world, ANOMALIES[world][row["parameter"]]][int(row["index"]) - 1]
    published = [float(row[name]) for name in ("value", "value2") if row[name]]
    for place, value in enumerate(published):
        labels = {"world": world, "quantity": row["parameter_printed"], "setting": row["index"]}
        yield PublishedComparison(labels, Estimate(ours[place]), value, protocol(PAPER).rule("setting"))


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
_UNKNOWN = "We do not know its content."
UNKNOWN_FIGURES = {
    **dict.fromkeys(("1", "2", "3"), _UNKNOWN),
    "6": "It shows corrupted frames of Pong; ours are on the page of that world.",
}
PUBLISHED = Published(
    tuple(TABLES), published_figures(STUDY), unknown_figures=UNKNOWN_FIGURES, protocol=protocol(PAPER)
)
