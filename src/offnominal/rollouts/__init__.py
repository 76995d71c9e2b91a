"""Rollouts: episodes, their nominal twins, and the evaluation of policies."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.rollouts.collection import collect
from offnominal.rollouts.policy_evaluation import PolicyEvaluation, evaluate_policy
from offnominal.rollouts.twin_rollouts import Twin, effective_onset, twins

__all__ = ["PolicyEvaluation", "Twin", "collect", "effective_onset", "evaluate_policy", "twins"]

name_wrong_arguments(__name__)
