"""Image detectors: networks that predict the next frame, and distances between features of a backbone.

They need torch, which is imported when the first one is used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal.core.errors import MissingDependency

if TYPE_CHECKING:
    from offnominal.detectors.images.features.clip_sim import CLIPSim
    from offnominal.detectors.images.features.dino_patch import DINOPatch
    from offnominal.detectors.images.features.feature_detector import FeatureDetector
    from offnominal.detectors.images.features.knn_resnet import KNNResNet
    from offnominal.detectors.images.prediction.ldm import LDM
    from offnominal.detectors.images.prediction.lrdm import LRDM
    from offnominal.detectors.images.prediction.pred_ae import PredAE
    from offnominal.detectors.images.prediction.prediction_detector import PredictionDetector
    from offnominal.detectors.images.prediction.prednet import PredNet
    from offnominal.detectors.images.prediction.rssm_ppm import RSSMPPM

_MODULES = {
    "CLIPSim": "features.clip_sim",
    "DINOPatch": "features.dino_patch",
    "FeatureDetector": "features.feature_detector",
    "KNNResNet": "features.knn_resnet",
    "LDM": "prediction.ldm",
    "LRDM": "prediction.lrdm",
    "PredAE": "prediction.pred_ae",
    "PredNet": "prediction.prednet",
    "PredictionDetector": "prediction.prediction_detector",
    "RSSMPPM": "prediction.rssm_ppm",
}

__all__ = [
    "LDM",
    "LRDM",
    "RSSMPPM",
    "CLIPSim",
    "DINOPatch",
    "FeatureDetector",
    "KNNResNet",
    "PredAE",
    "PredNet",
    "PredictionDetector",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingDependency(f"{name} needs torch; install it with `pip install offnominal[train]`.") from None
