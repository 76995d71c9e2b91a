"""Exchangeable episodes are rejected rarely, days and drifts are found, and the broken promise is measured."""

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum, TooFewEpisodes, check_exchangeability, simulate_scores
from offnominal.alarms.exchangeability import LEAST, block_statistic
from offnominal.core.errors import InvalidParameter, InvalidScores

pytestmark = pytest.mark.long

QUICK = 499


def rejected(make, runs, **options):
    """Return the share of simulated logs that are rejected."""
    options = {"permutations": QUICK, **options}
    return np.mean([check_exchangeability(make(seed), **options).rejected for seed in range(runs)])


def days(seed, spread, n=100, per_day=10):
    random = np.random.default_rng(seed)
    level = np.repeat(random.normal(scale=spread, size=n // per_day), per_day)
    return [scores * np.exp(each) for scores, each in zip(simulate_scores(n, steps=30, seed=seed), level, strict=True)]


def test_exchangeable_episodes_are_rejected_as_rarely_as_the_level_says():
    found = rejected(lambda seed: np.random.default_rng(seed).normal(size=(60, 1)), 300, level=0.1)
    assert 0.0 < found <= 0.1 + 2.0 * np.sqrt(0.1 * 0.9 / 300)


def test_days_that_differ_are_found():
    assert rejected(lambda seed: days(seed, 0.0), 40) <= 0.05
    assert rejected(lambda seed: days(seed, 0.6), 40) >= 0.9


def test_a_drift_is_found_and_its_false_alarms_are_those_of_the_alarm():
    scores = [episode * 1.02**day for day, episode in enumerate(simulate_scores(100, steps=30, seed=3))]
    found = check_exchangeability(scores, permutations=QUICK)
    alarm = EpisodeMaximum(alpha=0.05).fit(scores[:50])
    raised = sum(first is not None for first in alarm.first_alarms(scores[50:]))
    assert found.rejected
    assert found.drift < 0.01
    assert found.false_alarms == raised > 10
    assert found.rate == raised / 50
    assert found.shuffled_rate == pytest.approx(2 / 51, abs=0.01)
    assert found.interval[0] > 0.05


def test_scores_that_fall_are_found_though_they_raise_no_alarm():
    scores = [episode * 0.98**day for day, episode in enumerate(simulate_scores(100, steps=30, seed=3))]
    found = check_exchangeability(scores, permutations=QUICK)
    assert found.rejected
    assert found.false_alarms == 0
    assert found.drift > 0.5


def test_p_values_are_those_of_a_plain_permutation_test():
    maxima = np.random.default_rng(5).normal(size=40) + np.arange(40) / 40
    found = check_exchangeability(list(maxima[:, None]), permutations=4999)
    ranks, random = maxima.argsort().argsort() + 1.0, np.random.default_rng(0)
    statistic = block_statistic(40)
    shuffled = [statistic(random.permutation(ranks)[None])[0] for _ in range(4999)]
    assert found.blocks == pytest.approx(np.mean(shuffled >= statistic(ranks[None])[0]), abs=0.02)


def test_blocks_are_compared_as_by_kruskal_and_wallis():
    from scipy.stats import kruskal

    ranks = np.random.default_rng(0).permutation(50) + 1.0
    expected = kruskal(*ranks.reshape(10, 5)).statistic
    assert 12.0 / (50 * 51) * block_statistic(50)(ranks[None])[0] == pytest.approx(expected)


def test_too_few_episodes_for_a_threshold_are_tested_without_it():
    found = check_exchangeability(simulate_scores(30), alpha=0.01, permutations=QUICK)
    assert (found.rate, found.interval, found.drift) == (None, None, 1.0)
    assert "198 episodes or more" in str(found)


def test_a_long_log_is_cut_into_windows():
    log = np.concatenate(simulate_scores(40, steps=50))
    found = check_exchangeability([log], window=50, permutations=QUICK)
    assert len(found.maxima) == 40
    assert "40 nominal windows" in str(found)


@pytest.mark.parametrize(
    ("scores", "options", "error", "message"),
    [
        (simulate_scores(LEAST - 1), {}, TooFewEpisodes, "expected 20 or more"),
        ([np.zeros(100)], {"window": 50}, TooFewEpisodes, "2 nominal windows"),
        (simulate_scores(30), {"alpha": 1.0}, InvalidParameter, "alpha"),
        (simulate_scores(30), {"permutations": 0}, InvalidParameter, "permutations"),
        ([[float("nan")]] * 30, {}, InvalidScores, "finite"),
    ],
)
def test_wrong_arguments_are_errors(scores, options, error, message):
    with pytest.raises(error, match=message):
        check_exchangeability(scores, **options)
