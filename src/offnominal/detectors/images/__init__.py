"""Detectors on images: networks that predict the next frame, and distances in features of a backbone.

They need torch, which loads when the first one is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal.core.errors import MissingDependency

if TYPE_CHECKING:
    from offnominal.detectors.images.clip_sim import CLIPSim
    from offnominal.detectors.images.dino_patch import DINOPatch
    from offnominal.detectors.images.feature_detector import FeatureDetector
    from offnominal.detectors.images.image_network import ImageNetwork
    from offnominal.detectors.images.knn_resnet import KNNResNet
    from offnominal.detectors.images.ldm import LDM
    from offnominal.detectors.images.lrdm import LRDM
    from offnominal.detectors.images.pred_ae import PredAE
    from offnominal.detectors.images.prednet import PredNet
    from offnominal.detectors.images.rssm_ppm import RSSMPPM

_HOME_OF = {
    "CLIPSim": "clip_sim",
    "DINOPatch": "dino_patch",
    "FeatureDetector": "feature_detector",
    "ImageNetwork": "image_network",
    "KNNResNet": "knn_resnet",
    "LDM": "ldm",
    "LRDM": "lrdm",
    "PredAE": "pred_ae",
    "PredNet": "prednet",
    "RSSMPPM": "rssm_ppm",
}

__all__ = [
    "LDM",
    "LRDM",
    "RSSMPPM",
    "CLIPSim",
    "DINOPatch",
    "FeatureDetector",
    "ImageNetwork",
    "KNNResNet",
    "PredAE",
    "PredNet",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingDependency(f"{name} needs torch; install it with `pip install offnominal[train]`.") from None
