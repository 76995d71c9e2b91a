"""Predictions along an episode."""

import numpy as np
import pytest

from offnominal.rollouts.collect import rollout
from offnominal.studies.ood_rl.agents import agent
from offnominal.studies.ood_rl.episodes import TRIAL_SEED
from offnominal.studies.ood_rl.series import series
from offnominal.studies.ood_rl.settings import CARTPOLE, setting_of

pytestmark = pytest.mark.usefixtures("agents_at_hand")
HEAVY = setting_of(CARTPOLE, "dynamics/gravity", 98.0)


def test_an_agent_did_what_its_mean_predictions_call_for():
    policy = agent(CARTPOLE, "dropout", 1)
    found = series(policy, CARTPOLE, HEAVY)
    (episode,) = rollout(CARTPOLE, policy, np.array([TRIAL_SEED]), [(HEAVY.fault(),)])
    assert found.mean.shape == (len(episode), 2)
    assert (np.argmax(found.mean, axis=1) == episode.actions).all()
    assert (found.sigma > 0.0).any()


def test_before_the_onset_nothing_differs():
    policy = agent(CARTPOLE, "ensemble", 1)
    calm, changed = (series(policy, CARTPOLE, each, onset=3) for each in (None, HEAVY))
    assert (calm.mean[:4] == changed.mean[:4]).all()
    assert (calm.mean[4:8] != changed.mean[4:8]).any()
