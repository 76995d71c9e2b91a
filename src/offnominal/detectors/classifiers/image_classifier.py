"""Base class of the detectors with a classifier of the normal classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.classifiers.class_detector import ClassDetector
from offnominal.detectors.classifiers.class_images import ClassImages
from offnominal.detectors.classifiers.classifier_network import (
    FEATURES,
    ClassifierNetwork,
    ClassifierTraining,
    build_backbone,
)
from offnominal.detectors.images.features.backbones import ENCODER, load_backbone
from offnominal.detectors.network_state import NetworkState
from offnominal.detectors.parameters import NOT_NEGATIVE, POSITIVE, STEPS, STEPS_OR_NONE, Range
from offnominal.detectors.random_numbers import CPU, RandomNumbers

BATCH_SIZE = {"cpu": 8, "cuda": 64}
"""Number of images per call of the network. It is constant because rounding depends on the batch size."""


@dataclass(kw_only=True, eq=False)
class ImageClassifier(NetworkState[ClassifierNetwork], ClassDetector):
    """A detector that scores the features and class logits of a network trained on the normal classes.

    Args:
        backbone: Network from images to features. ``"encoder"`` is a small network that `fit` trains; it needs no
            download. ``"vgg16"``, ``"vgg16_conv"``, ``"efficientnet_lite0"`` to ``"efficientnet_lite2"``,
            ``"resnet18"``, ``"dino_vits16"`` and ``"clip_vit_b32"`` start with their published weights.
        finetune: Whether the weights of a published backbone are trained too, or only the layer of the logits.
        n_epochs: Largest number of epochs. Zero keeps the random weights of the last layer.
        patience: Epochs without a smaller validation loss after which training stops.
        batch_size: Images per update.
        learning_rate: Learning rate of AdamW.
        weight_decay: Weight decay of AdamW.
        balanced: Whether all classes are drawn equally often.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.

    Attributes:
        network_: The trained network.
        curve_: (epochs, 2): training loss and validation loss of each epoch.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "n_epochs": STEPS_OR_NONE,
        "patience": STEPS,
        "batch_size": STEPS,
        "learning_rate": POSITIVE,
        "weight_decay": NOT_NEGATIVE,
    }

    backbone: str = ENCODER
    finetune: bool = True
    n_epochs: int = 30
    patience: int = 6
    batch_size: int = 64
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    balanced: bool = True
    device: str = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.backbone not in FEATURES:
            raise UnknownName(
                f"no backbone named {self.backbone!r}.{did_you_mean(self.backbone, FEATURES)} There are "
                f"{', '.join(FEATURES)}."
            )

    def fit_with(self, trained: ImageClassifier, images: Any, labels: Any, *, seed: int = 0) -> Self:
        """Fit with the network of another detector, which is not trained again.

        Args:
            trained: A fitted detector with the same kind of network and the same backbone.
            images: The images that it was fitted to.
            labels: Their classes.
            seed: Of all random numbers besides those of the training.
        """
        trained._require_fitted()
        if type(trained)._network is not type(self)._network or trained.backbone != self.backbone:
            raise InvalidParameter(f"the network of {trained.name} is not that of {self.name}; fit it instead.")
        self._given = trained
        try:
            return self.fit(images, labels, seed=seed)
        finally:
            vars(self).pop("_given", None)

    def _fit(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        self.device_ = choose_device(self.device)
        given: ImageClassifier | None = vars(self).get("_given")
        if given is None:
            self._train(images, labels, seed)
        elif given.shape_ != self.shape_ or not np.array_equal(given.classes_, self.classes_):
            raise InvalidParameter(f"{given.name} was fitted to images of other shape or classes; fit it instead.")
        else:
            self.network_ = given.network_
            self.curve_ = given.curve_.copy()
        self._fit_scores(images, labels, seed)

    def _train(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        with RandomNumbers(seed, CPU).weights():
            network = self._network()
        if self.backbone != ENCODER:
            network.backbone.load_state_dict(load_backbone(self.backbone).state_dict())
            network.backbone.requires_grad_(self.finetune)
        self.network_ = network.to(self.device_)
        training = ClassifierTraining(
            self.n_epochs, self.patience, self.batch_size, self.learning_rate, self.weight_decay, self.balanced
        )
        self.curve_ = np.empty((0, 2))
        if self.n_epochs:
            self.curve_ = training.run(self.network_, images, labels, self.device_, seed)
        self._settle()

    def _network(self) -> ClassifierNetwork:
        """Return the network with random weights."""
        backbone = build_backbone(self.backbone, max(self.shape_[1:]))
        return ClassifierNetwork(backbone, FEATURES[self.backbone], len(self.classes_))

    def _fit_scores(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        """Learn what the score needs besides the network."""

    def _batches(self, images: ClassImages) -> Iterator[tuple[Tensor, int]]:
        """Yield the inputs of the network in batches of constant size, and how many of each are real."""
        n = BATCH_SIZE[self.device_.type]
        for part in images.chunks(n):
            given = self.network_.resized(torch.from_numpy(part).to(self.device_))
            padding = given.new_zeros(n - len(given), *given.shape[1:])
            yield self.network_.inputs(torch.cat([given, padding])), len(part)

    def outputs(self, images: Any) -> tuple[FloatArray, FloatArray]:
        """Return the features (n, d) and class logits (n, classes) of images."""
        self._require_fitted()
        return self._outputs(images if isinstance(images, ClassImages) else ClassImages(images))

    @torch.inference_mode()
    def _outputs(self, images: ClassImages) -> tuple[FloatArray, FloatArray]:
        features, logits = [], []
        with deterministic_kernels(self.device_):
            for inputs, n in self._batches(images):
                found = [each[:n].cpu().numpy().astype(np.float64) for each in self.network_(inputs)]
                features.append(found[0])
                logits.append(found[1])
        return np.concatenate(features), np.concatenate(logits)

    def predict(self, images: Any) -> IntArray:
        """Return the most probable normal class of each image."""
        return np.asarray(self.classes_[self.outputs(images)[1].argmax(axis=1)])

    def _score(self, images: ClassImages) -> FloatArray:
        return self._novelty(*self._outputs(images))

    @abstractmethod
    def _novelty(self, features: FloatArray, logits: FloatArray) -> FloatArray:
        """Return one score per image."""
