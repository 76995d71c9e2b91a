"""Registries know names without loading what they stand for."""

import re
import sys
from fractions import Fraction
from importlib.metadata import EntryPoints
from types import SimpleNamespace

import pytest

from offnominal.core import registry as registry_module
from offnominal.core.errors import InvalidParameter, ModuleFailed, ModuleNotAllowed, UnknownName
from offnominal.core.registry import Registry, Spec

RING = Spec("Ring-v0", "fractions:Fraction", "a ring", {"numerator": 1, "denominator": 2})
CUBE = Spec("Cube-v1", "decimal:Decimal", "a cube")


@pytest.fixture
def entries(monkeypatch):
    """Entry points by group, in place of what is installed."""
    groups = {}
    monkeypatch.setattr(
        registry_module,
        "entry_points",
        lambda *, group: [SimpleNamespace(load=lambda plugin=plugin: plugin) for plugin in groups.get(group, ())],
    )
    return groups


@pytest.fixture
def shapes(entries):
    shapes = Registry("shape")
    shapes.register(RING)
    shapes.register(CUBE)
    return shapes


def test_entries_are_listed_in_order_of_their_ids(shapes):
    assert shapes.ids() == ["Cube-v1", "Ring-v0"]
    assert list(shapes) == [CUBE, RING]
    assert len(shapes) == 2
    assert "Ring-v0" in shapes
    assert "Rong-v0" not in shapes
    assert 3 not in shapes
    assert shapes.spec("Ring-v0") is RING


def test_given_options_overlay_the_registered_ones(shapes):
    assert str(shapes.make("Ring-v0")) == "1/2"
    assert str(shapes.make("Ring-v0", denominator=5)) == "1/5"
    assert str(shapes.make("Ring-v0")) == "1/2"


def test_a_target_is_imported_only_when_made(shapes, tmp_path, monkeypatch):
    (tmp_path / "heavy_shapes.py").write_text("class Sphere:\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    shapes.register(Spec("Sphere-v0", "heavy_shapes:Sphere"))
    assert "Sphere-v0" in shapes.ids()
    assert shapes.spec("Sphere-v0").summary == ""
    assert "heavy_shapes" not in sys.modules
    assert type(shapes.make("Sphere-v0")).__name__ == "Sphere"
    monkeypatch.delitem(sys.modules, "heavy_shapes")


def test_an_unknown_id_names_the_nearest_one(shapes):
    with pytest.raises(UnknownName, match=r"no shape named 'ring-v1'\. Did you mean 'Ring-v0'\? .* lists all 2\."):
        shapes.make("ring-v1")


def test_an_id_that_is_no_string_is_an_error(shapes):
    with pytest.raises(InvalidParameter, match="3 is a int; expected a string"):
        shapes.spec(3)


def test_an_id_cannot_be_taken_twice(shapes):
    with pytest.raises(InvalidParameter, match="'Ring-v0' is already registered for fractions:Fraction"):
        shapes.register(Spec("Ring-v0", "decimal:Decimal"))
    assert shapes.spec("Ring-v0") is RING


def test_registering_the_same_entry_again_changes_nothing(shapes):
    shapes.register(RING)
    assert len(shapes) == 2


@pytest.mark.parametrize(("kind", "group"), [("world", "offnominal.worlds"), ("anomaly", "offnominal.anomalies")])
def test_other_packages_register_through_the_entry_points_of_the_kind(kind, group, entries):
    entries[group] = [lambda registry: registry.register(RING)]
    entries["offnominal.others"] = [lambda registry: registry.register(CUBE)]
    assert Registry(kind).ids() == ["Ring-v0"]


@pytest.mark.parametrize(
    "look",
    [list, len, Registry.ids, lambda kinds: kinds.spec("Ring-v0"), lambda kinds: "Ring-v0" in kinds],
    ids=["iterate", "count", "ids", "spec", "contains"],
)
def test_entry_points_are_loaded_once_and_whichever_way_one_looks_first(look, entries):
    loaded = []
    entries["offnominal.shapes"] = [lambda registry: (loaded.append(registry), registry.register(RING))]
    kinds = Registry("shape")
    assert not loaded
    assert look(kinds)
    look(kinds)
    assert loaded == [kinds]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no_such_package.detectors:Mine", "there is no module 'no_such_package'"),
        ("fractions:Fracton", "Did you mean 'Fraction'?"),
    ],
)
def test_a_target_that_cannot_be_imported_is_named(target, said):
    with pytest.raises(UnknownName, match=re.escape(said)):
        Spec("mine", target).load()


def test_a_package_that_is_missing_inside_a_target_is_not_taken_for_the_target(tmp_path, monkeypatch):
    (tmp_path / "needs_more.py").write_text("import no_such_package\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleFailed, match="'needs_more' cannot be imported: ModuleNotFoundError: No module named"):
        Spec("mine", "needs_more:Mine").load()


@pytest.fixture
def fractions(entries):
    fractions = Registry("fraction", Fraction)
    fractions.register(Spec("Half-v0", "fractions:Fraction", "a half", {"numerator": 1, "denominator": 2}))
    fractions.register(Spec("Wrong-v0", "decimal:Decimal"))
    return fractions


def test_an_id_or_a_class_of_the_contract_is_built(fractions):
    assert fractions.build("Half-v0") == Fraction(1, 2)
    assert fractions.build("Half-v0", {"denominator": 4}) == Fraction(1, 4)
    assert fractions.build("fractions:Fraction", {"numerator": 3}) == 3
    assert fractions.load("fractions:Fraction") is Fraction
    assert fractions.find("fractions:Fraction") == Spec("fractions:Fraction", "fractions:Fraction")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("decimal:Decimal", "is the class Decimal; expected a subclass of Fraction"),
        ("os:getcwd", "is a builtin_function_or_method; expected a subclass of Fraction"),
        ("Wrong-v0", "makes a Decimal; expected a Fraction"),
        ("not a path:x", "expected 'package.module:Class'"),
    ],
)
def test_what_does_not_keep_the_contract_is_named(fractions, name, said):
    with pytest.raises(InvalidParameter, match=said):
        fractions.build(name)


@pytest.mark.parametrize("allowed", [["fractions"], "fractions", ["os", "fractions"]])
def test_a_name_from_a_file_is_of_an_allowed_package(fractions, allowed, monkeypatch):
    monkeypatch.setattr(registry_module, "entry_points", lambda **chosen: EntryPoints())
    assert fractions.find("fractions:Fraction", allow_modules=allowed).target == "fractions:Fraction"
    assert fractions.find("Half-v0", allow_modules=[]).target == "fractions:Fraction"
    with pytest.raises(ModuleNotAllowed, match=r"--allow-module decimal` .* `allow_modules=\['decimal'\]`"):
        fractions.find("decimal:Decimal", allow_modules=allowed)
    with pytest.raises(ModuleNotAllowed):
        fractions.find("fractions_of_others:Fraction", allow_modules=allowed)
