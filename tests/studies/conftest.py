"""One small dataset, made once, and what three detectors make of it."""

from itertools import count
from types import MappingProxyType

import pytest

from offnominal.core.directories import DATA_VARIABLE
from offnominal.studies import run_cell, runner
from offnominal.studies.code import Sources

from .cases import DETECTORS, PoolHere, small_cells

_numbers = count()


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("studies") / "data"


@pytest.fixture(autouse=True)
def home(data_folder, monkeypatch):
    """Data is found where this session made it, also by the processes it starts."""
    monkeypatch.setenv(DATA_VARIABLE, str(data_folder))


@pytest.fixture(scope="session")
def sources():
    """Our code, read once; packages of tests have names of their own."""
    return Sources()


@pytest.fixture(scope="session")
def result(data_folder, sources):
    """Results by name of the detector, done in this process; no test changes them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(data_folder))
        return MappingProxyType({cell.name: run_cell(cell, sources=sources) for cell in small_cells()})


@pytest.fixture
def in_process(monkeypatch, sources):
    """Runs are done in this process."""
    monkeypatch.setattr(runner, "Sources", lambda: sources)
    monkeypatch.setattr(runner, "LocalPool", lambda workers, peak_mb: PoolHere(sources))


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A folder with a package of somebody else, with a name of its own, that can be imported."""
    folder = tmp_path / "path" / f"elsewhere{next(_numbers)}"
    folder.mkdir(parents=True)
    for name, text in DETECTORS.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(folder.parent)
    return folder
