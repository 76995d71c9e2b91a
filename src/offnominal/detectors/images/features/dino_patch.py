"""DINO-Patch: largest distance of an image patch to the nearest nominal patch."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray
from offnominal.detectors.images.features.backbone import Features
from offnominal.detectors.images.features.feature_detector import FeatureDetector


@dataclass(kw_only=True, eq=False)
class DINOPatch(FeatureDetector):
    """Largest distance of a patch of the next frame to the nearest nominal patch.

    The bank is a coreset of the patches of all nominal frames, as in PatchCore (Roth et al., 2022). The published
    detector uses ``backbone="dino_vits16"``. The default backbone needs no download and is not DINO;
    :attr:`backbone_name` says which backbone is used.

    Example:
        >>> import numpy as np
        >>> from offnominal.core.episode import Episode
        >>> frames = np.random.default_rng(0).integers(0, 256, (9, 3, 32, 32), np.uint8)
        >>> episode = Episode(frames, np.zeros((8, 1)), np.zeros(8), np.zeros(8, bool))
        >>> detector = DINOPatch(n_epochs=0, bank_size=8, device="cpu").fit([episode])
        >>> len(detector.bank_), detector.score([episode])[0].shape
        (4, (8,))
    """

    bank_size: int = 10_000
    coreset_fraction: float | None = 0.1

    def _vectors(self, features: Features) -> Tensor:
        if not features.tokens.shape[1]:
            raise InvalidParameter(
                f"the backbone {self.backbone_name} has no patches; choose one with tokens or feature maps, such as "
                "'encoder'."
            )
        return features.tokens

    def _torch_scores(self, vectors: Tensor) -> Tensor:
        return self.bank_.torch_distances(vectors.flatten(0, 1))[:, 0].reshape(len(vectors), -1).amax(1)

    def _anomaly_scores(self, vectors: Tensor) -> FloatArray:
        nearest = self.bank_.distances(vectors.flatten(0, 1))[:, 0]
        largest: FloatArray = nearest.reshape(len(vectors), -1).max(axis=1)
        return largest
