"""Detectors that learn how pictures follow each other. They need torch, which loads when the first one is used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal.core.errors import MissingDependency

if TYPE_CHECKING:
    from offnominal.detectors.images.image_network import ImageNetwork
    from offnominal.detectors.images.ldm import LDM
    from offnominal.detectors.images.lrdm import LRDM
    from offnominal.detectors.images.pred_ae import PredAE
    from offnominal.detectors.images.prednet import PredNet
    from offnominal.detectors.images.rssm_ppm import RSSMPPM

_HOME_OF = {
    "ImageNetwork": "image_network",
    "LDM": "ldm",
    "LRDM": "lrdm",
    "PredAE": "pred_ae",
    "PredNet": "prednet",
    "RSSMPPM": "rssm_ppm",
}

__all__ = ["LDM", "LRDM", "RSSMPPM", "ImageNetwork", "PredAE", "PredNet"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingDependency(f"{name} needs torch; install it with `pip install offnominal[train]`.") from None
