# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.detectors.transitions.lstm_dm import LSTMDM as LSTMDM
from offnominal.detectors.transitions.mlp_dm import MLPDM as MLPDM
from offnominal.detectors.transitions.network_detector import NetworkDetector as NetworkDetector
from offnominal.detectors.transitions.on_transitions import OnTransitions as OnTransitions
from offnominal.detectors.transitions.pe_dm import PEDM as PEDM
from offnominal.detectors.transitions.riqn import RIQN as RIQN
from offnominal.detectors.transitions.symbolic_ar import SymbolicAR as SymbolicAR

__all__ = [
    "LSTMDM",
    "MLPDM",
    "NetworkDetector",
    "OnTransitions",
    "PEDM",
    "RIQN",
    "SymbolicAR",
]
