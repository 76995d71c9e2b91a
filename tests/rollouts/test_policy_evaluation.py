"""Evaluation of policies."""

import pytest

import offnominal as off
from offnominal.agents import scripted_expert
from offnominal.anomalies import Fault
from offnominal.core.errors import InvalidParameter
from offnominal.rollouts.policy_evaluation import evaluation_options
from offnominal.worlds import EvaluationTerms, worlds

WORLD = "SAP-Goal0-v0"


@pytest.mark.parametrize(
    "anomalies", [None, Fault("action/offset", 0.3), [None, *(Fault("action/offset", 0.1 * k) for k in range(8))]]
)
def test_evaluation_does_not_depend_on_the_batch_size(anomalies, monkeypatch):
    whole = off.evaluate_policy(WORLD, scripted_expert(WORLD), 9, faults=anomalies)
    monkeypatch.setattr(worlds, "evaluation_terms", lambda world: EvaluationTerms(batch_size=4))
    assert off.evaluate_policy(WORLD, scripted_expert(WORLD), 9, faults=anomalies) == whole
    assert whole.episodes == 9
    assert whole.return_interval > 0.0


def test_one_episode_has_no_interval():
    assert off.evaluate_policy(WORLD, scripted_expert(WORLD), 1).return_interval == 0.0


def test_worlds_with_long_episodes_are_evaluated_on_few_and_on_fewer_during_training():
    assert evaluation_options(WORLD, 256, during_training=True) == {"n": 256}
    assert (
        evaluation_options("OOD-Pong-v0", 256, during_training=True)["n"]
        < evaluation_options("OOD-Pong-v0", 256)["n"]
        < 256
    )


def test_a_list_of_faults_has_one_per_episode():
    with pytest.raises(InvalidParameter, match="a list of 3 entries was given for 2 rows"):
        off.evaluate_policy(WORLD, scripted_expert(WORLD), 2, faults=[None] * 3)
