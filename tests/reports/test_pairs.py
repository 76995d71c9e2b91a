"""The page carries the same paired comparisons as the results."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from offnominal.reports.page_numbers import UNIT
from offnominal.reports.payload import payload
from offnominal.studies.leaderboards import leaderboard, over_training_runs
from offnominal.studies.metric_table import MetricTable
from offnominal.studies.paired_comparison import compare_pair
from offnominal.studies.results import RunResults

from .synthetic import WORLDS

pytestmark = pytest.mark.long

LETTERS = {"win": "w", "tie": "t", "loss": "l"}


@pytest.fixture(scope="module")
def table(made_up):
    """Four detectors; one has no results for a fault, another none in a training run of a fault."""
    rows = made_up.table.filter(pc.is_in(made_up.table["name"], pa.array(["PE-DM", "KNN", "RIQN", "Random"])))
    columns = [rows[name].to_pylist() for name in ("world", "split", "name", "seed")]
    lacking = {("action/noise@tiny", "RIQN", 0), ("action/noise@tiny", "RIQN", 1), ("action/delay@medium", "PE-DM", 1)}
    kept = [row[0] != WORLDS[0] or tuple(row[1:]) not in lacking for row in zip(*columns, strict=True)]
    return rows.filter(kept)


@pytest.fixture(scope="module")
def data(made_up, table):
    return payload(RunResults("s", "T", "", "", {}, table, made_up.examples.slice(0, 0)))


@pytest.mark.parametrize("metric", ["matched_auroc", "fpr95"])
@pytest.mark.parametrize("names", [("KNN", "Random"), ("RIQN", "KNN")])
def test_pairs_on_the_page_are_those_of_the_results(data, table, metric, names):
    pairs = list(combinations(data["names"], 2))
    first, second = names if names in pairs else names[::-1]
    found = compare_pair(table, first, second, metric)
    carried, place = data["pairs"][metric], pairs.index((first, second))
    difference = found.overall.difference
    assert carried["differences"]["-1,-1,-1"][place] == pytest.approx(
        [value / UNIT for value in (difference.value, difference.low, difference.high)], abs=1
    )
    outcomes = {(pair.world, pair.split): LETTERS[pair.outcome] for pair in found.pairs}
    expected = [outcomes.get((fault["world"], fault["split"]), "-") for fault in data["faults"]]
    assert carried["outcomes"][place] == "".join(expected)


def test_pooled_training_runs_have_the_same_leaderboard(table):
    measured = MetricTable.of(table, "matched_auroc")
    for kind in (None, "action"):
        slow, fast = leaderboard(measured, kind=kind), leaderboard(over_training_runs(measured), kind=kind)
        assert [(each.name, each.rank, each.tie) for each in slow] == [
            (each.name, each.rank, each.tie) for each in fast
        ]
        for one, other in zip(slow, fast, strict=True):
            np.testing.assert_allclose(one.estimate.draws, other.estimate.draws, rtol=1e-6)
