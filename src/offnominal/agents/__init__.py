"""Who acts: the policy contract; random, scripted and network policies."""

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.policy import FunctionPolicy, Policy, RandomPolicy, as_policy
from offnominal.agents.scripted import PotentialField

__all__ = ["FunctionPolicy", "NetworkPolicy", "Policy", "PotentialField", "RandomPolicy", "as_policy"]
