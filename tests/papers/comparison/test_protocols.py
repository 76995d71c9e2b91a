"""Protocols choose by validation alone, and report what they say."""

import math

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.papers.comparison.configuration_results import ConfigurationResult, configuration_rows, ensemble
from offnominal.papers.comparison.protocols import clean_protocol, max_protocol, mean_protocol
from offnominal.papers.comparison.runners.runner import runner_of
from offnominal.papers.comparison.search_spaces import default_of

pytestmark = pytest.mark.long


def rows_of(validation, test, **more):
    """Return rows from (configurations, seeds) values."""
    return [
        {
            "configuration": f"c{c}",
            "seed": s,
            "validation_auc": validation[c][s],
            "test_auc": test[c][s],
            "failure": "failed" if math.isnan(validation[c][s]) else "",
            **{name: values[c][s] for name, values in more.items()},
        }
        for c in range(len(validation))
        for s in range(len(validation[0]))
    ]


VALIDATION = np.array([[0.9, 0.5, 0.7], [0.6, 0.8, 0.9], [0.1, 0.2, 0.3]])
TEST = np.array([[0.5, 0.6, 0.7], [0.8, 0.9, 0.7], [1.0, 1.0, 1.0]])


def test_the_mean_protocol_takes_one_configuration_for_all_seeds():
    found = mean_protocol(rows_of(VALIDATION, TEST))
    assert found.configurations == ("c1",)
    assert found.value == pytest.approx(0.8)
    assert found.sigma_1 == pytest.approx(np.std([0.8, 0.9, 0.7], ddof=1))
    assert found.sigma_10 == pytest.approx(np.std([0.6, 0.8, 1.0], ddof=1))


def test_the_max_protocol_lets_every_seed_choose():
    found = max_protocol(rows_of(VALIDATION, TEST))
    assert found.configurations == ("c0", "c1", "c1")
    assert found.value == pytest.approx((0.5 + 0.9 + 0.7) / 3)
    assert found.sigma_10 == pytest.approx(np.std(TEST, axis=0, ddof=1).mean())


def test_configurations_that_failed_too_often_are_left_out():
    validation = np.array([[0.9, math.nan, math.nan, 0.9], [0.5, 0.5, math.nan, 0.5], [0.1] * 4])
    test = np.where(np.isnan(validation), math.nan, 0.6)
    found = mean_protocol(rows_of(validation, test))
    assert found.configurations == ("c1",)
    assert (found.failed, found.n_fits) == (3, 12)


def test_two_seeds_are_enough_where_there_are_two():
    assert mean_protocol(rows_of(VALIDATION[:, :2], TEST[:, :2])).configurations == ("c0",)


def test_nothing_that_succeeded_is_no_number():
    nothing = np.full((2, 3), math.nan)
    for protocol in (mean_protocol, max_protocol):
        found = protocol(rows_of(nothing, nothing))
        assert math.isnan(found.value)
        assert found.failed == 6


def test_only_ten_best_make_sigma_10():
    validation = np.linspace(1.0, 0.0, 15)[:, None] * np.ones(3)
    test = np.concatenate([np.full(10, 0.7), np.full(5, 0.1)])[:, None] * np.ones(3)
    assert mean_protocol(rows_of(validation, test)).sigma_10 == pytest.approx(0.0)


def test_without_labels_the_lowest_score_of_normal_points_wins():
    normal = np.array([[3.0] * 3, [2.0] * 3, [1.0] * 3])
    assert clean_protocol(rows_of(VALIDATION, TEST, normal_score=normal)).configurations == ("c2",)


def test_budgets_choose_by_the_most_suspicious_points_alone():
    budget = np.array([[0.0] * 3, [0.5] * 3, [1.0] * 3])
    rows = rows_of(VALIDATION, TEST, validation_pr_at_5=budget)
    assert mean_protocol(rows, criterion="pr_at_5").value == 1.0


def test_bad_rows_are_named():
    with pytest.raises(InvalidParameter, match="no rows"):
        mean_protocol([])
    with pytest.raises(InvalidParameter, match="no 'validation_f1'"):
        mean_protocol(rows_of(VALIDATION, TEST), criterion="f1")
    mixed = [{**row, "table": str(row["seed"])} for row in rows_of(VALIDATION, TEST)]
    with pytest.raises(InvalidParameter, match="3 methods and tables"):
        max_protocol(mixed)


def test_rows_of_what_was_tried_can_be_chosen_from(parts):
    configurations = [{"n_neighbors": k, "distance": "gamma"} for k in (1, 9, 500)]
    rows = [
        row
        for seed in (1, 2)
        for row in configuration_rows(
            "knn",
            "small",
            seed,
            runner_of("knn").run(configurations, parts, seed),
            parts.validation.anomalous,
            parts.test.anomalous,
        )
    ]
    assert rows[0]["configuration"] == '{"distance": "gamma", "n_neighbors": 1}'
    assert rows[2]["failure"].startswith("InvalidParameter: n_neighbors is 500")
    found = mean_protocol(rows)
    assert found.value > 0.7
    assert found.failed == 2
    assert mean_protocol(rows, metric="tpr5").value <= 1.0


def test_an_ensemble_takes_the_best_by_validation():
    labels = np.array([False, False, True])
    good = ConfigurationResult({"n_neighbors": 1}, np.array([0.0, 1.0, 2.0]), np.array([5.0, 6.0]))
    bad = ConfigurationResult({"n_neighbors": 2}, np.array([2.0, 1.0, 0.0]), np.array([900.0, 100.0]))
    failed = ConfigurationResult({"n_neighbors": 3}, failure="failed")
    np.testing.assert_array_equal(ensemble([bad, failed, good], labels, size=1, normalise="raw")[1], [5.0, 6.0])
    np.testing.assert_array_equal(ensemble([bad, failed, good], labels, size=9, normalise="raw")[1], [452.5, 53.0])
    np.testing.assert_allclose(ensemble([bad, good], labels, size=2)[1], [0.5, 0.5])
    z = np.array([4.0, 5.0]) / np.std([0.0, 1.0, 2.0])
    np.testing.assert_allclose(ensemble([good], labels, normalise="z")[1], z)
    with pytest.raises(InvalidParameter, match="none of 1"):
        ensemble([failed], labels)
    with pytest.raises(InvalidParameter, match="criterion is 'f1'"):
        ensemble([good], labels, criterion="f1")


def test_missing_scores_do_not_spoil_an_ensemble():
    labels = np.array([False, True])
    whole = ConfigurationResult({"n_neighbors": 1}, np.array([0.0, 1.0]), np.array([1.0, 3.0]))
    holed = ConfigurationResult({"n_neighbors": 2}, np.array([0.0, 1.0]), np.array([math.nan, 5.0]))
    np.testing.assert_array_equal(ensemble([whole, holed], labels, normalise="raw")[1], [1.0, 4.0])


@pytest.mark.parametrize("name", ["abod", "hbos", "if", "knn", "loda", "lof", "orbf", "osvm", "pidf"])
def test_fixed_parameters_work(name, parts):
    (tried,) = runner_of(name).run([default_of(name, parts.train.points)], parts, seed=1)
    assert tried.failure == ""


def test_methods_without_fixed_parameters_are_named():
    with pytest.raises(UnknownName, match="no fixed parameters for 'vae'"):
        default_of("vae", np.zeros((5, 2)))
