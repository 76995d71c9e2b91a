"""Predictions along an episode."""

import numpy as np
import pytest

from offnominal.papers.ood_rl.agents import agent
from offnominal.papers.ood_rl.episodes import TRIAL_SEED
from offnominal.papers.ood_rl.series import series
from offnominal.papers.ood_rl.settings import CARTPOLE, describe_environment
from offnominal.rollouts.collection import rollout

pytestmark = pytest.mark.usefixtures("agents_at_hand")
HEAVY = describe_environment(CARTPOLE, "dynamics/gravity", 98.0)


def test_an_agent_did_what_its_mean_predictions_call_for():
    policy = agent(CARTPOLE, "dropout", 1)
    found = series(policy, CARTPOLE, HEAVY)
    (episode,) = rollout(CARTPOLE, policy, np.array([TRIAL_SEED]), [(HEAVY.fault(),)])
    assert found.mean.shape == (len(episode), 2)
    assert (np.argmax(found.mean, axis=1) == episode.actions).all()
    assert (found.sigma > 0.0).any()


def test_before_the_onset_nothing_differs():
    policy = agent(CARTPOLE, "ensemble", 1)
    nominal_scores, changed = (series(policy, CARTPOLE, each, onset=3) for each in (None, HEAVY))
    assert (nominal_scores.mean[:4] == changed.mean[:4]).all()
    assert (nominal_scores.mean[4:8] != changed.mean[4:8]).any()
