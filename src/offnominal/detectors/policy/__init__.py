"""Detectors that look inside the policy, and the fusion of several detectors."""

from offnominal.detectors.policy.entropy import Entropy
from offnominal.detectors.policy.fusion import Fusion
from offnominal.detectors.policy.policy_detector import MomentDetector, PolicyDetector
from offnominal.detectors.policy.q_value import QValue
from offnominal.detectors.policy.td_residual import TDResidual
from offnominal.detectors.policy.uncertainty import PolicyUncertainty

__all__ = ["Entropy", "Fusion", "MomentDetector", "PolicyDetector", "PolicyUncertainty", "QValue", "TDResidual"]
