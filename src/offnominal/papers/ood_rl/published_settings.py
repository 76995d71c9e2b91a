"""The settings of Table 1: those of the study against the published ones."""

from __future__ import annotations

from collections.abc import Iterator

from offnominal.anomalies.catalogue import anomalies as anomaly_registry
from offnominal.evaluation.estimate import Estimate
from offnominal.papers.ood_rl.published import ANOMALIES, PAPER, WORLDS
from offnominal.papers.ood_rl.settings import PONG, OODSetting, settings
from offnominal.papers.printed_values import Row, printed_values
from offnominal.papers.protocol import protocol
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults


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
