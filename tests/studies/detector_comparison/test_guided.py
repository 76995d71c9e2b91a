"""Configurations that Optuna proposes."""

import math
import sys

import pytest

from offnominal.core.errors import MissingDependency
from offnominal.studies.detector_comparison.guided import BATCH, guided
from offnominal.studies.detector_comparison.space import Space, sample

SPACE = Space("mine", "Mine", {"k": tuple(range(1000)), "kind": ("near", "far")}, {"fixed": 7})


def best_at_700(tried):
    return [-abs(each["k"] - 700) - 50.0 * (each["kind"] == "far") for each in tried]


@pytest.fixture
def optuna():
    return pytest.importorskip("optuna")


def test_proposals_come_closer_than_draws(optuna):
    proposed, drawn = guided(SPACE, 60, judge=best_at_700), sample(SPACE, 60)
    assert len(proposed) == 60
    assert sum(best_at_700(proposed[BATCH:])) > sum(best_at_700(drawn[BATCH:]))
    assert all(each["fixed"] == 7 for each in proposed)


def test_both_searches_begin_alike_and_nothing_is_tried_twice(optuna):
    proposed = guided(SPACE, 40, seed=3, judge=best_at_700)
    assert proposed[:BATCH] == sample(SPACE, BATCH, seed=3)
    assert len({(each["k"], each["kind"]) for each in proposed}) == 40


def test_a_seed_gives_the_same_again(optuna):
    first, second, other = (guided(SPACE, 30, seed=seed, judge=best_at_700) for seed in (1, 1, 2))
    assert first == second != other


def test_a_small_space_is_tried_whole(optuna):
    small = Space("small", "Small", {"k": (1, 2, 3)})
    assert guided(small, 5, judge=best_at_700) == [{"k": 1}, {"k": 2}, {"k": 3}]


def test_what_fails_or_makes_no_sense_does_not_stop_the_search(optuna):
    def picky(tried):
        return [math.nan if each["k"] > 500 else float(each["k"]) for each in tried]

    proposed = guided(SPACE, 30, judge=picky, accept=lambda each: each["kind"] == "near")
    assert len(proposed) == 30
    assert {each["kind"] for each in proposed} == {"near"}


def test_without_optuna_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[optuna\]"):
        guided(SPACE, 5, judge=best_at_700)
