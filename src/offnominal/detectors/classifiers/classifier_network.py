"""A network from images to features and class logits, and its training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.device import deterministic_kernels
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.classifiers.class_images import ClassImages
from offnominal.detectors.images.features.backbone import Backbone
from offnominal.detectors.images.features.backbones import ENCODER
from offnominal.detectors.images.features.encoder_backbone import WIDTH, EncoderBackbone
from offnominal.detectors.images.features.published_weights import PUBLISHED_WEIGHTS
from offnominal.detectors.training import EarlyStopping, GradientStep, train

FEATURES = {
    ENCODER: WIDTH,
    "resnet18": 512,
    "dino_vits16": 384,
    "clip_vit_b32": 768,
    "vgg16": 4096,
    "vgg16_conv": 512,
    "efficientnet_lite0": 1280,
    "efficientnet_lite1": 1280,
    "efficientnet_lite2": 1280,
}
"""Number of features of each backbone."""
HELD_OUT = 10
"""Every tenth image of a class is held out for validation."""
LARGEST_GRADIENT = 5.0


class ClassifierNetwork(nn.Module):
    """A backbone with a linear layer for the logits of the classes.

    Args:
        backbone: Network from images to features.
        n_features: Number of features.
        n_classes: Number of classes.
    """

    def __init__(self, backbone: Backbone, n_features: int, n_classes: int) -> None:
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(n_features, n_classes)

    def resized(self, images: Tensor) -> Tensor:
        """Return uint8 images of the size of the backbone, still uint8."""
        return resized_images(images, self.backbone.size)

    def inputs(self, images: Tensor) -> Tensor:
        """Return resized uint8 images as inputs of the backbone."""
        return self.backbone.scaled(images)

    def forward(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Return features (n, d) and logits (n, classes)."""
        features = self.backbone.features(inputs).pooled
        return features, self.head(features)

    def loss(self, inputs: Tensor, labels: Tensor) -> Tensor:
        """Return the training loss of a batch."""
        return functional.cross_entropy(self(inputs)[1], labels)


def resized_images(images: Tensor, size: int | None) -> Tensor:
    """Return uint8 images (n, 3, H, W) with sides of this size, still uint8; unchanged if the size is None."""
    if size is None or images.shape[-2:] == (size, size):
        return images
    given = images.to(torch.float32)
    small = functional.interpolate(given, (size, size), mode="bilinear", antialias=True)
    return small.round().clamp(0, 255).to(torch.uint8)


def build_backbone(name: str, side: int) -> Backbone:
    """Return a backbone with random weights.

    Args:
        name: Name of the backbone.
        side: Longer side of the images.
    """
    return EncoderBackbone(side) if name == ENCODER else PUBLISHED_WEIGHTS[name].build()


@dataclass(frozen=True, slots=True)
class ClassifierTraining:
    """How a classifier is trained.

    Args:
        n_epochs: Largest number of epochs.
        patience: Epochs without a smaller validation loss after which training stops.
        batch_size: Images per update.
        learning_rate: Learning rate of AdamW.
        weight_decay: Weight decay of AdamW.
        balanced: Whether all classes are drawn equally often.
    """

    n_epochs: int
    patience: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    balanced: bool

    def run(
        self, network: ClassifierNetwork, images: ClassImages, labels: IntArray, device: torch.device, seed: int
    ) -> FloatArray:
        """Train a network in place; return training loss and validation loss of each epoch."""
        draw = Stream.named(seed, 0, "classifier").generator()
        with torch.inference_mode():
            resized = torch.cat([network.resized(torch.from_numpy(part)) for part in images.chunks()])
        pixels, targets = resized.clone().to(device), torch.from_numpy(labels).to(device)
        training, held_out = _split(labels, draw)
        trained = [weight for weight in network.parameters() if weight.requires_grad]
        optimizer = torch.optim.AdamW(trained, lr=self.learning_rate, weight_decay=self.weight_decay)
        step = GradientStep(optimizer, max_grad_norm=LARGEST_GRADIENT)

        def batches(_: int) -> list[IntArray]:
            rows = _balanced(training, labels, draw) if self.balanced else draw.permutation(training)
            return [rows[first : first + self.batch_size] for first in range(0, len(rows), self.batch_size)]

        def update(rows: IntArray) -> Tensor:
            index = torch.from_numpy(rows).to(device)
            mirrored = torch.from_numpy(draw.random(len(rows)) < 0.5).to(device)[:, None, None, None]
            chosen = pixels[index]
            inputs = network.inputs(torch.where(mirrored, chosen.flip(-1), chosen))
            return step(network.loss(inputs, targets[index]))

        def validate() -> float:
            parts = np.array_split(held_out, max(1, len(held_out) // self.batch_size))
            losses = []
            for part in parts:
                index = torch.from_numpy(part).to(device)
                losses.append(float(network.loss(network.inputs(pixels[index]), targets[index])) * len(part))
            return sum(losses) / len(held_out)

        with deterministic_kernels(device):
            history = train(
                network,
                update,
                batches,
                n_epochs=self.n_epochs,
                stopping=EarlyStopping(validate, self.patience),
                title="Training the classifier",
            )
        return history.learning_curve()


def _split(labels: IntArray, draw: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return training rows and validation rows, a tenth of each class; without enough images all are both."""
    order = draw.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    first = np.searchsorted(labels[order], labels[order])
    held_out = (np.arange(len(order)) - first) % HELD_OUT == HELD_OUT - 1
    return (order[~held_out], order[held_out]) if held_out.any() else (order, order)


def _balanced(rows: IntArray, labels: IntArray, draw: np.random.Generator) -> IntArray:
    """Return as many rows as given, drawn so that every class has the same probability."""
    ordered = rows[np.argsort(labels[rows], kind="stable")]
    _, first, counts = np.unique(labels[ordered], return_index=True, return_counts=True)
    which = draw.integers(0, len(first), len(rows))
    place = first[which] + np.floor(draw.random(len(rows)) * counts[which]).astype(np.int64)
    drawn: IntArray = ordered[place]
    return drawn
