# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.agents.uncertainty.dense_networks import DenseNetworks as DenseNetworks
from offnominal.agents.uncertainty.policy import UNCERTAINTY_KINDS as UNCERTAINTY_KINDS
from offnominal.agents.uncertainty.policy import UncertainPolicy as UncertainPolicy
from offnominal.agents.uncertainty.policy import UncertaintyKind as UncertaintyKind

__all__ = [
    "DenseNetworks",
    "UNCERTAINTY_KINDS",
    "UncertainPolicy",
    "UncertaintyKind",
]
