"""Diagnosis of episodes: which channels, since when, and which known fault.

:meth:`Detector.explain <offnominal.detectors.Detector.explain>` is the entry.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "explanation": ("ChannelContribution", "Explanation"),
        "fault_library": ("FaultLibrary",),
        "fault_matches": ("FaultMatch", "FaultMatches"),
        "nominal_reference": ("NominalReference",),
        "onset": ("Onset",),
        "signature": ("Signature",),
    },
)
