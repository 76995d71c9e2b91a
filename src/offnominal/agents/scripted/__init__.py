"""Scripted experts: hand-written controllers, one for every world."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "catalogue": ("scripted_expert",),
    },
    catalogue="offnominal.agents.scripted.catalogue:scripted_experts",
)
