"""The error of PyOD's LODA."""

import numpy as np
import pytest

from offnominal.datasets.tables import Table, split_table
from offnominal.papers.comparison.runners.runner import runner_of

pytestmark = pytest.mark.long


def test_values_get_the_rarity_of_the_next_bin():
    rows = np.concatenate([np.linspace(0.0, 1.0, 98), [9.0, 10.0]])[:, None]
    parts = split_table(Table("mine", rows, [[50.0], [60.0]]), seed=1, normalise=None)
    (right,) = runner_of("loda").run([{"n_bins": 10, "n_random_cuts": 1}], parts, seed=1)
    (wrong,) = runner_of("lodp").run([{"n_bins": 10, "n_random_cuts": 1}], parts, seed=1)
    far = parts.test.anomalous
    assert right.test[far].min() > right.test[~far].max()
    assert wrong.test[far].min() < np.median(wrong.test[~far])
