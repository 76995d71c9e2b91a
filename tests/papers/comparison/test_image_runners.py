"""Matrix products give the scores of the plain methods."""

import numpy as np
import pytest

from offnominal.datasets.tables import TableSplit
from offnominal.papers.comparison.runners.neighbour_runners import WideNeighboursRunner
from offnominal.papers.comparison.runners.runner import runner_of
from offnominal.papers.comparison.runners.svm_runners import SlicedSVMRunner

pytestmark = pytest.mark.long

pytest.importorskip("torch", reason="torch is not installed")

KERNELS = [
    {"kernel": kernel, "nu": nu, "gamma": gamma}
    for kernel in ("rbf", "sigmoid", "poly")
    for nu in (0.1, 0.5)
    for gamma in (0.05, 0.5)
]


def test_neighbours_have_the_scores_of_the_family_for_tables(parts):
    configurations = [
        {"n_neighbors": k, "distance": distance} for k in (1, 4, 9) for distance in ("kappa", "gamma", "delta")
    ]
    wide = WideNeighboursRunner("knn").run(configurations, parts, seed=1)
    plain = runner_of("knn").run(configurations, parts, seed=1)
    for ours, theirs in zip(wide, plain, strict=True):
        assert ours.failure == ""
        np.testing.assert_allclose(ours.test, theirs.test, atol=1e-5)


def test_more_neighbours_than_rows_fail_alone(parts):
    good, bad = WideNeighboursRunner().run(
        [{"n_neighbors": 3, "distance": "kappa"}, {"n_neighbors": 99, "distance": "kappa"}], parts, seed=1
    )
    assert good.failure == ""
    assert bad.failure.startswith("InvalidParameter: n_neighbors is 99, but there are 78 rows")


def test_one_machine_on_all_rows_is_the_plain_machine(parts):
    sliced = SlicedSVMRunner("osvm", machines=1).run(KERNELS, parts, seed=1)
    plain = runner_of("osvm").run(KERNELS, parts, seed=1)
    for ours, theirs in zip(sliced, plain, strict=True):
        assert ours.failure == ""
        for found, expected in ((ours.validation, theirs.validation), (ours.test, theirs.test)):
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9 * np.ptp(expected))


def test_machines_are_averaged(parts):
    runner = SlicedSVMRunner("osvm", machines=3)
    (run_group,) = runner.run(KERNELS[:1], parts, seed=1)
    alone = []
    for rows in runner.slices(len(parts.train)):
        train = type(parts.train)(parts.train.points[rows], parts.train.anomalous[rows], parts.train.rows[rows])
        fewer = TableSplit(train, parts.validation, parts.test)
        alone.append(runner_of("osvm").run(KERNELS[:1], fewer, seed=1)[0].test)
    np.testing.assert_allclose(run_group.test, np.mean(alone, axis=0), rtol=1e-6)


@pytest.mark.parametrize(("rows", "sizes"), [(None, [26, 26, 26]), (10, [10, 10, 10]), (99, [26, 26, 26])])
def test_machines_share_the_rows_and_no_row_twice(parts, rows, sizes):
    slices = [range(78)[each] for each in SlicedSVMRunner("osvm", 3, rows).slices(78)]
    assert [len(each) for each in slices] == sizes
    assert len(set().union(*slices)) == sum(sizes)
