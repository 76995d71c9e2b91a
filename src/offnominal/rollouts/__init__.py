"""Rollouts: episodes, their nominal twins, and the evaluation of policies."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "collection": ("collect",),
        "policy_evaluation": ("PolicyEvaluation", "evaluate_policy"),
        "twin_rollouts": ("Twin", "effective_onset", "twins"),
    },
)
