"""Detectors of vector episodes: networks that predict the next observation, and row detectors on transitions.

Names are imported on first use; the networks need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.detectors.transitions.lstm_dm import LSTMDM
    from offnominal.detectors.transitions.mlp_dm import MLPDM
    from offnominal.detectors.transitions.network_detector import NetworkDetector
    from offnominal.detectors.transitions.on_transitions import OnTransitions
    from offnominal.detectors.transitions.pe_dm import PEDM
    from offnominal.detectors.transitions.riqn import RIQN
    from offnominal.detectors.transitions.symbolic_ar import SymbolicAR

_NAMES = {
    "lstm_dm": ("LSTMDM",),
    "mlp_dm": ("MLPDM",),
    "network_detector": ("NetworkDetector",),
    "on_transitions": ("OnTransitions",),
    "pe_dm": ("PEDM",),
    "riqn": ("RIQN",),
    "symbolic_ar": ("SymbolicAR",),
}

__all__ = ["LSTMDM", "MLPDM", "PEDM", "RIQN", "NetworkDetector", "OnTransitions", "SymbolicAR"]

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
