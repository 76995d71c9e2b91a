"""Classes in turn: one configuration for all of them."""

import pytest

from offnominal.papers.comparison.selection.class_results import class_rows, class_values
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults

pytestmark = pytest.mark.long

pa = pytest.importorskip("pyarrow")


def row(name, configuration, validation, test, failure=""):
    known = {"validation_auc": validation, "test_auc": test, "normal_score": 0.0, "polarity": 0.5}
    details = {"method": "osvm", "table": "mnist", "seed": 1, "configuration": configuration, "variant": name}
    return details | known | {"fit_s": 0.0, "score_s": 0.0, "failure": failure}


SAFE, BOLD, LUCKY = '{"gamma": 1}', '{"gamma": 2, "machines": 5, "rows": 2000}', '{"gamma": 3}'
ROWS = [
    row("cat", SAFE, 0.6, 0.5),
    row("dog", SAFE, 0.6, 0.7),
    row("cat", BOLD, 0.9, 0.8),
    row("dog", BOLD, 0.5, 0.4),
    row("cat", LUCKY, 1.0, 1.0),
    row("dog", LUCKY, None, None, failure="no"),
]


@pytest.fixture
def table():
    return pa.Table.from_pylist(ROWS)


def test_one_configuration_is_chosen_for_all_classes(table):
    chosen = ComparisonResults.of(table).chosen("mean")["mnist", "osvm"]
    assert chosen.configurations == (BOLD,)
    assert chosen.value == pytest.approx(0.6)
    assert (chosen.failed, chosen.n_fits) == (1, 6)


def test_every_class_may_choose_for_itself(table):
    assert ComparisonResults.of(table).chosen("max")["mnist", "osvm"].value == pytest.approx((1.0 + 0.7) / 2)


def test_each_class_shows_what_the_chosen_one_is_worth_there(table):
    values = class_values(ComparisonResults.of(table))
    assert values["mnist", "cat", "osvm"] == 0.8
    assert [each["class"] for each in class_rows(ComparisonResults.of(table))] == ["cat", "dog", "mean"]
    assert class_rows(ComparisonResults.of(table))[-1]["osvm"] == 0.6


def test_tables_have_no_classes():
    rows = [{name: value for name, value in each.items() if name != "variant"} for each in ROWS[:1]]
    assert class_rows(ComparisonResults.of(pa.Table.from_pylist(rows))) == []
