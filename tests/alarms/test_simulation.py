"""Simulated scores have the documented distribution."""

import numpy as np
import pytest

from offnominal.alarms import simulate_scores
from offnominal.core.errors import InvalidParameter


def test_a_seed_fixes_the_scores():
    first, again, other = (simulate_scores(5, steps=(3, 9), seed=seed) for seed in (1, 1, 2))
    assert [episode.tolist() for episode in first] == [episode.tolist() for episode in again]
    assert [episode.tolist() for episode in first] != [episode.tolist() for episode in other]


def test_logarithms_have_the_correlation_and_the_spreads():
    logs = np.log(simulate_scores(4000, steps=40, seed=3, correlation=0.7, spread=0.5, between=0.3))
    assert np.var(logs[:, 0]) == pytest.approx(0.5**2 + 0.3**2, rel=0.1)
    assert np.var(logs[:, -1]) == pytest.approx(0.5**2 + 0.3**2, rel=0.1)
    assert np.cov(logs[:, 0], logs[:, 39])[0, 1] == pytest.approx(0.3**2, abs=0.02)
    within = np.cov(logs[:, 10], logs[:, 11])[0, 1] - 0.3**2
    assert within == pytest.approx(0.7 * 0.5**2, rel=0.1)


def test_lengths_are_drawn_from_the_whole_range():
    lengths = [len(episode) for episode in simulate_scores(200, steps=(3, 6))]
    assert set(lengths) == {3, 4, 5, 6}
    assert {len(episode) for episode in simulate_scores(20, steps=4)} == {4}


@pytest.mark.parametrize("options", [{"n": 0}, {"steps": 0}, {"steps": (5, 3)}, {"correlation": 1.0}])
def test_invalid_simulation_arguments_are_an_error(options):
    with pytest.raises(InvalidParameter):
        simulate_scores(**{"n": 3, **options})
