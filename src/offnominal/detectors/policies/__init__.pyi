# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors.policies.entropy import Entropy as Entropy
from offnominal.detectors.policies.fusion import Fusion as Fusion
from offnominal.detectors.policies.policy_detector import ObservationDetector as ObservationDetector
from offnominal.detectors.policies.policy_detector import PolicyDetector as PolicyDetector
from offnominal.detectors.policies.q_value import QValue as QValue
from offnominal.detectors.policies.td_residual import TDResidual as TDResidual
from offnominal.detectors.policies.uncertainty import PolicyUncertainty as PolicyUncertainty

__all__ = [
    "Entropy",
    "Fusion",
    "ObservationDetector",
    "PolicyDetector",
    "PolicyUncertainty",
    "QValue",
    "TDResidual",
]
