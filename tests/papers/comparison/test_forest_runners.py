"""The errors of the public code of PIDForest."""

import numpy as np
import pytest

from offnominal.datasets.tables import Table, split_table
from offnominal.papers.comparison.runners.forest_runners import OriginPIDForest
from offnominal.papers.comparison.runners.runner import runner_of

pytestmark = pytest.mark.long

FEW = {"max_buckets": 3, "max_depth": 6, "epsilon": 0.1, "percentile": 50, "max_samples": 100, "n_estimators": 20}


def test_rows_far_outside_look_nominal_in_many_columns():
    rng = np.random.default_rng(0)
    parts = split_table(
        Table("mine", rng.normal(size=(200, 9)), 20.0 + rng.normal(size=(40, 9))), seed=1, normalise=None
    )
    (right,) = runner_of("pidf").run([FEW], parts, seed=1)
    (wrong,) = runner_of("pidp").run([FEW], parts, seed=1)
    far = parts.test.anomalous
    assert right.test[far].min() > right.test[~far].max()
    assert wrong.test[far].max() < wrong.test[~far].min()


def test_a_row_outside_of_the_training_rows_has_the_log_density_zero():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    forest = OriginPIDForest(5).fit(rows)
    assert (forest.densities(np.array([[90.0, 90.0]])) == 0.0).all()
    assert (forest.densities(rows[:1]) != 0.0).any()


def test_scores_of_the_runner_are_those_of_single_fits():
    rng = np.random.default_rng(1)
    parts = split_table(
        Table("mine", rng.normal(size=(170, 3)), rng.normal(size=(20, 3)) + 2.0), seed=1, normalise=None
    )
    configurations = [FEW, {**FEW, "max_depth": 8, "percentile": 10, "n_estimators": 30, "max_samples": 5000}]
    for each, found in zip(configurations, runner_of("pidp").run(configurations, parts, seed=1), strict=True):
        single = OriginPIDForest(**each).fit(parts.train.points, seed=1)
        np.testing.assert_allclose(single.score(parts.test.points), found.test)
