"""The version of the code: what changes it, and what does not."""

import ast
import inspect
import sys

import pytest

from offnominal.alarms import EpisodeMaximum, alarms
from offnominal.core.errors import UnknownName
from offnominal.detectors.catalogue import detectors
from offnominal.detectors.rows import KNN, LOF
from offnominal.studies import result_key
from offnominal.studies.code import OURS, Sources
from offnominal.studies.execution import code_of
from offnominal.studies.store import Store

from .cases import small_cell

pytestmark = pytest.mark.long


def fresh(sources):
    """Sources that have read our own modules, which no test changes, and no others."""
    other = Sources()
    other._modules |= {name: module for name, module in sources._modules.items() if name.split(".")[0] == OURS}
    return other


def versions_of(sources, package):
    """The versions of two detectors."""
    current = fresh(sources)
    return {name: current.version(f"{package.name}.{name.lower()}:{name}") for name in ("First", "Second")}


def edit(package, file, old, new):
    path = package / f"{file}.py"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def changed(sources, package):
    """Return a function that says whose versions change if a text in a file does."""

    def change(file, old, new):
        before = versions_of(sources, package)
        edit(package, file, old, new)
        after = versions_of(sources, package)
        return {name for name in before if before[name] != after[name]}

    return change


def keys_of(sources, package):
    """The keys of the same cell for two detectors and one of ours."""
    sources = fresh(sources)
    names = {"KNN": "KNN", "First": f"{package.name}.first:First", "Second": f"{package.name}.second:Second"}
    cells = [small_cell(name, detector) for name, detector in names.items()]
    return {cell.name: result_key(cell, data="", code=code_of(cell, sources)) for cell in cells}


def test_a_change_of_one_detector_changes_exactly_its_keys(sources, package):
    before = keys_of(sources, package)
    edit(package, "first", "    pass", "    weight = 2")
    after = keys_of(sources, package)
    assert {name for name in before if before[name] != after[name]} == {"First"}


def test_a_change_of_one_detector_changes_exactly_its_version(changed):
    assert changed("first", "    pass", "    weight = 2") == {"First"}


def test_a_change_of_what_a_detector_imports_within_a_function_changes_its_keys(changed):
    assert changed("shared", "2 * x", "3 * x") == {"Second"}


def test_a_function_that_nobody_calls_changes_no_key(changed):
    assert changed("shared", "return x", "return -x") == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class First(Time):", "# A comment.\nclass First(Time):"),
        ("class First(Time):", 'class First(Time):\n    """A docstring."""\n'),
        ("\n\n\nclass", "\n\n\n\n\nclass"),
    ],
    ids=["comment", "docstring", "layout"],
)
def test_what_is_for_people_changes_no_key(changed, old, new):
    assert changed("first", old, new) == set()


def test_annotations_change_no_key(changed):
    assert changed("shared", "def doubled(x):", "def doubled(x: float) -> float:") == set()


def test_what_runs_on_import_changes_the_keys_of_what_is_beside_it(changed):
    assert changed("shared", "def unused", "doubled(1)\n\n\ndef unused") == {"Second"}


def test_a_name_that_a_package_passes_on_is_followed(package):
    (package / "__init__.py").write_text("from .second import Second\n", encoding="utf-8")
    passed_on = f"{package.name}:Second"
    before = Sources().version(passed_on)
    (package / "shared.py").write_text("def doubled(x):\n    return 4 * x\n", encoding="utf-8")
    assert Sources().version(passed_on) != before
    assert f"{package.name}.shared:doubled" in Sources().used(passed_on)


def test_our_own_detectors_do_not_know_each_other(sources):
    used = {
        name: [
            used for spec in (detectors.spec(name), *detectors.parts(name, {})) for used in sources.used(spec.target)
        ]
        for name in ("KNN", "Mahalanobis", "PE-DM")
    }
    assert not any("mahalanobis" in name or "transitions.pe_dm" in name for name in used["KNN"])
    assert not any("rows.knn" in name or "transitions.pe_dm" in name for name in used["Mahalanobis"])
    assert any("rows.knn" in name for name in used["KNN"])
    assert any("transitions.pe_dm" in name for name in used["PE-DM"])


def test_every_cell_depends_on_the_metrics_and_on_its_alarms(sources):
    assert code_of(small_cell(alarms=()), sources) != code_of(small_cell(), sources)
    used = sources.used("offnominal.evaluation.detector_evaluation:DetectorEvaluator")
    assert {
        "offnominal.evaluation.time_matched:time_matched_of_steps",
        "offnominal.evaluation.timing:timing_of_outcomes",
    } <= set(used)
    assert not any(name.startswith("offnominal.studies.store") for name in used)


