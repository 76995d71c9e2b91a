"""Standings say who is better, who is tied, and who is not comparable."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import friedmanchisquare, studentized_range

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.evaluation.estimate import Estimate
from offnominal.studies.friedman import compare_ranks, friedman
from offnominal.studies.leaderboards import leaderboard, pivot, tie_letters
from offnominal.studies.metric_table import MetricTable


def row(name, value, *, world="A-v0", split="action/noise@tiny", seed=0, draws=None, metric="auroc", policy="tqc"):
    return {
        "world": world,
        "policy": policy,
        "name": name,
        "seed": seed,
        "split": split,
        "kind": split.partition("/")[0],
        "level": split.partition("@")[2],
        "alarm": None,
        metric: value,
        f"draws_{metric}": [value - 0.01, value + 0.01] if draws is None else draws,
    }


def table(*rows):
    return pa.Table.from_pylist(list(rows))


def test_the_mean_counts_every_world_the_same():
    rows = [row("KNN", 1.0, split=f"action/noise@{level}") for level in ("tiny", "medium", "strong")]
    (standing,) = leaderboard(table(*rows, row("KNN", 0.0, world="B-v0")), "auroc")
    assert standing.estimate.value == 0.5
    assert standing.blocks == 4


def test_lower_is_better_for_delays():
    name = "net_delay"
    board = leaderboard(table(row("slow", 9.0, metric=name), row("fast", 2.0, metric=name)), name)
    assert [standing.name for standing in board] == ["fast", "slow"]


def test_luck_that_detectors_share_does_not_tie_them():
    luck = np.random.default_rng(0).normal(0.0, 0.1, 400)
    own = np.random.default_rng(1).normal(0.0, 0.1, 400)
    paired = leaderboard(table(row("A", 0.8, draws=0.8 + luck), row("B", 0.75, draws=0.75 + luck)), "auroc")
    differs_from_zero = leaderboard(table(row("A", 0.8, draws=0.8 + luck), row("B", 0.75, draws=0.75 + own)), "auroc")
    assert [standing.tie for standing in paired] == ["a", "b"]
    assert [standing.tie for standing in differs_from_zero] == ["a", "a"]


def test_a_detector_without_some_results_has_no_rank_and_no_letter():
    board = leaderboard(
        table(row("A", 0.6), row("A", 0.6, world="B-v0"), row("B", 0.99), row("C", 0.5), row("C", 0.5, world="B-v0")),
        "auroc",
    )
    assert [(standing.name, standing.rank, bool(standing.tie)) for standing in board] == [
        ("A", 1, True),
        ("C", 2, True),
        ("B", None, False),
    ]


def test_training_runs_widen_the_interval():
    one = leaderboard(table(row("A", 0.5, draws=np.full(200, 0.5))), "auroc")[0].estimate
    rows = [row("A", value, seed=seed, draws=np.full(200, value)) for seed, value in enumerate((0.3, 0.5, 0.7))]
    several = leaderboard(table(*rows), "auroc")[0].estimate
    assert one.high - one.low == 0.0
    assert several.value == pytest.approx(0.5)
    assert several.high - several.low > 0.1


def test_a_choice_leaves_other_faults_out():
    both = table(row("A", 0.9), row("A", 0.1, split="dynamics/mass@strong"), row("A", 0.3, world="B-v0"))
    assert leaderboard(both, "auroc", kind="dynamics")[0].estimate.value == pytest.approx(0.1)
    assert leaderboard(both, "auroc", world="B-v0")[0].estimate.value == pytest.approx(0.3)
    assert leaderboard(both, "auroc", level="tiny", world="A-v0")[0].estimate.value == pytest.approx(0.9)


def test_policies_are_settings_of_their_own():
    measured = MetricTable.of(table(row("A", 0.9), row("A", 0.1, policy="scripted")), "auroc")
    assert sorted(set(measured.world.tolist())) == ["A-v0 (scripted)", "A-v0 (tqc)"]


def test_wrong_metrics_are_named():
    with pytest.raises(UnknownName, match="matched_auroc"):
        leaderboard(table(row("A", 0.9)), "matched_aurok")
    with pytest.raises(InvalidParameter, match="fpr95"):
        leaderboard(table(row("A", 0.9)), "fpr95")


def test_a_pivot_holds_what_there_is():
    found = pivot(table(row("A", 0.9), row("B", 0.3), row("A", 0.7, world="B-v0")), "auroc", "world", "name")
    assert {key: estimate.value for key, estimate in found.items()} == {
        ("A-v0", "A"): 0.9,
        ("A-v0", "B"): 0.3,
        ("B-v0", "A"): 0.7,
    }
    assert isinstance(found["A-v0", "A"], Estimate)


@pytest.mark.parametrize("seed", range(20))
def test_letters_are_shared_exactly_by_those_not_told_apart(seed):
    rng = np.random.default_rng(seed)
    names = list("ABCDEFGH")[: rng.integers(2, 9)]
    pairs = {(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.5}
    letters = tie_letters(names, pairs)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            assert bool(set(letters[one]) & set(letters[other])) == ((one, other) not in pairs)


@pytest.mark.parametrize("ties", [False, True])
def test_friedman_is_that_of_scipy(ties):
    values = np.random.default_rng(3).normal(size=(15, 5))
    if ties:
        values = np.round(values, 0)
    found = compare_ranks(list("ABCDE"), values)
    statistic, p_value = friedmanchisquare(*values.T)
    assert found.statistic == pytest.approx(statistic)
    assert found.p_value == pytest.approx(p_value)


def test_the_critical_difference_is_that_of_demsar():
    # Table 5 (a) of Demšar (2006): q is 2.728 for five classifiers; Nemenyi over 30 data sets.
    found = compare_ranks(list("ABCDE"), np.random.default_rng(0).normal(size=(30, 5)))
    assert found.critical_difference == pytest.approx(2.728 * np.sqrt(5 * 6 / (6 * 30)), rel=1e-3)
    assert studentized_range.ppf(0.95, 5, np.inf) / np.sqrt(2) == pytest.approx(2.728, abs=1e-3)


def test_ranks_average_training_runs_and_skip_the_incomplete():
    rows = [
        row("A", value, seed=seed, split=f"action/noise@{level}")
        for level in ("tiny", "strong")
        for seed, value in enumerate((0.2, 0.8))
    ]
    rows += [row("B", 0.6, split=f"action/noise@{level}") for level in ("tiny", "strong")]
    found = friedman(MetricTable.of(table(*rows, row("C", 0.9)), "auroc"), "auroc")
    assert found.names == ("B", "A")
    assert found.ranks == (1.0, 2.0)
