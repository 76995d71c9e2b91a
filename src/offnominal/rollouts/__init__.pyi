# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.rollouts.collection import collect as collect
from offnominal.rollouts.policy_evaluation import PolicyEvaluation as PolicyEvaluation
from offnominal.rollouts.policy_evaluation import evaluate_policy as evaluate_policy
from offnominal.rollouts.twin_rollouts import Twin as Twin
from offnominal.rollouts.twin_rollouts import effective_onset as effective_onset
from offnominal.rollouts.twin_rollouts import twins as twins

__all__ = [
    "PolicyEvaluation",
    "Twin",
    "collect",
    "effective_onset",
    "evaluate_policy",
    "twins",
]
