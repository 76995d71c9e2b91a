"""Policies that know how sure they are: ensembles, and networks with random gaps."""

from offnominal.agents.uncertain.dense import DenseMembers
from offnominal.agents.uncertain.policy import KINDS, Kind, UncertainPolicy

__all__ = ["KINDS", "DenseMembers", "Kind", "UncertainPolicy"]
