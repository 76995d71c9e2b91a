"""A version is kept only for the same numbers."""

import importlib
import json
from pathlib import Path

import pytest

from offnominal.studies.version_lock import Pin, read_lock

TOOLS = Path(__file__).parents[2] / "tools"
NAME = "detector/KNN"
OLD, CHANGED, RAISED = Pin(1, "old"), Pin(1, "new"), Pin(2, "new")


@pytest.fixture
def relock(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    return importlib.import_module("relock")


@pytest.fixture
def golden_numbers(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    return importlib.import_module("golden_numbers")


def renewed(relock, present, numbers, pinned=(1.0, 2.0), **options):
    golden = {} if pinned is None else {NAME: list(pinned)}
    return relock.renew({NAME: present}, {NAME: OLD}, golden, compute=lambda name: numbers, **options)


def test_changed_code_with_the_same_numbers_keeps_its_version(relock):
    renewal = renewed(relock, CHANGED, [1.0, 2.0 + 1e-9])
    assert (renewal.pins, renewal.numbers, renewal.refused) == ({NAME: CHANGED}, {NAME: [1.0, 2.0]}, [])


def test_changed_numbers_are_refused_until_the_version_is_raised(relock):
    renewal = renewed(relock, CHANGED, [1.0, 2.1])
    assert (renewal.pins, renewal.numbers) == ({NAME: OLD}, {NAME: [1.0, 2.0]})
    assert renewal.refused == [f"{NAME}: its numbers changed (2.0 became 2.1); raise its version from 1."]
    raised = renewed(relock, RAISED, [1.0, 2.1])
    assert (raised.pins, raised.numbers, raised.refused) == ({NAME: RAISED}, {NAME: [1.0, 2.1]}, [])


def test_an_object_without_a_golden_check_is_refused_unless_it_is_trusted(relock):
    (refused,) = renewed(relock, CHANGED, None, None).refused
    assert "it has no golden check" in refused
    assert f"--trust {NAME}" in refused
    assert renewed(relock, CHANGED, None, None, trust=[NAME]).pins == {NAME: CHANGED}


def test_a_golden_check_that_fails_is_refused(relock):
    def fail(name):
        raise ValueError("no such thing")

    renewal = relock.renew({NAME: CHANGED}, {NAME: OLD}, {NAME: [1.0]}, compute=fail)
    assert renewal.pins == {NAME: OLD}
    assert renewal.refused == [f"{NAME}: its golden check failed: ValueError: no such thing"]


def test_a_version_is_never_lowered(relock):
    renewal = relock.renew({NAME: OLD}, {NAME: Pin(2, "x")}, {NAME: [1.0]}, compute=lambda name: [1.0])
    assert renewal.pins == {NAME: Pin(2, "x")}
    assert "never lowered" in renewal.refused[0]


def test_new_objects_enter_the_lock_and_removed_ones_leave_it(relock):
    renewal = relock.renew({"alarm/New": OLD}, {NAME: OLD}, {NAME: [1.0]}, compute=lambda name: [3.0])
    assert (renewal.pins, renewal.numbers) == ({"alarm/New": OLD}, {"alarm/New": [3.0]})


def test_kept_numbers_change_with_every_value(golden_numbers):
    scores = [[0.1 * value for value in range(50)]]
    pinned = golden_numbers.kept(scores)
    assert golden_numbers.difference("alarm/Maximum", pinned, golden_numbers.kept(scores)) == ""
    for place in range(50):
        changed = [[value + 0.01 * (index == place) for index, value in enumerate(scores[0])]]
        assert golden_numbers.difference("alarm/Maximum", pinned, golden_numbers.kept(changed)) != "", place


PINNED = json.loads((TOOLS / "golden_numbers.json").read_text(encoding="utf-8"))


def test_golden_numbers_belong_to_objects_of_the_lock(golden_numbers):
    lock = read_lock()
    assert set(PINNED) <= set(lock)
    unchecked = {name.partition("/")[0] for name in set(lock) - set(PINNED)}
    assert unchecked == {"anomaly", "encoder", "recording_change", "study_kind"}


@pytest.mark.slow
@pytest.mark.parametrize("name", PINNED)
def test_every_object_gives_its_golden_numbers(golden_numbers, name):
    assert golden_numbers.difference(name, PINNED[name], golden_numbers.golden_numbers(name)) == ""
