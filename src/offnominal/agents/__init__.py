"""Who acts: the policy contract; random, scripted and network policies."""

from offnominal.agents.experts import expert, expert_card, expert_cards
from offnominal.agents.files import PolicyCard, load_policy, save_policy
from offnominal.agents.network import NetworkPolicy
from offnominal.agents.policy import FunctionPolicy, Policy, RandomPolicy, as_policy
from offnominal.agents.scripted import PotentialField

__all__ = [
    "FunctionPolicy",
    "NetworkPolicy",
    "Policy",
    "PolicyCard",
    "PotentialField",
    "RandomPolicy",
    "as_policy",
    "expert",
    "expert_card",
    "expert_cards",
    "load_policy",
    "save_policy",
]
