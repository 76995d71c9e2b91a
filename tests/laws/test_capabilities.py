"""A wrong tag or need in a registry entry breaks the law of capabilities."""

from dataclasses import replace
from importlib.util import find_spec

import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.core.registry import Spec
from offnominal.detectors.catalogue import detectors
from offnominal.detectors.policies import PolicyUncertainty
from offnominal.laws import check_detector, check_world
from offnominal.worlds.catalogue import worlds

pytestmark = pytest.mark.long

CAPABILITIES = "its declared capabilities are true"
EXPORTED = "an exported file gives the same scores"
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
needs_onnx = pytest.mark.skipif(find_spec("onnxruntime") is None, reason="onnxruntime is not installed")


@pytest.fixture
def declare(monkeypatch):
    """Replace parts of a registry entry for one test."""

    def change(registry, id, **changes):
        specs = {**registry._specs, id: replace(registry.spec(id), **changes)}
        monkeypatch.setattr(registry, "_specs", specs)

    return change


def broken(report):
    return {finding.law: finding.problem for finding in report if finding.problem}


@pytest.mark.parametrize(
    ("id", "declared", "problem"),
    [
        ("Time", {"tags": ("gpu", "onnx")}, "the entry of Time has the tag 'gpu', but there is no torch network"),
        ("Time", {"needs": ("images",)}, "declares that it needs images, which it does not"),
        ("Time", {"needs": ("policy",)}, "declares that it needs policy, which it does not"),
        ("Time", {"needs": ("symbols",)}, "declares that it needs symbols, which it does not"),
        pytest.param("VAE-untrained", {"tags": ("onnx",)}, "its entry needs the tag 'gpu'", marks=needs_torch),
        pytest.param(
            "Entropy", {"needs": ()}, "Entropy needs policy; its entry does not declare it", marks=needs_torch
        ),
        pytest.param("Symbolic-AR-untrained", {"needs": ()}, "needs symbols", marks=[needs_torch, pytest.mark.long]),
    ],
)
def test_a_wrong_declaration_of_a_detector_breaks_the_law(declare, id, declared, problem):
    declare(detectors, id, **declared)
    assert problem in broken(check_detector(id))[CAPABILITIES]


@needs_onnx
def test_a_detector_exports_if_and_only_if_it_says_so(declare):
    declare(detectors, "Time", tags=())
    assert broken(check_detector("Time")) == {
        EXPORTED: "it can be exported as an ONNX file; its entry needs the tag 'onnx'"
    }
    declare(detectors, "Random", tags=("onnx",))
    assert broken(check_detector("Random"))[EXPORTED].startswith("its entry has the tag 'onnx', but: ")


@pytest.mark.parametrize(
    ("id", "tags", "problem"),
    [
        ("SAP-Goal0-v0", (), "SAP-Goal0-v0 has a camera; its entry needs the tag 'camera'"),
        ("SAP-Goal0-v0", ("camera", "threads"), "has the tag 'threads', but nothing takes `threads`"),
        ("MJC-HalfCheetah-v0", ("camera",), "MJC-HalfCheetah-v0 takes `threads`; its entry needs the tag 'threads'"),
    ],
)
def test_a_wrong_tag_of_a_world_breaks_the_law(declare, id, tags, problem):
    declare(worlds, id, tags=tags)
    assert problem in broken(check_world(id))[CAPABILITIES]


def test_threads_that_are_not_started_break_the_law(monkeypatch):
    monkeypatch.setattr("offnominal.worlds.mujoco.batched_world.thread_count", lambda n, threads: 1)
    problem = broken(check_world("MJC-HalfCheetah-v0"))[CAPABILITIES]
    assert problem == "MJC-HalfCheetah-v0 starts 0 more threads with threads=3 than with 1"


@needs_torch
def test_a_detector_that_is_not_registered_declares_nothing():
    class Mine(PolicyUncertainty):
        pass

    (finding,) = [finding for finding in check_detector(Mine) if finding.law == CAPABILITIES]
    assert finding.skipped == "it is not registered, so it declares nothing"


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"tags": ("gpus",)}, "Did you mean 'gpu'"),
        ({"needs": ("pixels",)}, "Choose from images, policy, symbols"),
        ({"tags": "gpu"}, "expected a tuple"),
    ],
)
def test_an_unknown_tag_or_need_is_an_error(declared, problem):
    with pytest.raises(InvalidParameter, match=problem):
        Spec("Mine", "mine:Mine", **declared)
