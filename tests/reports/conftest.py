"""A made-up run to report on."""

from __future__ import annotations

import pytest

from .made_comparison import comparison_results
from .synthetic import run_results


@pytest.fixture(scope="session")
def made_up():
    """A made-up run that no test changes."""
    return run_results(replicates=60)


@pytest.fixture(scope="session")
def compared():
    """A made-up comparison of three methods on three tables that no test changes."""
    return comparison_results()
