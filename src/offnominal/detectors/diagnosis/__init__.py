"""Diagnosis of episodes: which channels, since when, and which known fault.

:meth:`Detector.explain <offnominal.detectors.Detector.explain>` is the entry.
"""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.detectors.diagnosis.explanation import ChannelContribution, Explanation
from offnominal.detectors.diagnosis.fault_library import FaultLibrary
from offnominal.detectors.diagnosis.fault_matches import FaultMatch, FaultMatches
from offnominal.detectors.diagnosis.nominal_reference import NominalReference
from offnominal.detectors.diagnosis.onset import Onset
from offnominal.detectors.diagnosis.signature import Signature

__all__ = [
    "ChannelContribution",
    "Explanation",
    "FaultLibrary",
    "FaultMatch",
    "FaultMatches",
    "NominalReference",
    "Onset",
    "Signature",
]

name_wrong_arguments(__name__)
