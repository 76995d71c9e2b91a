"""A made-up run to report on."""

from __future__ import annotations

import pytest

from .synthetic import run_results


@pytest.fixture(scope="session")
def made_up():
    """A made-up run that no test changes."""
    return run_results(replicates=60)
