"""Image detectors: networks that predict the next frame, and distances between features of a backbone.

Names are imported on first use and need torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

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

_NAMES = {
    "features.clip_sim": ("CLIPSim",),
    "features.dino_patch": ("DINOPatch",),
    "features.feature_detector": ("FeatureDetector",),
    "features.knn_resnet": ("KNNResNet",),
    "prediction.ldm": ("LDM",),
    "prediction.lrdm": ("LRDM",),
    "prediction.pred_ae": ("PredAE",),
    "prediction.prediction_detector": ("PredictionDetector",),
    "prediction.prednet": ("PredNet",),
    "prediction.rssm_ppm": ("RSSMPPM",),
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

__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)
