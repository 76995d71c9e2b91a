"""Detectors that compare pictures by features. They need torch, which loads when the first one is used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from offnominal.core.errors import MissingDependency

if TYPE_CHECKING:
    from offnominal.detectors.features.clip_sim import CLIPSim
    from offnominal.detectors.features.dino_patch import DINOPatch
    from offnominal.detectors.features.feature_detector import FeatureDetector
    from offnominal.detectors.features.knn_resnet import KNNResNet

_HOME_OF = {
    "CLIPSim": "clip_sim",
    "DINOPatch": "dino_patch",
    "FeatureDetector": "feature_detector",
    "KNNResNet": "knn_resnet",
}

__all__ = ["CLIPSim", "DINOPatch", "FeatureDetector", "KNNResNet"]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingDependency(f"{name} needs torch; install it with `pip install offnominal[train]`.") from None
