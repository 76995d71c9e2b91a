"""Policies with uncertainty estimates: ensembles, MC-Dropout and DropConnect."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "dense_networks": ("DenseNetworks",),
        "policy": ("UNCERTAINTY_KINDS", "UncertainPolicy", "UncertaintyKind"),
    },
)
