# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors.diagnosis.explanation import ChannelContribution as ChannelContribution
from offnominal.detectors.diagnosis.explanation import Explanation as Explanation
from offnominal.detectors.diagnosis.fault_library import FaultLibrary as FaultLibrary
from offnominal.detectors.diagnosis.fault_matches import FaultMatch as FaultMatch
from offnominal.detectors.diagnosis.fault_matches import FaultMatches as FaultMatches
from offnominal.detectors.diagnosis.nominal_reference import NominalReference as NominalReference
from offnominal.detectors.diagnosis.onset import Onset as Onset
from offnominal.detectors.diagnosis.signature import Signature as Signature

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
