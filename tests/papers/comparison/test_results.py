"""What a comparison has found."""

import math

import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults

pytestmark = pytest.mark.long


def row(table, method, seed, configuration, validation, test, **others):
    about = {"key": f"{table}{method}{seed}", "table": table, "method": method, "seed": seed}
    numbers = {"validation_auc": validation, "test_auc": test, "normal_score": 0.0, "polarity": 0.4}
    cost = {"fit_s": 2.0, "score_s": 1.0, "failure": ""}
    return about | {"configuration": configuration} | numbers | cost | others


@pytest.fixture
def table():
    rows = []
    for seed in (1, 2, 3):
        rows.append(row("iris", "knn", seed, '{"n_neighbors": 1}', 0.9, 0.8))
        rows.append(row("iris", "knn", seed, '{"n_neighbors": 3}', 0.95 if seed == 1 else 0.8, 0.6, polarity=-0.5))
        rows.append(row("iris", "knn", seed, '{"ensemble": 5}', 0.9, 0.85))
        rows.append(row("iris", "orbf", seed, '{"gamma": 1.0}', 0.9, 0.92))
        rows.append(row("wine", "knn", seed, '{"n_neighbors": 1}', None, None, failure="too few rows", polarity=None))
    return pa.Table.from_pylist(rows)


def test_protocols_choose_for_all_seeds_or_for_each(table):
    outcomes = ComparisonResults.of(table)
    assert outcomes.chosen("mean")["iris", "knn"].value == pytest.approx(0.8)
    assert outcomes.chosen("max")["iris", "knn"].value == pytest.approx((0.6 + 0.8 + 0.8) / 3)


def test_matrices_have_a_row_per_table_and_a_column_per_method(table):
    outcomes = ComparisonResults.of(table)
    assert (outcomes.tables, outcomes.methods) == (["iris", "wine"], ["knn", "orbf"])
    values = outcomes.values("mean")
    assert values[0].tolist() == pytest.approx([0.8, 0.92])
    assert [math.isnan(value) for value in values[1]] == [True, True]
    assert outcomes.ensembles(5)[0, 0] == pytest.approx(0.85)
    assert outcomes.polarity()[0].tolist() == pytest.approx([0.4, 0.4])
    assert outcomes.seconds()[0, 0].tolist() == [2.0, 1.0]


def test_nothing_to_look_at_is_an_error():
    with pytest.raises(InvalidParameter, match="no results"):
        ComparisonResults.of(pa.Table.from_pylist([]))


def test_a_run_of_methods_with_an_error_alone_shows_them_by_their_own_names():
    outcomes = ComparisonResults.of(pa.Table.from_pylist([row("iris", "dsvp", 1, "{}", 0.9, 0.8)]))
    assert (outcomes.tables, outcomes.methods) == (["iris"], ["dsvp"])
    assert outcomes.as_published().chosen("max")["iris", "dsvd"].value == pytest.approx(0.8)
