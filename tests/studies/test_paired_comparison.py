"""Two detectors of a run, compared on the faults that both were evaluated on."""

from __future__ import annotations

import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.studies.leaderboards import leaderboard
from offnominal.studies.paired_comparison import compare_pair

TINY, STRONG, SENSOR = "action/noise@tiny", "action/noise@strong", "observation/offset@tiny"


def row(name, split, value, draws, *, world="A-v0", seed=0, metric="auroc"):
    kind, level = split.partition("/")[0], split.partition("@")[2]
    about = {"world": world, "policy": "tqc", "name": name, "seed": seed, "split": split, "kind": kind, "level": level}
    return {**about, "alarm": None, metric: value, f"draws_{metric}": draws}


def table(values, metric="auroc", noise=0.01):
    """One row per (name, split); the replicates of all detectors vary together."""
    return pa.Table.from_pylist(
        [
            row(name, split, value, [value - noise, value + noise], metric=metric)
            for (name, split), value in values.items()
        ]
    )


def test_every_fault_counts_once_as_win_tie_or_loss_in_its_kind_and_level():
    values = {("A", TINY): 0.7, ("A", STRONG): 0.9, ("A", SENSOR): 0.5}
    values |= {("B", TINY): 0.6, ("B", STRONG): 0.9, ("B", SENSOR): 0.8}
    found = compare_pair(table(values), "A", "B", "auroc")
    assert [(pair.split, pair.outcome) for pair in found.pairs] == [(TINY, "win"), (STRONG, "tie"), (SENSOR, "loss")]
    counted = {
        (column, value): (group.wins, group.ties, group.losses)
        for column, groups in found.groups.items()
        for value, group in groups.items()
    }
    assert counted == {
        ("world", "A-v0"): (1, 1, 1),
        ("kind", "action"): (1, 1, 0),
        ("kind", "observation"): (0, 0, 1),
        ("level", "tiny"): (1, 0, 1),
        ("level", "strong"): (0, 1, 0),
    }
    assert (found.better, found.left_out) == ("B", 0)


def test_the_means_are_those_of_the_leaderboard():
    values = {("A", TINY): 0.7, ("A", SENSOR): 0.5, ("B", TINY): 0.6, ("B", SENSOR): 0.8}
    found = compare_pair(table(values), "A", "B", "auroc")
    board = {entry.name: entry.estimate for entry in leaderboard(table(values), "auroc")}
    assert str(found.overall.first) == str(board["A"])
    assert str(found.overall.difference) == str(board["A"] - board["B"])


def test_a_lower_delay_is_a_win():
    name = "net_delay"
    found = compare_pair(table({("slow", TINY): 9.0, ("fast", TINY): 2.0}, name), "fast", "slow", name)
    assert (found.better, found.overall.wins) == ("fast", 1)


def test_a_difference_whose_interval_contains_zero_is_a_tie():
    rows = [row("A", TINY, 0.7, [0.6, 0.8]), row("B", TINY, 0.69, [0.75, 0.65])]
    found = compare_pair(pa.Table.from_pylist(rows), "A", "B", "auroc")
    assert (found.better, found.overall.outcome, found.overall.ties) == (None, "tie", 1)


def test_without_replicates_the_sign_decides():
    rows = [row("A", TINY, 0.7, []), row("B", TINY, 0.69, [])]
    found = compare_pair(pa.Table.from_pylist(rows), "A", "B", "auroc")
    assert (found.better, found.overall.difference.low) == ("A", None)


def test_faults_of_only_one_detector_are_left_out_and_counted():
    values = {("A", TINY): 0.7, ("A", SENSOR): 0.1, ("B", TINY): 0.6}
    found = compare_pair(table(values), "A", "B", "auroc")
    assert (len(found.pairs), found.left_out, found.better) == (1, 1, "A")


def test_a_wrong_name_answers_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'KNN'"):
        compare_pair(table({("KNN", TINY): 0.7, ("LOF", TINY): 0.6}), "KN", "LOF", "auroc")


@pytest.mark.parametrize(
    ("values", "second"),
    [({("A", TINY): 0.7, ("B", SENSOR): 0.6}, "B"), ({("A", TINY): 0.7, ("B", TINY): 0.6}, "A")],
    ids=["no common fault", "the same detector"],
)
def test_nothing_to_compare_is_an_error(values, second):
    with pytest.raises(InvalidParameter):
        compare_pair(table(values), "A", second, "auroc")


def test_a_run_of_another_kind_is_an_error():
    with pytest.raises(InvalidParameter, match="study on faults"):
        compare_pair(pa.table({"method": ["A"], "auc": [0.5]}), "A", "B", "auroc")
