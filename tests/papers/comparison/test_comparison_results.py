"""What a comparison has found: by protocol, by class, and by labels."""

import math

import pyarrow as pa
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.papers.comparison.comparison_results import (
    ALL,
    BUDGETS,
    CLEAN,
    RANDOM_CHOICE,
    ComparisonResults,
    by_label_budget,
    class_rows,
    class_values,
)
from offnominal.papers.comparison.configuration_results import Ensemble
from offnominal.papers.comparison.metrics import METRICS

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
    assert outcomes.ensembles(Ensemble(5))[0, 0] == pytest.approx(0.85)
    assert outcomes.polarity()[0].tolist() == pytest.approx([0.4, 0.4])
    assert outcomes.seconds()[0, 0].tolist() == [2.0, 1.0]


def test_a_run_that_is_not_complete_has_the_tables_that_its_methods_share():
    places = [(table, method) for table in ("iris", "wine", "glass", "sonar") for method in ("knn", "lof")]
    rows = [row(*place, 1, "{}", 0.9, 0.8) for place in places if place != ("sonar", "lof")]
    rows += [row("iris", "osvm", 1, "{}", 0.9, 0.8), row("iris", "knn", 1, '{"default": true}', 0.9, 0.8)]
    found = ComparisonResults.of(pa.Table.from_pylist(rows))
    whole = found.whole()
    assert (whole.tables, whole.methods) == (["iris", "wine", "glass"], ["knn", "lof"])
    assert set(whole.default_rows) == {("iris", "knn")}
    few = ComparisonResults.of(pa.Table.from_pylist([row("iris", "knn", 1, "{}", 0.9, 0.8), rows[3]]))
    assert few.whole() is few


def test_nothing_to_look_at_is_an_error():
    with pytest.raises(InvalidParameter, match="no results"):
        ComparisonResults.of(pa.Table.from_pylist([]))


def test_a_run_of_methods_with_an_error_alone_shows_them_by_their_own_names():
    outcomes = ComparisonResults.of(pa.Table.from_pylist([row("iris", "dsvp", 1, "{}", 0.9, 0.8)]))
    assert (outcomes.tables, outcomes.methods) == (["iris"], ["dsvp"])
    assert outcomes.as_published().chosen("max")["iris", "dsvd"].value == pytest.approx(0.8)


def class_row(name, configuration, validation, test, failure=""):
    known = {"validation_auc": validation, "test_auc": test, "normal_score": 0.0, "polarity": 0.5}
    details = {"method": "osvm", "table": "mnist", "seed": 1, "configuration": configuration, "variant": name}
    return details | known | {"fit_s": 0.0, "score_s": 0.0, "failure": failure}


SAFE, BOLD, LUCKY = '{"gamma": 1}', '{"gamma": 2, "machines": 5, "rows": 2000}', '{"gamma": 3}'
ROWS = [
    class_row("cat", SAFE, 0.6, 0.5),
    class_row("dog", SAFE, 0.6, 0.7),
    class_row("cat", BOLD, 0.9, 0.8),
    class_row("dog", BOLD, 0.5, 0.4),
    class_row("cat", LUCKY, 1.0, 1.0),
    class_row("dog", LUCKY, None, None, failure="no"),
]


@pytest.fixture
def class_table():
    return pa.Table.from_pylist(ROWS)


def test_one_configuration_is_chosen_for_all_classes(class_table):
    chosen = ComparisonResults.of(class_table).chosen("mean")["mnist", "osvm"]
    assert chosen.configurations == (BOLD,)
    assert chosen.value == pytest.approx(0.6)
    assert (chosen.failed, chosen.n_fits) == (1, 6)


def test_every_class_may_choose_for_itself(class_table):
    assert ComparisonResults.of(class_table).chosen("max")["mnist", "osvm"].value == pytest.approx((1.0 + 0.7) / 2)


def test_each_class_shows_what_the_chosen_one_is_worth_there(class_table):
    values = class_values(ComparisonResults.of(class_table))
    assert values["mnist", "cat", "osvm"] == 0.8
    assert [each["class"] for each in class_rows(ComparisonResults.of(class_table))] == ["cat", "dog", "mean"]
    assert class_rows(ComparisonResults.of(class_table))[-1]["osvm"] == 0.6


def test_tables_have_no_classes():
    rows = [{name: value for name, value in each.items() if name != "variant"} for each in ROWS[:1]]
    assert class_rows(ComparisonResults.of(pa.Table.from_pylist(rows))) == []


def budget_row(table, method, seed, configuration, test, normal, **validation):
    numbers = {f"validation_{name}": validation.get(name, math.nan) for name in METRICS} | {"test_auc": test}
    about = {"table": table, "method": method, "seed": seed, "configuration": configuration, "failure": ""}
    return about | numbers | {"normal_score": normal}


def made(*extra, method="vae"):
    """Two configurations: few labels like the first, all labels and normal points the second."""
    rows = []
    for table in ("iris", "wine"):
        for seed in (1, 2, 3):
            rows.append(
                budget_row(table, method, seed, '{"h": 1}', 0.6, 2.0, pr_at_5=0.9, auc=0.7, **{"pr_at_5%": 0.9})
            )
            rows.append(
                budget_row(table, method, seed, '{"h": 2}', 0.8, 1.0, pr_at_5=0.5, auc=0.9, **{"pr_at_5%": 0.4})
            )
    return ComparisonResults.of(pa.Table.from_pylist([*rows, *extra]))


def test_every_budget_chooses_by_its_own_criterion():
    assert {name: found.mean() for name, found in by_label_budget(made(), "numbers").items()} == pytest.approx(
        {RANDOM_CHOICE: 0.7, CLEAN: 0.8, "5": 0.6, ALL: 0.8}
    )
    assert list(by_label_budget(made(), "percents")) == [RANDOM_CHOICE, CLEAN, "5%", ALL]


def test_budgets_stand_in_rising_order():
    assert list(BUDGETS["numbers"]) == ["5", "10", "50", "100", "500", "1,000"]
    assert list(BUDGETS["percents"]) == ["0.01%", "0.1%", "1%", "5%", "10%", "20%"]


def test_classical_methods_without_labels_use_their_fixed_parameters():
    default_result = [
        budget_row(table, "knn", seed, '{"default": true}', 0.75, 0.0) for table in ("iris", "wine") for seed in (1, 2)
    ]
    assert made(*default_result, method="knn").clean().tolist() == [[0.75], [0.75]]
    assert CLEAN not in by_label_budget(made(method="knn"))
