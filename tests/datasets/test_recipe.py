"""A recipe says which seeds and faults go where, and nothing in it can be ambiguous."""

from itertools import combinations

import pytest

from offnominal.anomalies import Schedule
from offnominal.anomalies.strengths import strengths_of
from offnominal.core.errors import InvalidParameter, OffnominalError, UnknownName
from offnominal.datasets.recipe import FaultCell, Recipe, cells_of

CELLS = (FaultCell("action/noise", "tiny", 0.1), FaultCell("dynamics/mass", "strong", 4.0))
RECIPE = Recipe("SAP-Goal0-v0", "tqc", cells=CELLS, twins=True)


def seeds(recipe):
    return {plan.name: plan.seeds.tolist() for plan in recipe.plans()}


@pytest.mark.parametrize(("nominal", "validation"), [(1, 1), (10, 1), (11, 2), (100, 10), (1000, 100)])
def test_a_tenth_as_many_episodes_as_for_training_are_for_validation(nominal, validation):
    assert len(seeds(RECIPE.replace(nominal=nominal))["validation"]) == validation


def test_splits_share_no_seed_except_the_faults_and_their_twins():
    used = seeds(RECIPE.replace(episodes=1_000_000, nominal=1_000_000))
    faulty = {name: used.pop(name)[0] for name in ("twins", "action/noise@tiny", "dynamics/mass@strong")}
    assert len(set(faulty.values())) == 1
    ranges = [*((first[0], first[-1]) for first in used.values()), (faulty["twins"], faulty["twins"] + 999_999)]
    for first, second in combinations(ranges, 2):
        assert first[1] < second[0] or second[1] < first[0]


def test_every_fault_of_a_split_is_the_one_in_its_name():
    faults = {plan.name: plan.faults for plan in RECIPE.plans()}
    assert [faults[name] for name in ("train", "validation", "test", "twins")] == [()] * 4
    (fault,) = faults["dynamics/mass@strong"]
    assert (fault.id, fault.strength, fault.schedule) == ("dynamics/mass", 4.0, Schedule())


@pytest.mark.parametrize(
    "change",
    [
        {"world": "SAP-Goal1-v0"},
        {"policy": "sac"},
        {"policy_sha256": "0"},
        {"episodes": 99},
        {"nominal": 99},
        {"seed": 9},
        {"cells": CELLS[:1]},
        {"schedule": Schedule(onset=5)},
        {"twins": False},
        {"extras": ("applied",)},
        {"format": 2},
    ],
)
def test_another_recipe_has_another_hash(change):
    assert RECIPE.replace(**change).digest() != RECIPE.digest()
    assert Recipe.from_dict(RECIPE.to_dict()).digest() == RECIPE.digest()


def test_the_order_of_extras_makes_no_difference():
    one, other = (
        RECIPE.replace(extras=extras)
        for extras in (("applied", "clean_observations"), ("clean_observations", "applied", "applied"))
    )
    assert one == other
    assert one.signals == ("success", "critical", "cost", "clean_observations", "applied")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"episodes": 0}, "episodes is 0"),
        ({"nominal": 1_000_001}, "seeds would be used twice"),
        ({"seed": -1}, "seed -1"),
        ({"extras": ("clean_observation",)}, "Did you mean 'clean_observations'?"),
    ],
)
def test_a_recipe_that_cannot_be_followed_is_refused(change, complaint):
    with pytest.raises(OffnominalError, match=complaint):
        RECIPE.replace(**change)


def test_the_shipped_strengths_are_the_default():
    cells = cells_of("SAP-Goal0-v0")
    assert {(cell.anomaly, cell.level): cell.parameter for cell in cells} == strengths_of("SAP-Goal0-v0")


def test_cells_are_sorted_by_anomaly_and_strength_and_can_be_chosen():
    table = {("b", "strong"): 3, ("a", "own"): 9, ("a", "extreme"): 4, ("b", "tiny"): 1, ("a", "tiny"): 2}
    assert [cell.name for cell in cells_of("w", strengths=table)] == [
        "a@tiny",
        "a@extreme",
        "a@own",
        "b@tiny",
        "b@strong",
    ]
    assert [cell.name for cell in cells_of("w", strengths=table, anomalies="b", levels=["tiny"])] == ["b@tiny"]
    assert cells_of("w", strengths=table, levels=[]) == ()


def test_a_wrong_anomaly_or_level_is_answered_with_the_right_one():
    table = {("action/noise", "tiny"): 0.1}
    with pytest.raises(UnknownName, match="Did you mean 'action/noise'"):
        cells_of("w", strengths=table, anomalies=["action/noize"])
    with pytest.raises(UnknownName, match=r"no level 'huge' has a known strength in w\. Known: tiny"):
        cells_of("w", strengths=table, levels=["huge"])


def test_a_world_without_strengths_has_no_cells():
    assert cells_of("Pendulum-v1") == ()
    with pytest.raises(InvalidParameter):
        Recipe("Pendulum-v1", "mine", episodes=True)


def test_the_episodes_for_validation_can_be_chosen():
    recipe = Recipe("SAP-Goal0-v0", "tqc", nominal=100, validation=40)
    assert [len(plan.seeds) for plan in recipe.plans()] == [100, 40, 100]
    with pytest.raises(InvalidParameter, match="validation"):
        Recipe("SAP-Goal0-v0", "tqc", validation=0)
