"""Every registered object declares a version, and its code is that of the lock."""

from dataclasses import replace

import pytest

from offnominal.core.errors import DamagedFile
from offnominal.detectors.catalogue import detectors
from offnominal.laws.versions import VERSIONED, differences, present_pins
from offnominal.studies.code import Sources
from offnominal.studies.kinds import study_kinds
from offnominal.studies.version_lock import Pin, object_name, pin_of, read_lock, write_lock

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def sources():
    return Sources()


@pytest.fixture(scope="module")
def present(sources):
    return present_pins(sources)


def test_the_lock_has_the_version_and_the_code_of_every_registered_object(present):
    assert differences(present, read_lock()) == []


def test_every_registered_object_is_in_the_lock():
    lock = read_lock()
    names = [object_name(registry, id) for registry in VERSIONED for id in registry.ids()]
    assert len(names) == len(set(names)) > 150
    assert [name for name in names if name not in lock] == []


def test_changed_code_without_a_raised_version_is_found_for_every_object(present):
    for name, pin in present.items():
        (found,) = differences(present | {name: replace(pin, code="0" * 16)}, present)
        assert found.startswith(f"{name}: the code of version {pin.version} changed"), found


def test_a_version_that_is_raised_lowered_new_or_gone_is_found(present):
    name, lock = "detector/KNN", {**present, "detector/KNN": replace(present["detector/KNN"], version=2)}
    assert "below 2 in the lock" in differences(present, lock)[0]
    assert "2, 1 in the lock; run `make relock`" in differences(lock, present)[0]
    without = {other: pin for other, pin in present.items() if other != name}
    assert differences(present, without) == [f"{name}: is not in the lock; run `make relock`"]
    assert differences(without, present) == [f"{name}: is in the lock, but not registered; run `make relock`"]


def test_an_edit_changes_the_pin_only_if_it_changes_code_that_is_used(sources):
    module, before = "offnominal.detectors.rows.knn", pin_of(sources, detectors, "KNN")
    text = source_of(module)
    for unused in ("# A comment.", "UNUSED = 1", "def unused(): ..."):
        assert pin_of(sources.edited(module, f"{text}\n{unused}\n"), detectors, "KNN") == before
    assert pin_of(sources.edited(module, f"{text}\nprint()\n"), detectors, "KNN") != before


def test_the_pin_of_a_study_kind_covers_its_evaluation_and_not_its_report(sources):
    before = pin_of(sources, study_kinds, "study")
    module = "offnominal.evaluation.detector_evaluation"
    edited = sources.edited(module, source_of(module) + "\nprint()\n")
    assert pin_of(edited, study_kinds, "study") != before
    report = "offnominal.kinds.faults.kind"
    assert pin_of(sources.edited(report, source_of(report) + "\nprint()\n"), study_kinds, "study") == before


def source_of(module):
    import importlib
    import inspect

    return inspect.getsource(importlib.import_module(module))


def test_a_lock_is_read_as_it_was_written_and_a_damaged_line_is_named(tmp_path):
    pins = {"alarm/B": Pin(2, "ab"), "alarm/A": Pin(1, "cd")}
    write_lock(pins, tmp_path / "lock")
    assert read_lock(tmp_path / "lock") == pins
    for damaged in ("alarm/A one cd", "alarm/A 1", "alarm/B 2 ab\nalarm/B 2 ab"):
        (tmp_path / "lock").write_text(damaged, encoding="utf-8")
        with pytest.raises(DamagedFile, match=r"make relock"):
            read_lock(tmp_path / "lock")
