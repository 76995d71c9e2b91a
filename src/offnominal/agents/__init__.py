"""Policies: the contract, random, scripted and network policies, and policies with uncertainty estimates."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "experts": ("expert", "expert_card", "expert_cards", "scripted_expert"),
        "files": ("PolicyCard", "load_policy", "save_policy"),
        "network": ("NetworkPolicy",),
        "noisy_policy": ("NoisyPolicy",),
        "observation_normaliser": ("ObservationNormaliser",),
        "offnominal.core.policy": ("FunctionPolicy", "Policy", "RandomPolicy", "as_policy"),
        "sb3_files": ("import_sb3",),
        "uncertainty": ("UncertainPolicy",),
    },
    catalogue="offnominal.agents.experts:scripted_experts",
    below="offnominal.worlds",
)
