"""Similarity to nominal pictures in an embedding made to compare pictures."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from offnominal.core.types import FloatArray
from offnominal.detectors.images.features.backbone import Features
from offnominal.detectors.images.features.feature_detector import FeatureDetector


@dataclass(kw_only=True, eq=False)
class CLIPSim(FeatureDetector):
    """The distance of the next picture's embedding to the nearest nominal one.

    Embeddings have length 1, so the nearest by distance is the most similar by cosine. The published detector is that
    of ``backbone="clip_vit_b32"``. The default needs no download, and is not CLIP; what it is stands in
    :attr:`backbone_name`.

    Example:
        >>> import numpy as np
        >>> from offnominal.core.episode import Episode
        >>> frames = np.random.default_rng(0).integers(0, 256, (9, 3, 32, 32), np.uint8)
        >>> film = Episode(frames, np.zeros((8, 1)), np.zeros(8), np.zeros(8, bool))
        >>> detector = CLIPSim(n_epochs=0, device="cpu").fit([film])
        >>> detector.score([film])[0].max()
        np.float64(0.0)
    """

    def _vectors(self, features: Features) -> Tensor:
        return functional.normalize(features.embedded[:, None], dim=-1)

    def _anomaly_scores(self, vectors: Tensor) -> FloatArray:
        nearest: FloatArray = self.bank_.distances(vectors[:, 0])[:, 0]
        return nearest
