"""NDCC: novelty detection consistent classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.types import FloatArray
from offnominal.detectors.classifiers.classifier_network import FEATURES, ClassifierNetwork, build_backbone
from offnominal.detectors.classifiers.image_classifier import ImageClassifier
from offnominal.detectors.images.features.backbone import Backbone
from offnominal.detectors.parameters import NOT_NEGATIVE, POSITIVE, Range

LEAST_DEVIATION = 1e-3


class NDCCNetwork(ClassifierNetwork):
    """A classifier whose weights are the means of Gaussian classes in the space of its normalised features.

    Standard deviations are the sum of one number for all features and one for each. They are parameters of the network,
    so that they are saved with it.

    Args:
        backbone: Network from images to features.
        n_features: Number of features.
        n_classes: Number of classes.
        radius: Norm of the features.
        weight: Weight of the terms of the Gaussians beside the cross-entropy.
    """

    def __init__(
        self, backbone: Backbone, n_features: int, n_classes: int, *, radius: float = 16.0, weight: float = 0.2
    ) -> None:
        super().__init__(backbone, n_features, n_classes)
        self.radius, self.weight = radius, weight
        self.deviation = nn.Parameter(torch.ones(()))
        self.difference = nn.Parameter(torch.zeros(n_features))

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return normalised features (n, d) and logits (n, classes)."""
        features = self.radius * functional.normalize(self.backbone.features(inputs).pooled, dim=1)
        return features, self.head(features)

    def gaussians(self) -> tuple[Tensor, Tensor]:
        """Return the means (classes, d) and the variances (d,)."""
        variances = (self.deviation + self.difference).square() + LEAST_DEVIATION**2
        return self.head.weight * variances, variances

    def loss(self, inputs: Tensor, labels: Tensor) -> Tensor:
        """Return the cross-entropy, the distance to the mean of the class, and the likelihood of the Gaussian.

        The distance trains the features, the likelihood the Gaussians.
        """
        features, logits = self(inputs)
        means, variances = self.gaussians()
        n_features = features.shape[1]
        apart = 0.5 * ((features - means[labels]).square() / variances.detach()).sum(dim=1).mean()
        fixed = 0.5 * ((features.detach() - means[labels]).square() / variances).sum(dim=1).mean()
        likelihood = (0.5 * variances.log().sum() + fixed) / n_features
        total: Tensor = functional.cross_entropy(logits, labels) + self.weight * (apart + likelihood)
        return total


@dataclass(kw_only=True, eq=False)
class NDCC(ImageClassifier):
    """Squared Mahalanobis distance to the nearest class of a classifier that is trained for it.

    Cheng and Vasconcelos (2021).

    Args:
        radius: Norm of the features.
        gaussian_weight: Weight of the terms of the Gaussians beside the cross-entropy.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"radius": POSITIVE, "gaussian_weight": NOT_NEGATIVE}

    radius: float = 16.0
    gaussian_weight: float = 0.2

    def _network(self) -> ClassifierNetwork:
        return NDCCNetwork(
            build_backbone(self.backbone, max(self.shape_[1:])),
            FEATURES[self.backbone],
            len(self.classes_),
            radius=self.radius,
            weight=self.gaussian_weight,
        )

    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        network = cast(NDCCNetwork, self.network_)
        with torch.no_grad():
            means, variances = (each.cpu().numpy().astype(np.float64) for each in network.gaussians())
        distances = [((features - mean) ** 2 / variances).sum(axis=1) for mean in means]
        return np.asarray(np.min(distances, axis=0))
