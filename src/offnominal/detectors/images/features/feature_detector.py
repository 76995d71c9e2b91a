"""Base class of the feature detectors: a backbone, a bank of nominal feature vectors, and distances to it."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedExport
from offnominal.core.printable import shown
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.images.features.backbone import Backbone, CustomBackbone, Features, digest
from offnominal.detectors.images.features.backbones import ENCODER, load_backbone, require_known
from offnominal.detectors.images.features.encoder_backbone import EncoderBackbone
from offnominal.detectors.images.features.encoder_training import NominalFrames, train_encoder
from offnominal.detectors.images.features.feature_bank import BankBuilder, FeatureBank
from offnominal.detectors.images.image_scaling import restored_shape
from offnominal.detectors.network_state import LearnedNetwork
from offnominal.detectors.parameters import POSITIVE, STEPS, STEPS_OR_NONE, Range, check_parameters, plain_parameters
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.torch_step import TorchStep
from offnominal.detectors.weights_in_names import name_with_weights

BATCH_SIZE = {"cpu": 1, "cuda": 64}
"""Number of images per call of the backbone. It is constant because rounding depends on the batch size."""

MAX_FRAMES = 20_000
"""Largest number of frames that the encoder is trained on."""


@dataclass(kw_only=True, eq=False)
class FeatureDetector(LearnedNetwork[Backbone], Detector):
    """A detector that compares the features of the frame after a transition with those of nominal frames.

    Args:
        backbone: Feature extractor. ``"encoder"`` is a small network that `fit` trains on the nominal frames; it needs
            no download. ``"resnet18"``, ``"dino_vits16"``, ``"clip_vit_b32"``, ``"vgg16"``, ``"vgg16_conv"``, and
            ``"efficientnet_lite0"`` to ``"efficientnet_lite2"`` have their published weights.
            ``"timm:NAME"``, ``"torchvision:NAME"`` and ``"open_clip:NAME/TAG"`` are models of these packages. A
            function from images to features also works, but such a detector cannot be saved.
        bank_size: Largest number of nominal vectors in the bank.
        coreset_fraction: Fraction of the vectors in the greedy coreset; None keeps a random sample instead.
        n_epochs: Number of epochs of the encoder at most. Zero keeps its random weights: the untrained twin.
        max_updates: Number of updates of the encoder at most.
        batch_size: Images per update of the encoder.
        learning_rate: Learning rate of the encoder.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    pixel_observations: ClassVar[bool] = True

    RANGES: ClassVar[Mapping[str, Range]] = {
        "bank_size": STEPS,
        "coreset_fraction": Range(0, 1, open_low=True),
        "n_epochs": STEPS_OR_NONE,
        "max_updates": STEPS,
        "batch_size": STEPS,
        "learning_rate": POSITIVE,
    }

    backbone: str | Callable[[Tensor], Tensor] = ENCODER
    bank_size: int = 100_000
    coreset_fraction: float | None = None
    n_epochs: int = 20
    max_updates: int = 200
    batch_size: int = 64
    learning_rate: float = 1e-3
    device: str = "auto"

    def __post_init__(self) -> None:
        check_parameters(self)
        if isinstance(self.backbone, str):
            require_known(self.backbone)
        elif not callable(self.backbone):
            raise InvalidParameter(f"backbone is {shown(self.backbone)}; expected a name or a function of images.")

    @property
    def backbone_name(self) -> str:
        """Name of the feature extractor that is really used; the name of the detector may mention another network."""
        if isinstance(self.backbone, str):
            return "random encoder" if self.backbone == ENCODER and self.n_epochs == 0 else self.backbone
        return getattr(self.backbone, "__name__", type(self.backbone).__name__)

    @property
    def name(self) -> str:
        """Name of the class, with the weights behind it if they are not those that it names."""
        kind = type(self)
        return name_with_weights(kind.__name__, f"{kind.__module__}:{kind.__qualname__}", vars(self))

    @abstractmethod
    def _vectors(self, features: Features) -> Tensor:
        """Return the feature vectors of n images that are compared, (n, vectors, width)."""

    @abstractmethod
    def _anomaly_scores(self, vectors: Tensor) -> FloatArray:
        """Return one anomaly score per image from its feature vectors (n, vectors, width)."""

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        first = episodes[0].observations
        self.shape_ = tuple(int(side) for side in first.shape[1:])
        self._require_images(first, "episode 0")
        self.device_ = choose_device(self.device)
        self.curve_ = np.empty(0)
        self.network_ = self._backbone(seed)
        if isinstance(self.network_, EncoderBackbone) and self.n_epochs:
            self._train_encoder(self.network_, episodes, seed)
        self._settle()
        self._learn(self._bank_vectors(episodes, seed))

    def _learn(self, rows: Tensor) -> None:
        """Learn from the nominal feature vectors (n, width) that the bank keeps."""
        self.bank_ = FeatureBank(rows)

    def _backbone(self, seed: int) -> Backbone:
        if not isinstance(self.backbone, str):
            return CustomBackbone(self.backbone).to(self.device_)
        with RandomNumbers(seed, CPU).weights():
            name = self.backbone
            network = EncoderBackbone(max(self.shape_[1:])) if name == ENCODER else load_backbone(name)
        return network.to(self.device_)

    def _train_encoder(self, encoder: EncoderBackbone, episodes: Sequence[Episode], seed: int) -> None:
        draw = Stream.named(seed, 0, "encoder").generator()
        nominal_frames = NominalFrames.of(episodes, MAX_FRAMES, draw, self.device_)
        settings = {
            "n_epochs": self.n_epochs,
            "max_updates": self.max_updates,
            "batch_size": self.batch_size,
            "learning_rate": self.learning_rate,
        }
        self.curve_ = train_encoder(encoder, nominal_frames, **settings, draw=draw)  # type: ignore[arg-type]

    def _settle(self) -> None:
        """Prepare the backbone for scoring once its weights are final."""
        self.network_.eval().requires_grad_(False)
        self.network_.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _bank_vectors(self, episodes: Sequence[Episode], seed: int) -> Tensor:
        """Return the feature vectors of nominal frames that the bank keeps."""
        builder = BankBuilder(self.bank_size, self.coreset_fraction, Stream.named(seed, 0, "bank").generator())
        for number, episode in enumerate(episodes):
            self._require_images(episode.observations, f"episode {number}")
            for vectors in self._vectors_of_frames(episode.observations[1:]):
                builder.add(vectors.flatten(0, 1))
        return builder.selected()

    @torch.inference_mode()
    def _vectors_of_frames(self, frames: Array) -> Iterator[Tensor]:
        """Yield the feature vectors of frames in batches of constant size."""
        n = BATCH_SIZE[self.device_.type]
        for first in range(0, len(frames), n):
            part = torch.from_numpy(np.ascontiguousarray(frames[first : first + n])).to(self.device_)
            padding = part.new_zeros(n - len(part), *part.shape[1:])
            images = torch.cat([part, padding]).contiguous(memory_format=torch.channels_last)
            with deterministic_kernels(self.device_):
                vectors = self._vectors(self.network_(images))[: len(part)].float()
            yield vectors

    def _score_images(self, frames: Array) -> FloatArray:
        return np.concatenate([self._anomaly_scores(vectors) for vectors in self._vectors_of_frames(frames)])

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        return [self._score_images(episode.observations[1:]) for episode in episodes]

    def _update(self, state: None, step: Step) -> tuple[None, FloatArray]:
        self._require_images(step.next_observation, "the step")
        return None, self._score_images(step.next_observation)

    def _torch_scores(self, vectors: Tensor) -> Tensor:
        """Return the same as :meth:`_anomaly_scores` by torch operators."""
        raise UnsupportedExport(f"{self.name} has no ONNX form: it does not implement `_torch_scores`.")

    def _torch_update(self, state: None, step: TorchStep) -> tuple[None, Tensor]:
        return None, self._torch_scores(self._vectors(self.network_(step.next_observation)))

    @property
    def _image_shape(self) -> tuple[int, ...]:
        return self.shape_

    def _require_shapes(self, observations: Array, actions: Array, where: str) -> None:
        self._require_images(observations, where)
        super()._require_shapes(observations, actions, where)

    def _require_images(self, observations: Array, where: str) -> None:
        """Raise :class:`InvalidParameter` unless these are images of the shape in `fit`."""
        images = np.asarray(observations)
        if images.ndim != 4 or images.shape[1] != 3 or images.dtype != np.uint8:
            raise InvalidParameter(
                f"{where} has observations of shape {images.shape[1:]} and type {images.dtype}; "
                f"{type(self).__name__} expects images (3, H, W) uint8: record with frames=True and use .images()."
            )
        if images.shape[1:] != self.shape_:
            raise InvalidParameter(
                f"{where} has images of shape {images.shape[1:]}; {type(self).__name__} was fitted to {self.shape_}."
            )

    def untrained(self) -> Self:
        """Return the untrained twin: the same detector with the random initial weights of the encoder."""
        return dataclasses.replace(self, backbone=ENCODER, n_epochs=0)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments as plain data."""
        if not isinstance(self.backbone, str):
            raise InvalidParameter(
                f"the backbone {self.backbone_name} is a function, which cannot be saved; fit the detector again."
            )
        return plain_parameters(self)

    def _state_dict(self) -> dict[str, Array]:
        """Return the bank and the weights of the encoder, or the hash of the weights of another backbone."""
        arrays: dict[str, Array] = {
            "shape": np.array(self.shape_, np.int64),
            "curve": self.curve_.copy(),
            **self._learned_state(),
        }
        if isinstance(self.network_, EncoderBackbone):
            return arrays | self._weights()
        return arrays | {"weights_sha256": np.frombuffer(digest(self.network_), np.uint8).copy()}

    def _load_state_dict(self, state: StateArrays) -> None:
        """Restore the detector. A published backbone is loaded again and must have the weights of the saved hash."""
        self.device_ = choose_device(self.device)
        self.shape_ = restored_shape(state, self.widths_[0])
        self.curve_ = state.floats("curve", ("n_epochs",), empty=True)
        learned = self._take_learned(state)
        if self.backbone == ENCODER:
            self._restore_network(state, lambda: EncoderBackbone(max(self.shape_[1:])))
        else:
            self.network_ = self._backbone(0)
            expected = state.take("weights_sha256", (32,), np.uint8)
            if digest(self.network_) != expected.tobytes():
                raise DamagedFile(
                    f"the weights of {self.backbone_name} are not those that {type(self).__name__} was fitted with; "
                    "use the same file, or fit it again."
                )
        self._settle()
        self._restore_learned(learned)

    def _learned_state(self) -> dict[str, Array]:
        """Return what was learned from nominal feature vectors."""
        return {"bank": self.bank_.rows.cpu().numpy().copy()}

    def _take_learned(self, state: StateArrays) -> dict[str, Array]:
        """Return the arrays of :meth:`_learned_state` in a state."""
        return {"bank": state.take("bank", ("vectors", "features"), np.float32)}

    def _restore_learned(self, learned: dict[str, Array]) -> None:
        """Restore what was learned once the backbone is restored."""
        self._require_bank(learned["bank"])
        self.bank_ = FeatureBank(torch.tensor(learned["bank"]).to(self.device_))

    def _require_bank(self, bank: Array) -> None:
        """Raise :class:`DamagedFile` unless the backbone's features have the width of the bank."""
        self._require_width(bank.shape[1], "the bank has vectors")

    def _require_width(self, width: int, what: str) -> None:
        """Raise :class:`DamagedFile` unless the backbone's features have this width."""
        (vectors,) = self._vectors_of_frames(np.zeros((1, *self.shape_), np.uint8))
        if vectors.shape[-1] != width:
            raise DamagedFile(f"{what} of width {width}; {self.backbone_name} has width {vectors.shape[-1]}.")