def test_what_is_not_there_is_named():
    with pytest.raises(UnknownName, match=r"no source of 'offnominal\.detectors:Nobody'"):
        Sources().version("offnominal.detectors:Nobody")
    with pytest.raises(UnknownName, match="nowhere_at_all"):
        Sources().version("nowhere_at_all:Detector")


def grown(sources, kind):
    """Return sources in which a class has one statement more."""
    tree = ast.parse(inspect.getsource(sys.modules[kind.__module__]))
    (definition,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__)
    definition.body += ast.parse("grown = True").body
    return sources.edited(kind.__module__, ast.unparse(tree))


def version_of(sources, registry, id):
    return sources.version(registry.spec(id).target, *(part.target for part in registry.parts(id, {})))


REGISTERED = {id: registry for registry in (detectors, alarms) for id in registry.ids()}


def changed_by(sources, kind):
    """Return what has another version if a class has one statement more."""
    edited = grown(sources, kind)
    return {id for id, of in REGISTERED.items() if version_of(edited, of, id) != version_of(sources, of, id)}


@pytest.mark.parametrize("id", REGISTERED)
def test_an_edit_of_its_algorithm_changes_the_version_of_every_detector_and_alarm(sources, id):
    registry = REGISTERED[id]
    made, before = registry.make(id), version_of(sources, registry, id)
    assert version_of(grown(sources, type(getattr(made, "row_detector", made))), registry, id) != before
    assert version_of(grown(sources, Store), registry, id) == before


def test_an_edit_changes_the_versions_of_what_uses_it_and_no_others(sources):
    assert changed_by(sources, LOF) == {"LOF"}
    assert changed_by(sources, KNN) == {"KNN", "Neighbours", "Fusion", "DTE-NP", "VAE-KNN", "VAE-KNN-untrained"}
    assert changed_by(sources, EpisodeMaximum) == {"EpisodeMaximum", "PacEpisodeMaximum"}
    assert changed_by(sources, Store) == set()


def test_an_edit_of_an_autoencoder_changes_what_is_built_on_it(sources):
    deep = pytest.importorskip("offnominal.detectors.rows.vae", reason="torch is not installed")
    built = ("VAE", "VAE-KNN", "VAE-OCSVM")
    assert changed_by(sources, deep.VAE) == {*built, *(f"{name}-untrained" for name in built)}


def test_a_cell_of_a_fusion_depends_on_the_detectors_that_it_fuses(sources):
    pair = {"detectors": [["LOF", {"n_neighbors": 3}], "HBOS"]}
    plain, given = small_cell("Fusion", "Fusion"), small_cell("Fusion", "Fusion", parameters=pair)
    edited = {kind: grown(sources, kind) for kind in (LOF, KNN)}
    assert code_of(plain, edited[KNN]) != code_of(plain, sources)
    assert code_of(plain, edited[LOF]) == code_of(plain, sources)
    assert code_of(given, edited[LOF]) != code_of(given, sources)
    assert code_of(given, edited[KNN]) == code_of(given, sources)


def test_a_module_that_is_not_there_cannot_be_edited(sources):
    with pytest.raises(UnknownName, match=r"no source of 'offnominal\.nowhere'"):
        sources.edited("offnominal.nowhere", "")


PINNED = """
from dataclasses import dataclass


@dataclass(frozen=True)
class Told:
    name: str = "it's"

    def say(self, *others, loud=False, **rest):
        words = [f"{other['name']!r:>{10}} and {self.name}" for other in others if other]
        match words:
            case [first, *_] if loud:
                return first.upper() + "\\n"
            case _:
                return (lambda x, /, y=1.5: {"a": x, **rest} | {b"b": y})(words)
"""


def test_every_version_of_python_gives_the_same_version_of_the_code(tmp_path, monkeypatch):
    (tmp_path / "pinned_module.py").write_text(PINNED, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert Sources().version("pinned_module:Told")[:16] == "ffd6ed588ba5fc89"


def test_modules_that_import_a_name_from_each_other_are_followed_once(tmp_path, monkeypatch):
    package = tmp_path / "circular"
    package.mkdir()
    for file, text in {
        "__init__": "from circular.one import *\nfrom circular.compiled import compiled\n",
        "one": "from circular.two import missing\n\nclass Mine:\n    used = missing, compiled\n",
        "two": "from circular.one import missing\nfrom circular import compiled\n",
    }.items():
        (package / f"{file}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert Sources().used("circular.one:Mine") == ["circular.one:Mine"]
    with pytest.raises(UnknownName, match="no source of 'circular:compiled'"):
        Sources().used("circular:compiled")
