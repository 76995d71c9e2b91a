"""Detectors that score signals of the policy, such as its uncertainty, and the fusion of several detectors."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "policy_detector": ("ObservationDetector", "PolicyDetector"),
    },
    catalogue="offnominal.detectors.catalogue:detectors",
)
