"""Keys of results contain the declared versions of what a cell uses, and no hash of the code that the lock pins."""

from dataclasses import replace

import pytest

from offnominal.alarms import alarms
from offnominal.anomalies.catalogue import anomalies
from offnominal.datasets import Recipe
from offnominal.detectors.catalogue import detectors
from offnominal.kinds import DataEntry, TransferCell
from offnominal.kinds.faults.data import folder_of
from offnominal.studies import code_version
from offnominal.studies.execution import code_of
from offnominal.studies.kinds import study_kinds
from offnominal.studies.version_lock import object_name, pin_of
from offnominal.worlds.catalogue import worlds

from .cases import ALARM, DATA, WORLD, small_cell

pytestmark = pytest.mark.long
FUSION = small_cell("Fusion", "Fusion")


@pytest.fixture(autouse=True)
def locked(monkeypatch, sources):
    """The lock has the present code of the objects of these tests."""
    used = [(study_kinds, "study"), (study_kinds, "transfer"), (worlds, WORLD), (worlds, "SAP-Goal1-v0")]
    used += [(detectors, id) for id in ("Fusion", "KNN", "Mahalanobis", "LOF")]
    used += [(alarms, "Maximum"), *((anomalies, id) for id in anomalies.ids())]
    pins = {object_name(registry, id): pin_of(sources, registry, id) for registry, id in used}
    monkeypatch.setattr(code_version, "_lock", lambda: pins)
    return pins


def raise_version(monkeypatch, locked, registry, id):
    """Raise the declared version of an object and renew the lock."""
    spec = registry.spec(id)
    monkeypatch.setitem(registry._specs, id, replace(spec, version=spec.version + 1))
    name = object_name(registry, id)
    locked[name] = replace(locked[name], version=spec.version + 1)


def names(value):
    """Return an id as the name of a case; registries have numbers."""
    return value if isinstance(value, str) else None


@pytest.mark.parametrize(
    ("registry", "id"),
    [
        (study_kinds, "study"),
        (worlds, WORLD),
        (anomalies, "action/offset"),
        (detectors, "Fusion"),
        (detectors, "KNN"),
        (detectors, "Mahalanobis"),
        (alarms, "Maximum"),
    ],
    ids=names,
)
def test_the_key_changes_with_the_version_of_each_object_that_a_cell_uses(monkeypatch, locked, sources, registry, id):
    before = code_of(FUSION, sources)
    raise_version(monkeypatch, locked, registry, id)
    assert code_of(FUSION, sources) != before


@pytest.mark.parametrize(
    ("registry", "id"), [(detectors, "LOF"), (anomalies, "action/noise"), (study_kinds, "transfer")]
)
def test_the_key_does_not_change_with_the_version_of_another_object(monkeypatch, locked, sources, registry, id):
    before = code_of(FUSION, sources)
    raise_version(monkeypatch, locked, registry, id)
    assert code_of(FUSION, sources) == before


def test_the_key_covers_all_calibrated_anomalies_of_a_world_if_none_are_named(monkeypatch, locked, sources):
    cell = small_cell(data=DataEntry(episodes=6))
    before = code_of(cell, sources)
    raise_version(monkeypatch, locked, anomalies, "observation/noise")
    assert code_of(cell, sources) != before


def test_the_key_of_a_transfer_cell_covers_the_tested_worlds(monkeypatch, locked, sources):
    cell = TransferCell(WORLD, "KNN", "KNN", data=DATA, alarms=(ALARM,), test_worlds=(WORLD, "SAP-Goal1-v0"))
    before = code_of(cell, sources)
    raise_version(monkeypatch, locked, worlds, "SAP-Goal1-v0")
    assert code_of(cell, sources) != before


@pytest.mark.parametrize(("registry", "id"), [(worlds, WORLD), (anomalies, "action/offset")], ids=names)
def test_a_raised_version_of_a_world_or_an_anomaly_generates_its_dataset_again(monkeypatch, locked, registry, id):
    recipe = Recipe.for_world(WORLD, episodes=3, anomalies=["action/offset"], levels=["strong"])
    assert folder_of(recipe, WORLD, "tqc") is None, "the folder of the recipe, as before versions"
    raise_version(monkeypatch, locked, registry, id)
    assert folder_of(recipe, WORLD, "tqc").name.startswith(f"{recipe.folder_name}-")
    other = Recipe.for_world("SAP-Goal1-v0", episodes=3, anomalies=["action/noise"], levels=["strong"])
    assert folder_of(other, "SAP-Goal1-v0", "tqc") is None


def test_a_refactoring_changes_no_key_once_the_lock_is_renewed(locked, sources):
    before = code_of(FUSION, sources)
    module = "offnominal.detectors.rows.knn"
    edited = sources.edited(module, source_of(module).replace("class KNN", "X = 1\nclass KNN"))
    assert code_of(FUSION, edited) == before, "nothing uses the new constant"
    edited = sources.edited(module, source_of(module) + "\nprint()\n")
    assert code_of(FUSION, edited) != before, "the lock has the old code"
    locked["detector/KNN"] = pin_of(edited, detectors, "KNN")
    assert code_of(FUSION, edited) == before


def source_of(module):
    import importlib
    import inspect

    return inspect.getsource(importlib.import_module(module))


def test_a_class_that_is_not_registered_counts_by_its_source(sources):
    module = "offnominal.detectors.rows.lof"
    cell = small_cell("mine", "KNN", parameters={"row_detector": "offnominal.detectors.rows.lof:LOF"})
    edited = sources.edited(module, source_of(module) + "\nprint()\n")
    assert code_of(cell, edited) != code_of(cell, sources)
    assert code_of(small_cell(), edited) == code_of(small_cell(), sources)


def test_an_object_that_is_not_in_the_lock_counts_by_its_source(locked, sources):
    before = code_of(FUSION, sources)
    del locked["detector/KNN"]
    assert code_of(FUSION, sources) != before
