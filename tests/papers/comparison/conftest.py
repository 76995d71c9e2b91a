"""A small table with equal rows, and its split."""

import numpy as np
import pytest

from offnominal.datasets.tables import Table, split_table


@pytest.fixture(scope="session")
def compared():
    """A made-up comparison of three methods on three tables that no test changes."""
    from .made_comparison import comparison_results

    return comparison_results()


@pytest.fixture(scope="session")
def parts():
    rng = np.random.default_rng(4)
    normal = np.concatenate([rng.normal(size=(90, 4)), rng.integers(-1, 2, size=(40, 4))])
    return split_table(Table("small", normal, rng.normal(size=(40, 4)) * 2.0 + 1.0), seed=1)


@pytest.fixture
def few_tables(monkeypatch):
    """Means over any number of tables are compared with published ones."""
    from offnominal.papers.comparison.published import ensemble_tables, metric_tables

    for module in (ensemble_tables, metric_tables):
        monkeypatch.setattr(module, "FEWEST_TABLES", 1)
