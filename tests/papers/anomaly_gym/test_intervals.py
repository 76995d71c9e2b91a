"""Intervals of Tables 12 and 13: over trainings, and of pooled metrics."""

import numpy as np
import pytest

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anomaly_gym.discrimination_tables import every_metric, with_replicates
from offnominal.papers.anomaly_gym.published_intervals import prediction_interval, training_spread

from .made_rows import row, run

pytestmark = pytest.mark.long

WORLDS = ("SAP-Goal0-v0", "SAP-Goal1-v0", "SAP-Goal2-v0")


def drawn(world, value, seed=0, *, name="MLP-DM", wide=0.01, episodes=0):
    """Return the row of a training whose interval over episodes reaches `wide` to both sides.

    Without episodes of ours the published number adds nothing to it.
    """
    about = row(world, name, "strong", seed=seed, episodes=episodes, auroc=value)
    return about | {"draws_auroc": [value - wide, value + wide]}


def interval(rows, world):
    (line,) = [
        line for line in every_metric(run(rows)) if line.labels["world"] == world and line.labels["metric"] == "AUROC"
    ]
    return line.ours


def test_one_training_has_the_interval_over_episodes():
    ours = interval([drawn(WORLDS[0], 0.8)], WORLDS[0])
    assert (ours.low, ours.high) == pytest.approx((0.79, 0.81))


@pytest.mark.parametrize(
    ("world", "episodes", "reach"), [(WORLDS[0], 100, 2.0**0.5), ("CAR-LaneKeep-v0", 20, 1.4**0.5)]
)
def test_intervals_count_the_published_episodes_too(world, episodes, reach):
    ours = interval([drawn(world, 0.8, episodes=episodes)], world)
    assert (ours.low, ours.high) == pytest.approx((0.8 - 0.01 * reach, 0.8 + 0.01 * reach))


# By default their ends are those of the formulas.
@pytest.mark.slow
def test_intervals_cover_the_mean_over_other_episodes_as_often_as_they_say():
    generator = np.random.default_rng(0)
    inside = 0
    for _ in range(400):
        ours, published = generator.normal(0.5, 0.1, 20), generator.normal(0.5, 0.1, 100)
        draws = generator.choice(ours, (400, 20)).mean(axis=1)
        about = row(WORLDS[0], "KNN", "strong", episodes=20, auroc=ours.mean()) | {"draws_auroc": list(draws)}
        found = interval([about], WORLDS[0])
        inside += found.low <= published.mean() <= found.high
    # A bootstrap of 20 episodes is a little too narrow.
    assert 0.9 <= inside / 400 <= 0.97


def test_several_trainings_have_the_prediction_interval_of_one_more():
    values = (0.77, 0.79, 0.81, 0.83)
    ours = interval([drawn(WORLDS[0], value, seed) for seed, value in enumerate(values)], WORLDS[0])
    assert ours.value == pytest.approx(0.80)
    # Student's factor for 3 degrees of freedom is 3.182.
    reach = np.hypot(3.182 * np.std(values, ddof=1) * np.sqrt(5 / 4), 0.01)
    assert (ours.low, ours.high) == pytest.approx((0.80 - reach, 0.80 + reach), abs=1e-3)


def test_two_trainings_in_one_world_are_too_few_for_a_spread():
    ours = interval([drawn(WORLDS[0], value, seed) for seed, value in enumerate((0.79, 0.81))], WORLDS[0])
    assert ours.low > 0.77
    assert ours.high < 0.83


def test_the_spread_is_pooled_over_worlds_and_not_used_in_worlds_with_one_training():
    steady = [drawn(WORLDS[0], 0.8, seed) for seed in range(4)]
    varied = [drawn(WORLDS[1], value, seed) for seed, value in enumerate((0.70, 0.72, 0.78, 0.80))]
    # With degrees of freedom of a steady world the pooled interval is narrower than that of the varied world alone.
    assert interval(varied, WORLDS[1]).low < interval(steady + varied, WORLDS[1]).low < 0.7
    assert interval(steady + varied, WORLDS[0]).high > 0.85
    single = interval([*steady, *varied, drawn(WORLDS[2], 0.6)], WORLDS[2])
    assert (single.low, single.high) == pytest.approx((0.59, 0.61))


