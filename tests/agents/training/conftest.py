"""Learners are trained with one thread."""

import pytest

from offnominal.studies.execution import single_threaded


@pytest.fixture(autouse=True)
def one_thread():
    with single_threaded():
        yield
