"""KNN-ResNet: distance to the nearest nominal images in the features of a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from torch import Tensor
from torch.nn import functional

from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.images.features.backbone import Features
from offnominal.detectors.images.features.feature_detector import FeatureDetector


@dataclass(kw_only=True, eq=False)
class KNNResNet(FeatureDetector):
    """Distance of the next frame to the nearest nominal frames in the last layer of a network (Sun et al., 2022).

    The published detector uses ``backbone="resnet18"``. The default backbone needs no download and is not a ResNet;
    :attr:`backbone_name` says which backbone is used.

    Args:
        n_neighbors: Number of neighbours k.
        reduce: ``"kth"`` for the distance to the k-th neighbour, ``"mean"`` for the mean over all k.
        normalise: Whether to normalise feature vectors to length 1.

    Example:
        >>> import numpy as np
        >>> from offnominal.core.episode import Episode
        >>> frames = np.random.default_rng(0).integers(0, 256, (9, 3, 32, 32), np.uint8)
        >>> episode = Episode(frames, np.zeros((8, 1)), np.zeros(8), np.zeros(8, bool))
        >>> detector = KNNResNet(n_epochs=0, device="cpu").fit([episode])
        >>> detector.backbone_name, detector.score([episode])[0].max()
        ('random encoder', np.float64(0.0))
    """

    n_neighbors: int = 1
    reduce: Literal["kth", "mean"] = "kth"
    normalise: bool = True

    def _vectors(self, features: Features) -> Tensor:
        vectors = features.pooled[:, None]
        return functional.normalize(vectors, dim=-1) if self.normalise else vectors

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        super()._fit(episodes, validation, seed)
        if len(self.bank_) < self.n_neighbors:
            raise InvalidParameter(
                f"n_neighbors is {self.n_neighbors}, but {len(self.bank_)} nominal vectors are in the bank; fit with "
                "more images, or choose fewer neighbours."
            )

    def _require_bank(self, bank: Array) -> None:
        super()._require_bank(bank)
        if len(bank) < self.n_neighbors:
            raise DamagedFile(f"the bank has {len(bank)} vectors; n_neighbors is {self.n_neighbors}.")

    def _torch_scores(self, vectors: Tensor) -> Tensor:
        distances = self.bank_.torch_distances(vectors[:, 0], self.n_neighbors)
        return distances[:, -1] if self.reduce == "kth" else distances.mean(1)

    def _anomaly_scores(self, vectors: Tensor) -> FloatArray:
        distances = self.bank_.distances(vectors[:, 0], self.n_neighbors)
        return distances[:, -1] if self.reduce == "kth" else distances.mean(axis=1)