def test_families_of_worlds_do_not_share_their_spread():
    steady = [drawn("MJC-HalfCheetah-v0", 0.8, seed) for seed in range(4)]
    varied = [drawn(WORLDS[1], value, seed) for seed, value in enumerate((0.70, 0.72, 0.78, 0.80))]
    ours = interval(steady + varied, "MJC-HalfCheetah-v0")
    assert (ours.low, ours.high) == pytest.approx((0.79, 0.81))


def test_detectors_do_not_share_their_spread():
    rows = [drawn(WORLDS[0], value, seed) for seed, value in enumerate((0.6, 0.7, 0.8, 0.9))]
    rows += [drawn(WORLDS[1], 0.6, seed, name="LSTM-DM") for seed in range(4)]
    ours = interval(rows, WORLDS[1])
    assert (ours.low, ours.high) == pytest.approx((0.59, 0.61))


def test_deviation_of_trainings_that_are_equal_in_each_world_is_zero():
    assert training_spread([(0.5, 0.5), (0.9, 0.9, 0.9)]) == (0.0, 3)
    assert training_spread([]) == (0.0, 0)


def test_prediction_intervals_cover_another_training_as_often_as_they_say():
    generator = np.random.default_rng(0)
    inside = 0
    for _ in range(2000):
        worlds = generator.normal(0.5, 0.02, (3, 3))
        deviation, freedom = training_spread(worlds.tolist())
        found = prediction_interval(Estimate(float(worlds[0].mean())), 3, deviation, freedom)
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= generator.normal(0.5, 0.02) <= found.high
    assert inside / 2000 == pytest.approx(0.95, abs=0.015)


def test_prediction_intervals_end_at_0_and_1():
    found = prediction_interval(Estimate(0.99, np.array([0.98, 1.0])), 2, 0.1, 1)
    assert (found.low, found.high) == (0.0, 1.0)


GENERATOR = np.random.default_rng(0)
SHARED = GENERATOR.normal(0.0, 0.01, 400)


def pooled(anomaly, *, stored, local=0.7, value=0.6, factor=2.0):
    """Return a row whose pooled replicates are those of the local metric with another centre and width."""
    draws = local + SHARED + GENERATOR.normal(0.0, 0.005, 400)
    others = value + factor * (draws - local)
    about = row(WORLDS[0], "KNN", "strong", anomaly=anomaly, auroc=local)
    about |= Estimate(value, others).columns("pooled_auroc")
    return about | {"draws_auroc": list(draws)} | ({"draws_pooled_auroc": list(others)} if stored else {})


def test_pooled_replicates_that_were_not_stored_come_from_the_local_ones():
    table = run([pooled(f"action/{name}", stored=True) for name in ("offset", "noise", "drift")]).table
    true = with_replicates(table, "pooled_auroc")
    found = with_replicates(table.drop_columns(["draws_pooled_auroc"]), "pooled_auroc")
    np.testing.assert_allclose(found.draws, true.draws, atol=1e-6)
    mean, exact = (Estimate(0.6, each.draws.mean(axis=0)) for each in (found, true))
    assert (mean.low, mean.high) == pytest.approx((exact.low, exact.high), abs=1e-6)


def test_stored_pooled_replicates_are_taken_as_they_are():
    rows = [pooled("action/offset", stored=True), pooled("action/noise", stored=False)]
    found = with_replicates(run(rows).table, "pooled_auroc")
    np.testing.assert_array_equal(found.draws[0], np.float32(rows[0]["draws_pooled_auroc"]))
    assert not np.isnan(found.draws).any()


def test_pooled_numbers_of_table_12_have_intervals():
    lines = every_metric(run([pooled("action/offset", stored=False)]))
    (line,) = [line for line in lines if line.labels["metric"] == "global AUROC"]
    assert line.ours.low is not None
    assert line.ours.high is not None
    assert line.ours.low < 0.6 < line.ours.high


def test_without_local_replicates_there_is_no_interval():
    table = run([pooled("action/noise", stored=True), pooled("action/offset", stored=False)]).table
    found = with_replicates(table.drop_columns(["draws_auroc"]), "pooled_auroc")
    assert np.isnan(found.draws[1]).all()
    assert not np.isnan(found.draws[0]).any()
