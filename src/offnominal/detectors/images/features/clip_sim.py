"""CLIP-Sim: distance to the nearest nominal image in an embedding."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional

from offnominal.core.types import FloatArray
from offnominal.detectors.images.features.backbone import Features
from offnominal.detectors.images.features.feature_detector import FeatureDetector


@dataclass(kw_only=True, eq=False)
class CLIPSim(FeatureDetector):
    """Distance of the next frame's embedding to the nearest nominal embedding.

    Embeddings are normalised, so the smallest distance is the largest cosine similarity. The published detector uses
    ``backbone="clip_vit_b32"``. The default backbone needs no download and is not CLIP; :attr:`backbone_name` says
    which backbone is used.

    Example:
        >>> import numpy as np
        >>> from offnominal.core.episode import Episode
        >>> frames = np.random.default_rng(0).integers(0, 256, (9, 3, 32, 32), np.uint8)
        >>> episode = Episode(frames, np.zeros((8, 1)), np.zeros(8), np.zeros(8, bool))
        >>> detector = CLIPSim(n_epochs=0, device="cpu").fit([episode])
        >>> detector.score([episode])[0].max()
        np.float64(0.0)
    """

    def _vectors(self, features: Features) -> Tensor:
        return functional.normalize(features.embedded[:, None], dim=-1)

    def _torch_scores(self, vectors: Tensor) -> Tensor:
        return self.bank_.torch_distances(vectors[:, 0])[:, 0]

    def _anomaly_scores(self, vectors: Tensor) -> FloatArray:
        nearest: FloatArray = self.bank_.distances(vectors[:, 0])[:, 0]
        return nearest
