"""Feature-Mahalanobis: distance from the distribution of the features of nominal images."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from offnominal.core.types import Array, FloatArray
from offnominal.detectors.images.features.backbone import Features
from offnominal.detectors.images.features.feature_detector import FeatureDetector
from offnominal.detectors.rows.mahalanobis import Mahalanobis
from offnominal.detectors.state_arrays import StateArrays


@dataclass(kw_only=True, eq=False)
class FeatureMahalanobis(FeatureDetector):
    """Mahalanobis distance of the next frame's features from those of nominal frames (Rippel et al., 2021).

    The features are one vector per image, from the last layer of the backbone. Mean and covariance are those of
    :class:`~offnominal.detectors.rows.mahalanobis.Mahalanobis`, of at most `bank_size` nominal vectors, which are not
    kept. The published detector uses EfficientNet-B4 with ImageNet weights; ``"efficientnet_lite0"`` is the nearest
    backbone here. The default backbone needs no download; :attr:`backbone_name` says which backbone is used.

    Example:
        >>> import numpy as np
        >>> from offnominal.core.episode import Episode
        >>> frames = np.random.default_rng(0).integers(100, 140, (41, 3, 32, 32), np.uint8)
        >>> episode = Episode(frames, np.zeros((40, 1)), np.zeros(40), np.zeros(40, bool))
        >>> dark = Episode(frames // 2, episode.actions, episode.rewards, ~episode.active)
        >>> detector = FeatureMahalanobis(n_epochs=0, device="cpu").fit([episode])
        >>> bool(detector.score([dark])[0].min() > detector.score([episode])[0].max())
        True
    """

    bank_size: int = 20_000

    def _vectors(self, features: Features) -> Tensor:
        return features.pooled[:, None]

    def _learn(self, rows: Tensor) -> None:
        self.gaussian_ = Mahalanobis().fit(rows.double().cpu().numpy())

    def _anomaly_scores(self, vectors: Tensor) -> FloatArray:
        return self.gaussian_.score(vectors[:, 0].double().cpu().numpy())

    def _torch_scores(self, vectors: Tensor) -> Tensor:
        return self.gaussian_._torch_score(vectors[:, 0].double())

    def _learned_state(self) -> dict[str, Array]:
        return {"mean": self.gaussian_.mean_.copy(), "precision": self.gaussian_.precision_.copy()}

    def _take_learned(self, state: StateArrays) -> dict[str, Array]:
        mean = state.floats("mean", ("features",))
        return {"mean": mean, "precision": state.floats("precision", ("features", "features"))}

    def _restore_learned(self, learned: dict[str, Array]) -> None:
        width = len(learned["mean"])
        self._require_width(width, "the distribution has vectors")
        self.gaussian_ = Mahalanobis()
        self.gaussian_.load_state_dict({"width": np.array([width], np.int64), **learned})
