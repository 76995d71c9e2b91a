"""Detectors of vector episodes: networks that predict the next observation, and row detectors on transitions.

Names are imported on first use; the networks need torch.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "network_detector": ("NetworkDetector",),
        "on_transitions": ("OnTransitions",),
    },
    catalogue="offnominal.detectors.catalogue:detectors",
)
