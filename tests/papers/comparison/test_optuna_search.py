"""Configurations that Optuna proposes."""

import math
import sys

import pytest

from offnominal.core.errors import MissingDependency
from offnominal.papers.comparison.optuna_search import BATCH, optuna_configurations
from offnominal.papers.comparison.search_spaces import SearchSpace, sample_configurations

pytestmark = pytest.mark.long

SPACE = SearchSpace("mine", "Mine", {"n_neighbors": tuple(range(1000)), "kind": ("near", "far")}, {"fixed": 7})


def best_at_700(tried):
    return [-abs(each["n_neighbors"] - 700) - 50.0 * (each["kind"] == "far") for each in tried]


@pytest.fixture
def optuna():
    return pytest.importorskip("optuna")


def test_proposals_come_closer_than_draws(optuna):
    proposed, drawn = optuna_configurations(SPACE, 60, objective=best_at_700), sample_configurations(SPACE, 60)
    assert len(proposed) == 60
    assert sum(best_at_700(proposed[BATCH:])) > sum(best_at_700(drawn[BATCH:]))
    assert all(each["fixed"] == 7 for each in proposed)


def test_both_searches_begin_alike_and_nothing_is_tried_twice(optuna):
    proposed = optuna_configurations(SPACE, 40, seed=3, objective=best_at_700)
    assert proposed[:BATCH] == sample_configurations(SPACE, BATCH, seed=3)
    assert len({(each["n_neighbors"], each["kind"]) for each in proposed}) == 40


def test_a_seed_gives_the_same_again(optuna):
    first, second, other = (optuna_configurations(SPACE, 30, seed=seed, objective=best_at_700) for seed in (1, 1, 2))
    assert first == second != other


def test_a_small_space_is_tried_whole(optuna):
    small = SearchSpace("small", "Small", {"n_neighbors": (1, 2, 3)})
    assert optuna_configurations(small, 5, objective=best_at_700) == [
        {"n_neighbors": 1},
        {"n_neighbors": 2},
        {"n_neighbors": 3},
    ]


def test_what_fails_or_makes_no_sense_does_not_stop_the_search(optuna):
    def picky(tried):
        return [math.nan if each["n_neighbors"] > 500 else float(each["n_neighbors"]) for each in tried]

    proposed = optuna_configurations(SPACE, 30, objective=picky, accept=lambda each: each["kind"] == "near")
    assert len(proposed) == 30
    assert {each["kind"] for each in proposed} == {"near"}


def test_without_optuna_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingDependency, match=r"offnominal\[optuna\]"):
        optuna_configurations(SPACE, 5, objective=best_at_700)
