"""Metrics are scikit-learn's where it has them, and by hand where it has not; polarity notices inverted detectors."""

import math

import numpy as np
import pytest
from sklearn.metrics import auc as area
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from offnominal.core.errors import InvalidParameter
from offnominal.datasets.tables import Table, split_table
from offnominal.papers.comparison.metrics import (
    auc,
    auprc,
    average_precision,
    measure,
    measure_polarity,
    precision_at_number,
    precision_at_percent,
    tpr_at_5,
)
from offnominal.papers.comparison.runners.runner import runner_of

pytestmark = pytest.mark.long

RNG = np.random.default_rng(6)


@pytest.mark.parametrize("levels", [3, 20, 1000])
@pytest.mark.parametrize("normals", [7, 19, 40, 200])
def test_metrics_are_scikit_learns_with_ties(normals, levels):
    labels = np.arange(normals + 25) < 25
    scores = (RNG.integers(0, levels, len(labels)) + labels * levels // 3).astype(float)
    assert auc(scores, labels) == pytest.approx(roc_auc_score(labels, scores))
    assert average_precision(scores, labels) == pytest.approx(average_precision_score(labels, scores))
    precision, recall, _ = precision_recall_curve(labels, scores)
    found = auprc(scores, labels)
    # Scikit-learn begins its curve at precision 1; ours at that of the first threshold.
    first = recall[-2] * (1.0 - precision[-2]) / 2.0
    assert found == pytest.approx(area(recall, precision) - first)
    false, true, _ = roc_curve(labels, scores, drop_intermediate=False)
    assert tpr_at_5(scores, labels) == pytest.approx(true[false <= 0.05].max())


def test_below_twenty_normal_points_no_false_alarm_is_allowed():
    labels = np.array([False] * 19 + [True, True])
    scores = np.concatenate([np.arange(19.0), [17.5, 18.5]])
    assert tpr_at_5(scores, labels) == 0.5
    labels, scores = np.append(labels, False), np.append(scores, -1.0)
    assert tpr_at_5(scores, labels) == 1.0


def test_precision_among_the_most_suspicious():
    labels = np.array([True, False, True, False, False] * 10)
    scores = np.arange(50.0)[::-1]
    assert precision_at_number(scores, labels, 5) == 0.4
    assert precision_at_number(scores, labels, 1) == 1.0
    assert precision_at_percent(scores, labels, 10.0) == 0.4
    assert precision_at_percent(scores, labels, 6.0) == pytest.approx(2 / 3)
    assert math.isnan(precision_at_percent(scores, labels, 1.0))


def test_an_analyst_labels_a_fifth_at_most():
    labels = np.arange(50) < 5
    scores = -np.arange(50.0)
    assert precision_at_number(scores, labels, 1000) == 0.5


def test_ties_at_the_border_count_by_their_share():
    labels = np.array([True, True, False, False] + [False] * 16)
    scores = np.array([1.0] * 4 + [0.0] * 16)
    assert precision_at_number(scores, labels, 2) == 0.5
    assert precision_at_number(scores, labels[::-1].copy(), 2) == 0.0


def test_missing_scores_are_left_out_up_to_a_half():
    labels = np.array([False, False, True, True])
    assert measure(np.array([0.1, math.nan, 0.9, math.nan]), labels)["auc"] == 1.0
    assert math.isnan(measure(np.array([math.nan, math.nan, 0.9, math.nan]), labels)["auc"])
    assert math.isnan(measure(None, labels)["tpr5"])


def test_one_class_alone_has_no_value():
    alone = measure(np.array([0.1, 0.2]), np.array([True, True]))
    assert math.isnan(alone["auc"])
    assert math.isnan(alone["tpr5"])


def test_bad_arguments_are_named():
    with pytest.raises(InvalidParameter, match="3 scores for 2 labels"):
        auc(np.zeros(3), np.zeros(2, bool))
    with pytest.raises(InvalidParameter, match="n is 0"):
        precision_at_number(np.zeros(3), np.zeros(3, bool), 0)
    with pytest.raises(InvalidParameter, match="percent is 101"):
        precision_at_percent(np.zeros(3), np.zeros(3, bool), 101)


def test_a_detector_that_turns_density_around_is_inverted(parts):
    (tried,) = runner_of("knn").run([{"n_neighbors": 5, "distance": "kappa"}], parts, seed=1)
    assert measure_polarity(tried.test, parts).correlation == 1.0
    assert measure_polarity(-tried.test, parts).inverted


def test_a_sigmoid_kernel_that_finds_crowds_strange_is_inverted():
    rng = np.random.default_rng(0)
    crowds = np.concatenate([rng.normal(size=(100, 5)) + 4.0 * rng.normal(size=5) for _ in range(3)])
    parts = split_table(Table("crowds", crowds, rng.uniform(-8.0, 8.0, size=(30, 5))), seed=1)
    (tried,) = runner_of("osvm").run([{"kernel": "sigmoid", "gamma": 0.1, "nu": 0.5}], parts, seed=1)
    assert measure_polarity(tried.test, parts).inverted


def test_constant_and_missing_scores_have_no_polarity(parts):
    n = len(parts.test)
    for scores in (np.ones(n), np.full(n, math.nan)):
        found = measure_polarity(scores, parts)
        assert math.isnan(found.correlation)
        assert not found.inverted
