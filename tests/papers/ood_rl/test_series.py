"""Predictions along an episode."""

import numpy as np
import pytest

from offnominal.papers.ood_rl.agents import agent
from offnominal.papers.ood_rl.episodes import TRIAL_SEED
from offnominal.papers.ood_rl.series import predict_series, series_table, stored_series
from offnominal.papers.ood_rl.settings import CARTPOLE, describe_environment
from offnominal.rollouts.collection import rollout

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("agents_at_hand")]
HEAVY = describe_environment(CARTPOLE, "dynamics/gravity", 98.0)


def test_an_agent_acts_by_its_mean_predictions():
    policy = agent(CARTPOLE, "dropout", 1)
    (found,) = predict_series(policy, CARTPOLE, [HEAVY])
    (episode,) = rollout(CARTPOLE, policy, np.array([TRIAL_SEED]), [(HEAVY.fault(),)])
    assert found.mean.shape == (len(episode), 2)
    assert (np.argmax(found.mean, axis=1) == episode.actions).all()
    assert (found.sigma > 0.0).any()


def test_before_the_onset_nothing_differs():
    policy = agent(CARTPOLE, "ensemble", 1)
    nominal, modified = predict_series(policy, CARTPOLE, [None, HEAVY], onset=3)
    assert (nominal.mean[:4] == modified.mean[:4]).all()
    assert (nominal.mean[4:8] != modified.mean[4:8]).any()


def test_series_are_stored_and_read_by_their_agent():
    made = predict_series(agent(CARTPOLE, "ensemble", 1), CARTPOLE, [None, HEAVY])
    table = series_table(made, CARTPOLE, "ensemble", 1)
    found = stored_series(table, CARTPOLE, "ensemble", 1)
    assert list(found) == [None, HEAVY]
    np.testing.assert_array_equal(found[HEAVY].sigma, made[1].sigma)
    assert not stored_series(table, CARTPOLE, "ensemble", 0)
