"""Policies with uncertainty estimates: ensembles, MC-Dropout and DropConnect."""

from offnominal.agents.uncertainty.dense_networks import DenseNetworks
from offnominal.agents.uncertainty.policy import UNCERTAINTY_KINDS, UncertainPolicy, UncertaintyKind

__all__ = ["UNCERTAINTY_KINDS", "DenseNetworks", "UncertainPolicy", "UncertaintyKind"]
