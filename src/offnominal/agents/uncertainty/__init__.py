"""Policies with uncertainty estimates: ensembles, MC-Dropout and DropConnect."""

from offnominal.agents.uncertainty.dense_networks import DenseNetworks
from offnominal.agents.uncertainty.policy import UNCERTAINTY_KINDS, UncertainPolicy, UncertaintyKind
from offnominal.core.public_calls import name_wrong_arguments

__all__ = ["UNCERTAINTY_KINDS", "DenseNetworks", "UncertainPolicy", "UncertaintyKind"]

name_wrong_arguments(__name__)
