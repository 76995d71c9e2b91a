"""Modules of a study: what they register works by id, in every process, and can be verified."""

import sys

import pytest

from offnominal.core.errors import InvalidParameter, ModuleFailed, ModuleNotAllowed, UnknownName
from offnominal.detectors.catalogue import detectors
from offnominal.studies import run, verify_run
from offnominal.studies.catalogue import load_study

MODULE = """
from offnominal.core.registry import Spec
from offnominal.detectors.catalogue import detectors

detectors.register(Spec("Registered", "offnominal.detectors.baselines:Time", "registered by a module"))
"""
TEXT = """
name = "mine"
kind = "study"
modules = ["{module}"]
worlds = ["SAP-Goal0-v0"]
replicates = 0

[data]
episodes = 6
validation = 6
anomalies = ["action/offset"]
levels = ["strong"]

[[detectors]]
name = "Registered"
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module that registers a detector, in the working directory."""
    (tmp_path / "registers_a_detector.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(detectors, "_specs", {**detectors._specs})
    yield "registers_a_detector"
    sys.modules.pop("registers_a_detector", None)


@pytest.fixture
def file(tmp_path):
    def write(module):
        path = tmp_path / "mine.toml"
        path.write_text(TEXT.format(module=module), encoding="utf-8")
        return path

    return write


@pytest.mark.long
def test_a_registered_detector_works_in_worker_processes(tmp_path, module, file):
    study = load_study(file(module), allow_modules=[module])
    folder, outcome = run(study, folder=tmp_path / "run", store=tmp_path / "store", workers=1, report=lambda line: None)
    assert outcome.complete
    detectors._specs.pop("Registered")
    sys.modules.pop(module)
    assert verify_run(folder, allow_modules=[module]) == [("SAP-Goal0-v0/expert/Registered/0", "")]


def test_a_module_that_is_not_allowed_is_not_imported(module, file):
    with pytest.raises(ModuleNotAllowed, match=f"--allow-module {module}"):
        load_study(file(module))
    assert module not in sys.modules


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("no_such_package", UnknownName, "there is no module 'no_such_package'; is it installed, or in the working"),
        ("my package", InvalidParameter, "'my package' is not the name of a module"),
        ("fails_when_imported", ModuleFailed, "'fails_when_imported' cannot be imported: ZeroDivisionError: division"),
    ],
)
def test_a_module_that_cannot_be_imported_is_named_with_the_reason(tmp_path, monkeypatch, file, name, error, said):
    (tmp_path / "fails_when_imported.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(error, match=said):
        load_study(file(name), allow_modules=[name])


def test_modules_that_are_no_list_are_an_error(tmp_path, file):
    path = file("x")
    path.write_text(path.read_text().replace('["x"]', "3"), encoding="utf-8")
    with pytest.raises(InvalidParameter, match="modules is 3; expected a list of names"):
        load_study(path)
