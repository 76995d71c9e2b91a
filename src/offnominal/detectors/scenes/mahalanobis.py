"""Mahalanobis distance of the features of a segmenter to those of the nearest class (Lee et al., 2018)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from offnominal.detectors.scenes.camera_network import CameraNetwork, Loss
from offnominal.detectors.scenes.label_classes import N_CLASSES
from offnominal.detectors.scenes.labelled_images import LabelledImages
from offnominal.detectors.scenes.scene_detector import NormalScenes
from offnominal.detectors.scenes.segmenter import segmenter_loss
from offnominal.detectors.scenes.segmenter_network import SegmenterNetwork, padded, reduced_classes

BATCH = 4
"""Images whose features are computed together."""
RIDGE = 1e-3
"""Share of the mean variance that is added to all variances."""


class GaussianSegmenter(SegmenterNetwork):
    """A segmenter with a Gaussian of its features for each class; all have the same covariance.

    Args:
        width: Channels of the first stage, a multiple of 8.
    """

    means: Tensor
    precision: Tensor

    def __init__(self, width: int) -> None:
        super().__init__(width)
        self.register_buffer("means", torch.zeros(N_CLASSES, 2 * width))
        self.register_buffer("precision", torch.eye(2 * width))

    def logits(self, images: Tensor) -> Tensor:
        """Return the logits of the classes."""
        return super().forward(images)

    def features(self, images: Tensor) -> Tensor:
        """Return features (n, 2 width, height / 4, width / 4) before the last layer."""
        found: Tensor = self.pyramid(2.0 * padded(images) - 1.0)[0]
        return found

    def forward(self, images: Tensor) -> Tensor:
        """Return the squared distance (n, classes, rows, columns) to the features of each class."""
        features = self.features(images).movedim(1, -1).float()
        gap = features[..., None, :] - self.means
        return ((gap @ self.precision) * gap).sum(dim=-1).movedim(-1, 1)

    @torch.no_grad()
    def fit_gaussians(self, images: LabelledImages, device: torch.device) -> None:
        """Fit the Gaussians to the training images. A class without pixels has the mean of all features."""
        size = self.means.shape[1]
        sums, squares = (torch.zeros(s, dtype=torch.float64, device=device) for s in ((N_CLASSES, size), (size, size)))
        count = torch.zeros(N_CLASSES, dtype=torch.float64, device=device)
        data = images.training
        for first in range(0, len(data), BATCH):
            part = slice(first, first + BATCH)
            found = self.features(data.rgb[part].permute(0, 3, 1, 2).float() / 255.0)
            classes = reduced_classes(data.classes[part].long()).flatten()
            kept = classes < N_CLASSES
            rows = found.movedim(1, -1).reshape(-1, size)[kept].double()
            belongs = torch.nn.functional.one_hot(classes[kept], N_CLASSES).double()
            sums += belongs.T @ rows
            squares += rows.T @ rows
            count += belongs.sum(dim=0)
        total = count.sum().clamp(min=1.0)
        means = torch.where(count[:, None] > 0, sums / count.clamp(min=1.0)[:, None], sums.sum(dim=0) / total)
        within = (squares - (means * count[:, None]).T @ means) / total
        within += (RIDGE * within.diagonal().mean() + 1e-9) * torch.eye(size, dtype=torch.float64, device=device)
        self.means.copy_(means)
        self.precision.copy_(torch.linalg.inv(within))


@dataclass(kw_only=True, eq=False)
class Mahalanobis(CameraNetwork[GaussianSegmenter]):
    """Squared Mahalanobis distance of the features of a pixel to those of the nearest class.

    The network is a segmenter, trained like :class:`~offnominal.detectors.scenes.Segmenter`. After the training each
    class has the mean of the features of its pixels before the last layer, and all have a common covariance.

    Args:
        width: Channels of the first stage, a multiple of 8.
        crop: Height and width of the random crops in training, in pixels.
    """

    def _network(self) -> GaussianSegmenter:
        return GaussianSegmenter(self.width)

    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        super()._fit(scenes, seed)
        self.network_.fit_gaussians(vars(self).pop("_images"), self.device_)

    def _loss(self, images: LabelledImages) -> Loss:
        self._images = images
        return segmenter_loss(self, images, self.network_.logits)

    def _pixel_scores(self, logits: Tensor) -> Tensor:
        return logits.amin(dim=0)
