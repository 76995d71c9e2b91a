"""Parts of a variance are those that the data were made with, and their intervals contain them."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import split_variance
from offnominal.evaluation.mean_squares import STRATA, WorldSquares, expected_squares
from offnominal.evaluation.variance_split import EPISODES, PARTS, effective_freedom

BALANCED = [(12, (2, 2, 2))] * 6
UNBALANCED = [(20, (3, 3, 3)), (6, (3, 2, 1)), (12, (2, 2)), (9, (2, 2, 2, 2)), (8, (3,))]
SPREAD = {"world": 0.5, "fault": 1.0, "policy": 0.4, "policy by fault": 0.3, "training": 0.3, "training by fault": 0.5}


def made(rng, spread, designs=BALANCED, *, error=0.0, replicates=0):
    """Return numbers with known effects. Half of the error is common to all faults, all of it to all trainings."""
    world, fault, policy, crossed, training, rest = (spread.get(name, 0.0) for name in STRATA)
    worlds = []
    for n_faults, seeds in designs:
        base = world * rng.normal() + fault * rng.normal(size=(n_faults, 1))
        worlds.append([])
        for n_seeds in seeds:
            values = base + policy * rng.normal() + crossed * rng.normal(size=(n_faults, 1))
            values = values + training * rng.normal(size=n_seeds) + rest * rng.normal(size=(n_faults, n_seeds))
            wrong = rng.normal(size=(1 + replicates, 1, 1)) + rng.normal(size=(1 + replicates, n_faults, 1))
            wrong = error * np.sqrt(0.5) * (wrong + np.zeros(n_seeds))
            worlds[-1].append(np.concatenate([(values + wrong[0])[None], values + wrong[0] + wrong[1:]]))
    return worlds


def repeated(spread, designs=BALANCED, *, times, **options):
    """Return means of the estimates, and how often an interval contains the variance, by part."""
    rng = np.random.default_rng(3)
    true = {name: spread.get(name, 0.0) ** 2 for name in STRATA} | {EPISODES: options.get("error", 0.0) ** 2}
    found = [split_variance(made(rng, spread, designs, **options), draws=1000, seed=n) for n in range(times)]
    names = list(found[0].parts)
    means = {name: float(np.mean([each.parts[name].variance for each in found])) for name in names}
    held = {name: np.mean([p.low <= true[name] <= p.high for p in (e.parts[name] for e in found)]) for name in names}
    return true, means, held


def test_mean_squares_are_those_by_hand():
    first = np.array([[1.0, 2.0], [3.0, 2.0]])  # (faults, trainings); means of the faults 1.5 and 2.5
    second = np.array([[5.0, 5.0], [6.0, 8.0]])  # means 5 and 7
    found = WorldSquares.of([first[None], second[None]])
    assert found.mean[0] == 4.0
    assert found.freedom.tolist() == [0, 1, 1, 1, 2, 2]
    assert found.squares[1:, 0] == pytest.approx([1.125, 8.0, 0.25, 0.25, 1.0])


@pytest.mark.long
def test_expected_squares_are_those_of_simulated_effects():
    rng, design = np.random.default_rng(1), [(4, (3, 2, 1))]
    expected = expected_squares(*design[0])
    for column, name in enumerate(STRATA[1:], 1):
        squares = [WorldSquares.of(made(rng, {name: 1.0}, design)[0]).squares[1:, 0] for _ in range(400)]
        assert np.mean(squares, axis=0) == pytest.approx(expected[1:, column], abs=0.25)


@pytest.mark.long
@pytest.mark.parametrize("designs", [BALANCED, UNBALANCED], ids=["balanced", "unbalanced"])
def test_known_parts_are_found_and_covered(designs):
    true, means, held = repeated(SPREAD, designs, times=80)
    for name in STRATA:
        assert means[name] == pytest.approx(true[name], rel=0.35), name
        assert held[name] >= 0.86, name


@pytest.mark.long
def test_parts_of_zero_are_covered_and_not_found():
    _, means, held = repeated({"fault": 1.0, "training by fault": 0.5}, times=60)
    for name in ("world", "policy", "policy by fault", "training"):
        assert abs(means[name]) < 0.04
        assert held[name] >= 0.86


@pytest.mark.long
def test_the_error_of_episodes_is_not_taken_for_a_policy():
    spread = {"fault": 1.0, "training by fault": 0.3}
    _, means, held = repeated(spread, times=40, error=0.6, replicates=40)
    assert means[EPISODES] == pytest.approx(0.36, rel=0.05)
    assert abs(means["policy"]) < 0.06
    assert abs(means["policy by fault"]) < 0.02
    assert min(held["policy"], held["policy by fault"]) > 0.82
    # The same numbers without their replicates: what is due to episodes is counted as policies.
    _, wrong, missed = repeated(spread, times=40, error=0.6)
    assert wrong["policy"] == pytest.approx(0.18, rel=0.35)
    assert missed["policy"] < 0.7


def test_intervals_with_invented_degrees_of_freedom_miss_too_often():
    # Three copies of each policy pretend that there are three times as many: the interval is too narrow.
    rng, missed = np.random.default_rng(5), 0
    for number in range(80):
        worlds = [
            [policy for policy in world for _ in range(3)] for world in made(rng, {"policy": 1.0}, [(4, (1,) * 4)])
        ]
        part = split_variance(worlds, draws=500, seed=number).policies
        missed += not part.low <= 1.0 <= part.high
    assert missed / 80 > 0.12


def test_a_shuffle_of_the_policies_of_each_fault_moves_their_part():
    rng = np.random.default_rng(7)
    worlds = made(rng, {"policy": 1.0}, [(30, (1,) * 5)] * 3)
    shuffled = [list(rng.permuted(np.array(world), axis=0)) for world in worlds]
    before, after = split_variance(worlds), split_variance(shuffled)
    assert before.parts["policy by fault"].variance < 1e-9 < before.parts["policy"].variance
    assert after.parts["policy by fault"].variance > 10.0 * abs(after.parts["policy"].variance)


def test_a_detector_with_one_training_has_no_part_of_trainings():
    found = split_variance(made(np.random.default_rng(0), SPREAD, [(5, (1, 1))] * 2))
    assert list(found.parts) == ["world", "fault", "policy", "policy by fault"]
    assert found.trainings is None


def test_one_world_has_no_part_of_worlds():
    assert "world" not in split_variance(made(np.random.default_rng(0), SPREAD, [(5, (2, 2))])).parts


def test_equal_numbers_have_no_shares():
    found = split_variance([[np.full((3, 4, 2), 0.5)] * 2] * 2)
    assert list(found.parts) == list(PARTS)
    assert found.total == 0.0
    assert {part.share for part in found.parts.values()} == {None}


def test_shares_add_up():
    found = split_variance(made(np.random.default_rng(2), SPREAD, error=0.2, replicates=20))
    assert sum(part.share for part in found.parts.values()) == pytest.approx(1.0)


def test_the_same_seed_gives_the_same_intervals():
    worlds = made(np.random.default_rng(2), SPREAD)
    assert split_variance(worlds, seed=1).policies == split_variance(worlds, seed=1).policies
    assert split_variance(worlds, seed=1).policies != split_variance(worlds, seed=2).policies


def test_unequal_mean_squares_have_fewer_degrees_of_freedom():
    rng = np.random.default_rng(0)
    equal = [effective_freedom(rng.chisquare(8, 20) / 8, np.full(20, 8.0)) for _ in range(300)]
    assert 120 < np.mean(equal) <= 160
    assert effective_freedom(np.array([1.0, 100.0]), np.array([8.0, 8.0])) < 12


@pytest.mark.parametrize(
    ("worlds", "message"),
    [
        ([], "no world has several policies"),
        ([[np.zeros((1, 3, 2))]], "no world has several policies"),
        ([[np.zeros((1, 3, 2)), np.zeros((1, 2, 2))]], "have other faults"),
        ([[np.full((1, 3, 2), np.nan)] * 2], "not finite"),
        ([[np.zeros((3, 2))] * 2], r"shape \(1, 2\)"),
    ],
)
def test_invalid_designs_are_named(worlds, message):
    with pytest.raises(InvalidParameter, match=message):
        split_variance(worlds)


def test_numbers_that_are_equal_up_to_rounding_have_no_shares():
    rng = np.random.default_rng(0)
    worlds = [[0.5 + 1e-16 * rng.normal(size=(3, 4, 2)) for _ in range(2)] for _ in range(2)]
    assert {part.share for part in split_variance(worlds).parts.values()} == {None}


@pytest.mark.long
def test_policies_without_any_effect_are_rarely_found():
    rng, found = np.random.default_rng(11), 0
    for number in range(80):
        worlds = made(rng, {"fault": 1.0, "training by fault": 0.5}, [(10, (2, 2, 2))] * 3)
        found += split_variance(worlds, draws=500, seed=number).policies.low > 0.0
    assert found <= 10
    worlds = made(rng, {"fault": 1.0, "policy": 1.0, "training by fault": 0.5}, [(10, (2, 2, 2))] * 3)
    assert split_variance(worlds, draws=500).policies.low > 0.0
