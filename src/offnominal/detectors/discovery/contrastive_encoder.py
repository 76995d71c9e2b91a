"""Contrastive training of an encoder for category discovery."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.streams import Stream, check_seed
from offnominal.core.types import Array, FloatArray, IntArray
from offnominal.detectors.classifiers.class_images import ClassImages
from offnominal.detectors.classifiers.classifier_network import FEATURES, build_backbone, resized_images
from offnominal.detectors.discovery.contrastive_loss import discovery_loss
from offnominal.detectors.discovery.partly_labelled import UNLABELLED
from offnominal.detectors.images.features.backbone import Backbone
from offnominal.detectors.images.features.backbones import ENCODER, load_backbone
from offnominal.detectors.images.features.dino_vit import DinoVit
from offnominal.detectors.network_state import NetworkState
from offnominal.detectors.parameters import POSITIVE, STEPS, STEPS_OR_NONE, Range, check_parameters, plain_parameters
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.state_arrays import StateArrays, all_or_nothing
from offnominal.detectors.training import GradientStep, train

LAST_RATE = 0.01
"""Learning rate at the end of the training, relative to the first one."""
SCORED_AT_ONCE = 32


class ContrastiveNetwork(nn.Module):
    """A backbone with a projection of its features to the sphere on which images are compared.

    Args:
        backbone: Network from images to features.
        n_features: Number of features.
        hidden: Width of the two hidden layers of the projection.
        projection: Width of the embedding.
    """

    def __init__(self, backbone: Backbone, n_features: int, hidden: int, projection: int) -> None:
        super().__init__()
        self.backbone = backbone
        layers = [nn.Linear(n_features, hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU()]
        self.project = nn.Sequential(*layers, nn.Linear(hidden, projection))

    def features(self, images: Tensor) -> Tensor:
        """Return the features of images with values from 0 to 1."""
        return self.backbone.features(self.backbone.standardised(images)).pooled

    def forward(self, images: Tensor) -> Tensor:
        """Return the embeddings of images with values from 0 to 1."""
        return functional.normalize(self.project(self.features(images)), dim=1)


@dataclass(kw_only=True, eq=False)
class ContrastiveEncoder(NetworkState[ContrastiveNetwork]):
    """Features of images in which classes form clusters, also classes without labels (Vaze et al. 2022).

    Two random views of every image are pulled together, and so are labelled images of the same class. The features are
    then clustered, for example by :class:`~offnominal.detectors.discovery.sskm.SSKM`.

    Args:
        backbone: Network from images to features. ``"encoder"`` is a small network that is trained as a whole and needs
            no download. ``"dino_vits16"``, ``"vgg16"``, ``"vgg16_conv"``, ``"efficientnet_lite0"`` to
            ``"efficientnet_lite2"``, ``"resnet18"`` and ``"clip_vit_b32"`` start with their published weights; of
            ``"dino_vits16"`` only the last block is trained.
        hidden: Width of the hidden layers of the projection.
        projection: Width of the embedding that the loss compares.
        supervised_weight: Weight of the loss of labelled images.
        temperature: Divisor of the similarities.
        as_published: Whether to use the loss of the public code of NovelCraft.
        n_epochs: Number of epochs; an epoch has as many updates as there are batches of labelled images. Zero keeps
            the first weights.
        batch_size: Number of labelled and of unlabelled images per update.
        learning_rate: First learning rate of SGD; it falls to a hundredth along a cosine.
        momentum: Momentum of SGD.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.

    Attributes:
        network_: The trained network.
        curve_: (n_epochs,): mean loss of each epoch.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "supervised_weight": Range(0, 1),
        "temperature": POSITIVE,
        "n_epochs": STEPS_OR_NONE,
        "batch_size": STEPS,
        "learning_rate": POSITIVE,
        "momentum": Range(0, 1, open_high=True),
    }
    LEARNED: ClassVar[str] = "network_"
    CURVE: ClassVar[tuple[str | int, ...] | None] = ("epochs",)

    backbone: str = ENCODER
    hidden: int = 512
    projection: int = 128
    supervised_weight: float = 0.35
    temperature: float = 0.1
    as_published: bool = False
    n_epochs: int = 200
    batch_size: int = 64
    learning_rate: float = 0.1
    momentum: float = 0.0
    device: str = "auto"

    def __post_init__(self) -> None:
        check_parameters(self)
        if self.backbone not in FEATURES:
            raise UnknownName(
                f"no backbone named {self.backbone!r}.{did_you_mean(self.backbone, FEATURES)} There are "
                f"{', '.join(FEATURES)}."
            )

    def fit(self, images: Any, labels: Any, *, seed: int = 0) -> Self:
        """Train on labelled and unlabelled images.

        Args:
            images: Images as for :class:`~offnominal.detectors.classifiers.class_detector.ClassDetector`.
            labels: (n,): integer class of each image; -1 without one. Some images have a class and some have none.
            seed: Of all random numbers of the training.

        Raises:
            InvalidParameter: The images or the labels are not as expected.
        """
        seed, given, classes = check_seed(seed), ClassImages(images), np.asarray(labels)
        if classes.shape != (len(given),) or classes.dtype.kind not in "iu" or classes.min() < UNLABELLED:
            raise InvalidParameter(
                f"the labels are {classes.dtype} of shape {classes.shape}; expected an integer for each of "
                f"{len(given)} images, -1 without a class."
            )
        if not 0 < int((classes == UNLABELLED).sum()) < len(classes):
            raise InvalidParameter("the images all have a class, or none has; some with and some without are needed.")
        with all_or_nothing(self):
            self.shape_ = given.shape
            self._fit(given, classes.astype(np.int64), seed)
        return self

    def _fit(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        self.device_ = choose_device(self.device)
        with RandomNumbers(seed, CPU).weights():
            network = self._network()
        if self.backbone != ENCODER:
            network.backbone.load_state_dict(load_backbone(self.backbone).state_dict())
            _freeze(network.backbone)
        self.network_ = network.to(self.device_)
        self.curve_: FloatArray = np.empty(0)
        if self.n_epochs:
            self._train(images, labels, seed)
        self.network_.eval().requires_grad_(False)

    def _network(self) -> ContrastiveNetwork:
        backbone = build_backbone(self.backbone, max(self.shape_[1:]))
        return ContrastiveNetwork(backbone, FEATURES[self.backbone], self.hidden, self.projection)

    def _train(self, images: ClassImages, labels: IntArray, seed: int) -> None:
        draw, random = Stream.named(seed, 0, "contrastive").generator(), RandomNumbers(seed, self.device_)
        parts = [resized_images(torch.from_numpy(part), self.network_.backbone.size) for part in images.chunks()]
        pixels, classes = torch.cat(parts).to(self.device_), torch.from_numpy(labels).to(self.device_)
        batches = list(_batches(labels, self.batch_size, self.n_epochs, draw))
        per_epoch = len(batches) // self.n_epochs
        weights = [weight for weight in self.network_.parameters() if weight.requires_grad]
        optimizer = torch.optim.SGD(weights, lr=self.learning_rate, momentum=self.momentum)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(
            optimizer, len(batches), eta_min=LAST_RATE * self.learning_rate
        )
        step = GradientStep(optimizer, schedule=schedule)

        def update(rows: IntArray) -> Tensor:
            index = torch.from_numpy(rows).to(self.device_)
            chosen = pixels[index]
            embedded = self.network_(torch.cat([random_views(chosen, random), random_views(chosen, random)]))
            first, second = embedded.chunk(2)
            settings = {"supervised_weight": self.supervised_weight, "temperature": self.temperature}
            return step(discovery_loss(first, second, classes[index], as_published=self.as_published, **settings))

        with deterministic_kernels(self.device_):
            history = train(
                self.network_,
                update,
                lambda epoch: batches[epoch * per_epoch : (epoch + 1) * per_epoch],
                n_epochs=self.n_epochs,
                title="Training ContrastiveEncoder",
            )
        self.curve_ = history.training_curve()

    @torch.inference_mode()
    def features(self, images: Any) -> FloatArray:
        """Return the features of images, (n, d), of the layer before the projection."""
        self._require_fitted()
        given = ClassImages(images)
        if given.shape != self.shape_:
            raise InvalidParameter(f"the images have shape {given.shape}; fit got {self.shape_}, colours first.")
        found = []
        with deterministic_kernels(self.device_):
            for part in given.chunks(SCORED_AT_ONCE):
                small = resized_images(torch.from_numpy(part).to(self.device_), self.network_.backbone.size)
                found.append(self.network_.features(small.to(torch.float32) / 255.0).cpu().numpy().astype(np.float64))
        return np.concatenate(found)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return plain_parameters(self)

    def _shared_state(self) -> dict[str, Array]:
        return {"shape": np.array(self.shape_, np.int64)}

    def _load_shared_state(self, state: StateArrays) -> None:
        self.shape_ = tuple(state.integers("shape", (3,), low=1, high=100_000).tolist())


def _freeze(backbone: Backbone) -> None:
    """Train only the last block and the last norm of DINO; all weights of another network."""
    if isinstance(backbone, DinoVit):
        backbone.requires_grad_(False)
        for part in (backbone.blocks[-1], backbone.norm):
            part.requires_grad_(True)


def _batches(labels: IntArray, size: int, n_epochs: int, draw: np.random.Generator) -> Iterator[IntArray]:
    """Yield the rows of every update: labelled ones, all classes equally often, and unlabelled ones in turn."""
    classes, numbers = np.unique(labels[labels != UNLABELLED], return_inverse=True)
    labelled, unlabelled = np.flatnonzero(labels != UNLABELLED), np.flatnonzero(labels == UNLABELLED)
    members = [labelled[numbers == number] for number in range(len(classes))]
    waiting: IntArray = np.empty(0, np.int64)
    for _ in range(n_epochs * max(1, -(-len(labelled) // size))):
        drawn = [draw.choice(members[number]) for number in draw.integers(0, len(classes), size)]
        while len(waiting) < size:
            waiting = np.concatenate([waiting, draw.permutation(unlabelled)])
        yield np.concatenate([np.array(drawn, np.int64), waiting[:size]])
        waiting = waiting[size:]


SMALLEST_CROP = 0.4
"""Smallest share of the area that a crop has."""
BRIGHTNESS, CONTRAST, SATURATION = 0.4, 0.4, 0.2
"""Largest relative change of each."""
COLOURED, GREY = 0.8, 0.2
"""Probabilities of changed colours and of a grey image."""
WEIGHTS = (0.299, 0.587, 0.114)
"""Weights of the colours in the brightness."""


def random_views(images: Tensor, random: RandomNumbers) -> Tensor:
    """Return a random view of each image.

    Args:
        images: (n, 3, H, W) uint8.
        random: Source of the random numbers, on the device of the images.

    Returns:
        (n, 3, H, W) images with values from 0 to 1.
    """
    n = len(images)
    pixels = _cropped(images.to(torch.float32) / 255.0, random)
    changes = [1.0 + limit * (2.0 * random.uniform(n, 1, 1, 1) - 1.0) for limit in (BRIGHTNESS, CONTRAST, SATURATION)]
    weights = pixels.new_tensor(WEIGHTS)[None, :, None, None]
    changed = pixels * changes[0]
    mean = (changed * weights).sum(dim=1, keepdim=True).mean(dim=(2, 3), keepdim=True)
    changed = mean + changes[1] * (changed - mean)
    grey = (changed * weights).sum(dim=1, keepdim=True)
    changed = grey + changes[2] * (changed - grey)
    pixels = torch.where(random.uniform(n, 1, 1, 1) < COLOURED, changed, pixels)
    grey = (pixels * weights).sum(dim=1, keepdim=True).expand_as(pixels)
    return torch.where(random.uniform(n, 1, 1, 1) < GREY, grey, pixels).clamp(0.0, 1.0)


def _cropped(pixels: Tensor, random: RandomNumbers) -> Tensor:
    """Return a random part of each image, resized to its whole size, and mirrored in half of the cases."""
    n = len(pixels)
    area = SMALLEST_CROP + (1.0 - SMALLEST_CROP) * random.uniform(n)
    side = area.sqrt()
    right, down = ((1.0 - side) * (2.0 * random.uniform(n) - 1.0) for _ in range(2))
    mirrored = torch.where(random.uniform(n) < 0.5, -side, side)
    transform = torch.zeros(n, 2, 3, device=pixels.device)
    transform[:, 0, 0], transform[:, 0, 2] = mirrored, right
    transform[:, 1, 1], transform[:, 1, 2] = side, down
    grid = functional.affine_grid(transform, list(pixels.shape), align_corners=False)
    return functional.grid_sample(pixels, grid, padding_mode="reflection", align_corners=False)
