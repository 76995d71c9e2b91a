"""Study files, runs and stores that are made to run code, to write elsewhere, or to be believed although damaged."""

import json
import sys

import pytest
from typer.testing import CliRunner

from offnominal.cli.program import program
from offnominal.core.errors import InvalidParameter, ModuleNotAllowed, OffnominalError
from offnominal.core.home import VARIABLE
from offnominal.detectors import detectors
from offnominal.studies import AlarmEntry, Cell, DataEntry, Store, load_study, run, verify_run, work
from offnominal.studies.catalogue import parse

STUDY = """
name = "mine"
worlds = ["SAP-Goal0-v0"]
replicates = 0
data = { episodes = 6, validation = 6, anomalies = ["action/offset"], levels = ["strong"] }

[[detectors]]
name = "Time"
"""
WITH = '\n[[detectors]]\nname = "other"\ndetector = "%s"\n'
CELL = Cell(
    "SAP-Goal0-v0",
    "Time",
    "Time",
    data=DataEntry(episodes=6, validation=6, anomalies=("action/offset",), levels=("strong",)),
    alarms=(AlarmEntry("largest", "Maximum"),),
    replicates=0,
)


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="module")
def finished(home):
    return work(CELL)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A package that leaves a mark when it is imported, and a detector in it."""
    mark = tmp_path / "imported"
    text = (
        "from pathlib import Path\n"
        "from offnominal.detectors.baselines import Time\n\n"
        f"Path({str(mark)!r}).touch()\n\n\n"
        "class Mine(Time):\n    pass\n\n\n"
        "def make():\n    return Mine()\n"
    )
    (tmp_path / "elsewhere_hostile.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "elsewhere_hostile", raising=False)
    return mark


def silent(line):
    pass


def forged(folder, finished, **changes):
    """A run of one cell, whose stored configuration was edited."""
    rows, store = finished.rows, Store(folder / "store")
    facts = {**rows.schema.metadata, b"cell": json.dumps({**CELL.to_dict(), **changes}).encode()}
    store.write(finished.key, rows.replace_schema_metadata(facts))
    manifest = {"study": "mine", "keys": [finished.key], "store": str(store.folder)}
    (folder / "run.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.mark.parametrize("target", ["subprocess:check_output", "os:system", "elsewhere_hostile:Mine"])
def test_a_study_file_imports_nothing_that_was_not_allowed(tmp_path, elsewhere, target):
    file = tmp_path / "mine.toml"
    file.write_text(STUDY + WITH % target + f'parameters = {{ args = ["touch", "{elsewhere}"] }}\n', encoding="utf-8")
    package = target.partition(":")[0]
    with pytest.raises(ModuleNotAllowed, match=f"--allow-module {package}"):
        load_study(file)
    said = CliRunner().invoke(program, ["run", str(file), "--store", str(tmp_path / "store")])
    assert isinstance(said.exception, ModuleNotAllowed)
    assert not elsewhere.exists()


def test_an_alarm_is_held_to_the_same_rule(elsewhere):
    text = STUDY + '\n[[alarms]]\nname = "a"\nalarm = "elsewhere_hostile:Mine"\n'
    with pytest.raises(ModuleNotAllowed):
        parse(text, "mine.toml")
    assert not elsewhere.exists()


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("subprocess:check_output", "is a function; expected a subclass of Detector"),
        ("elsewhere_hostile:make", "is a function; expected a subclass of Detector"),
        ("subprocess:Popen", "is the class Popen; expected a subclass of Detector"),
        ("offnominal.core.files:write_bytes", "is a function; expected a subclass of Detector"),
        ("offnominal.alarms.thresholds:Maximum", "is the class Maximum; expected a subclass of Detector"),
        ("offnominal.detectors.detector:Detector", "is abstract"),
    ],
)
def test_only_a_class_that_keeps_the_contract_is_called(tmp_path, elsewhere, target, said):
    mark = tmp_path / "called"
    with pytest.raises(InvalidParameter, match=said):
        detectors.build(target, {"args": ["touch", str(mark)]})
    assert not mark.exists()


def test_an_allowed_package_is_run_and_can_be_verified(tmp_path, elsewhere):
    study = parse(STUDY + WITH % "elsewhere_hostile:Mine", "mine.toml", allow_modules=["elsewhere_hostile"])
    place, outcome = run(study, folder=tmp_path / "run", store=tmp_path / "store", workers=1, report=silent)
    assert outcome.complete
    with pytest.raises(ModuleNotAllowed, match="--allow-module elsewhere_hostile"):
        verify_run(place, 1.0)
    assert not any(problem for _, problem in verify_run(place, 1.0, allow_modules=["elsewhere_hostile"]))


def test_a_package_with_an_entry_point_needs_no_permission(elsewhere, monkeypatch):
    from importlib.metadata import EntryPoint, EntryPoints

    from offnominal.core import registry

    there = EntryPoints([EntryPoint("mine", "elsewhere_hostile.sub:register", "offnominal.worlds")])
    monkeypatch.setattr(registry, "entry_points", lambda **chosen: there.select(**chosen) if chosen else there)
    assert parse(STUDY + WITH % "elsewhere_hostile:Mine", "mine.toml").detectors[1].name == "other"


@pytest.mark.parametrize("target", ["subprocess:check_output", "elsewhere_hostile:Mine"])
def test_a_stored_cell_imports_nothing_that_was_not_allowed(tmp_path, elsewhere, finished, target):
    forged(tmp_path, finished, detector=target, parameters={"args": ["touch", str(elsewhere)]})
    with pytest.raises(ModuleNotAllowed):
        verify_run(tmp_path, 1.0)
    assert not elsewhere.exists()


def test_a_stored_cell_that_names_a_function_of_ours_does_not_call_it(tmp_path, finished):
    mark = tmp_path / "written"
    forged(tmp_path, finished, detector="offnominal.core.files:write_text", parameters={"path": str(mark), "text": "x"})
    ((_, problem),) = verify_run(tmp_path, 1.0)
    assert "expected a subclass of Detector" in problem
    assert not mark.exists()


@pytest.mark.parametrize("target", [":x", "os:", "os.:x", "../x:y", "a b:c", "os:path.join", "os:x:y"])
def test_what_is_not_the_path_of_a_class_is_named(target):
    with pytest.raises(OffnominalError):
        parse(STUDY + WITH % target, "mine.toml", allow_modules=["os"])


NAMES = ["../../x", "/tmp/x", "", ".hidden", "a/b", "a\\\\b", "x" * 101, "a\\nb", "nul\\u0000", "größe", "a b"]


@pytest.mark.parametrize("name", NAMES)
def test_a_study_is_not_named_after_what_is_no_file_name(name):
    with pytest.raises(InvalidParameter, match="the name of a study is"):
        parse(STUDY.replace('"mine"', f'"{name}"', 1), "mine.toml")


@pytest.mark.parametrize("name", NAMES)
def test_a_scale_is_not_named_after_what_is_no_file_name(name):
    with pytest.raises(InvalidParameter, match="the name of a scale of study 'mine' is"):
        parse(f'{STUDY}\n[scales."{name}"]\nseeds = [0]\n', "mine.toml")
