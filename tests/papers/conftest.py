"""Data, code and runs in this process, as in the tests of studies."""

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.studies import runner
from offnominal.studies.code import Sources

from ..studies.cases import PoolHere


@pytest.fixture(autouse=True)
def home(tmp_path_factory, monkeypatch):
    """Data is found in a folder of this session, also by the processes it starts."""
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path_factory.getbasetemp() / "data"))


@pytest.fixture(scope="session")
def sources():
    """Our code, read once."""
    return Sources()


@pytest.fixture
def in_process(monkeypatch, sources):
    """Runs are done in this process."""
    monkeypatch.setattr(runner, "Sources", lambda: sources)
    monkeypatch.setattr(runner, "LocalPool", lambda workers, peak_mb: PoolHere(sources))
