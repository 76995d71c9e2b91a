"""Detectors that learn how the world moves, as networks. They need torch, which loads when the first one is used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal.core.errors import MissingDependency

if TYPE_CHECKING:
    from offnominal.detectors.transitions.lstm_dm import LSTMDM
    from offnominal.detectors.transitions.mlp_dm import MLPDM
    from offnominal.detectors.transitions.network_detector import NetworkDetector
    from offnominal.detectors.transitions.pe_dm import PEDM
    from offnominal.detectors.transitions.riqn import RIQN

_HOME_OF = {
    "LSTMDM": "lstm_dm",
    "MLPDM": "mlp_dm",
    "NetworkDetector": "network_detector",
    "PEDM": "pe_dm",
    "RIQN": "riqn",
}

__all__ = ["LSTMDM", "MLPDM", "PEDM", "RIQN", "NetworkDetector"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingDependency(f"{name} needs torch; install it with `pip install offnominal[train]`.") from None
