"""Detectors that score signals of the policy, such as its uncertainty, and the fusion of several detectors."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.detectors.policies.entropy import Entropy
from offnominal.detectors.policies.fusion import Fusion
from offnominal.detectors.policies.policy_detector import ObservationDetector, PolicyDetector
from offnominal.detectors.policies.q_value import QValue
from offnominal.detectors.policies.td_residual import TDResidual
from offnominal.detectors.policies.uncertainty import PolicyUncertainty

__all__ = ["Entropy", "Fusion", "ObservationDetector", "PolicyDetector", "PolicyUncertainty", "QValue", "TDResidual"]

name_wrong_arguments(__name__)
