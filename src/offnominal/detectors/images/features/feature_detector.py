"""What the feature detectors share: a backbone, a bank of nominal features, and how far a picture is from it."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from offnominal.core.checks import shown
from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.streams import Stream
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import Detector, Step
from offnominal.detectors.images.features.backbone import Backbone, CustomBackbone, Features, digest
from offnominal.detectors.images.features.backbones import ENCODER, load_backbone, require_known
from offnominal.detectors.images.features.bank_builder import BankBuilder
from offnominal.detectors.images.features.encoder_backbone import EncoderBackbone
from offnominal.detectors.images.features.encoder_training import NominalFrames, train_encoder
from offnominal.detectors.images.features.feature_bank import FeatureBank
from offnominal.detectors.images.image_scaling import restored_shape
from offnominal.detectors.parameters import POSITIVE, STEPS, STEPS_OR_NONE, Range, check_parameters
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.transitions.weights import require_fitting, with_weights

CHUNK = {"cpu": 1, "cuda": 64}
"""Pictures a backbone always sees together: of any other number, rounding would differ."""

MAX_FRAMES = 20_000


@dataclass(kw_only=True, eq=False)
class FeatureDetector(Detector):
    """A detector that compares the features of the picture after a transition with those of nominal pictures.

    Args:
        backbone: What makes the features: ``"encoder"``, a small network that learns from the nominal pictures when
            fitted and needs nothing from outside; ``"resnet18"``, ``"dino_vits16"`` or ``"clip_vit_b32"`` with their
            public weights; ``"timm:NAME"``, ``"torchvision:NAME"`` or ``"open_clip:NAME/TAG"`` through these packages;
            or a function of yours, with which it cannot be saved.
        bank_size: Nominal vectors kept at most.
        coreset_fraction: Share of the vectors that is kept, chosen greedily so that none of the others is far from all
            of them; None keeps a random sample.
        n_epochs: Passes of the encoder over the nominal pictures. Zero leaves its random weights: the untrained twin.
        max_updates: Its gradient steps at most.
        batch_size: Pictures per gradient step.
        learning_rate: Its learning rate.
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
            raise InvalidParameter(f"backbone is {shown(self.backbone)}; expected a name or a function of pictures.")

    @property
    def backbone_name(self) -> str:
        """What really makes the features, for tables: a detector's own name may promise another network."""
        if isinstance(self.backbone, str):
            return "random encoder" if self.backbone == ENCODER and self.n_epochs == 0 else self.backbone
        return getattr(self.backbone, "__name__", type(self.backbone).__name__)

    @abstractmethod
    def _vectors(self, features: Features) -> Tensor:
        """Return (n, vectors, width): what is compared of n pictures."""

    @abstractmethod
    def _anomaly_scores(self, vectors: Tensor) -> FloatArray:
        """Return one score per picture of its (n, vectors, width)."""

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
        self.bank_ = FeatureBank(self._chosen(episodes, seed))

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
        """Make a backbone whose weights are final ready to score."""
        self.network_.eval().requires_grad_(False)
        self.network_.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _chosen(self, episodes: Sequence[Episode], seed: int) -> Tensor:
        """Return the vectors of nominal pictures that stand for all."""
        keeper = BankBuilder(self.bank_size, self.coreset_fraction, Stream.named(seed, 0, "bank").generator())
        for number, episode in enumerate(episodes):
            self._require_images(episode.observations, f"episode {number}")
            for vectors in self._vectors_of_frames(episode.observations[1:]):
                keeper.add(vectors.flatten(0, 1))
        return keeper.chosen()

    @torch.inference_mode()
    def _vectors_of_frames(self, frames: Array) -> Iterator[Tensor]:
        """Yield what is compared of some pictures at a time; always as many are looked at together."""
        together = CHUNK[self.device_.type]
        for first in range(0, len(frames), together):
            part = torch.from_numpy(np.ascontiguousarray(frames[first : first + together])).to(self.device_)
            missing = part.new_zeros(together - len(part), *part.shape[1:])
            images = torch.cat([part, missing]).contiguous(memory_format=torch.channels_last)
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

    def _require_shapes(self, observations: Array, actions: Array, where: str) -> None:
        self._require_images(observations, where)
        super()._require_shapes(observations, actions, where)

    def _require_images(self, observations: Array, where: str) -> None:
        """Raise :class:`InvalidParameter` unless these are pictures as the first one that was learned from."""
        seen = np.asarray(observations)
        if seen.ndim != 4 or seen.shape[1] != 3 or seen.dtype != np.uint8:
            raise InvalidParameter(
                f"{where} has observations of shape {seen.shape[1:]} and type {seen.dtype}; {type(self).__name__} "
                "looks at pictures, (3, height, width) bytes. Record episodes with frames and give `episode.images()`."
            )
        if seen.shape[1:] != self.shape_:
            raise InvalidParameter(
                f"{where} has pictures of shape {seen.shape[1:]}; {type(self).__name__} learned from {self.shape_}."
            )

    def untrained(self) -> Self:
        """Return its untrained twin: an encoder with random weights, those that training starts from."""
        return dataclasses.replace(self, backbone=ENCODER, n_epochs=0)

    def get_params(self) -> dict[str, Any]:
        """Return the arguments it was built with, as plain data."""
        if not isinstance(self.backbone, str):
            raise InvalidParameter(
                f"the backbone {self.backbone_name} is a function of yours, which no file can hold; fit it again."
            )
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def _state_dict(self) -> dict[str, Array]:
        """Return the bank, and the weights of the encoder; of any other backbone, the hash of its weights alone."""
        arrays: dict[str, Array] = {
            "shape": np.array(self.shape_, np.int64),
            "curve": self.curve_,
            "bank": self.bank_.rows.cpu().numpy(),
        }
        if isinstance(self.network_, EncoderBackbone):
            for name, value in self.network_.state_dict().items():
                arrays[f"network.{name}"] = value.contiguous().cpu().numpy()
        else:
            arrays["weights_sha256"] = np.frombuffer(digest(self.network_), np.uint8)
        return {name: array.copy() for name, array in arrays.items()}

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Take back what :meth:`state` returned; a device that is not there is an error of its own."""
        choose_device(self.device)
        super().load_state_dict(state)

    def _load_state_dict(self, state: StateArrays) -> None:
        """Become what learned this. A backbone from outside is loaded again and must have the weights it had."""
        self.device_ = choose_device(self.device)
        self.shape_ = restored_shape(state, self.widths_[0])
        self.curve_ = state.floats("curve", ("n_epochs",), empty=True)
        bank = state.take("bank", ("vectors", "features"), np.float32)
        if self.backbone == ENCODER:
            weights = state.part("network.")
            require_fitting(weights, lambda: EncoderBackbone(max(self.shape_[1:])), state.owner)
            self.network_ = with_weights(self._backbone(0), weights)
        else:
            self.network_ = self._backbone(0)
            known = state.take("weights_sha256", (32,), np.uint8)
            if digest(self.network_) != known.tobytes():
                raise DamagedFile(
                    f"the weights of {self.backbone_name} are not those that {type(self).__name__} was fitted with; "
                    "use the same file, or fit it again."
                )
        self._settle()
        self._require_bank(bank)
        self.bank_ = FeatureBank(torch.tensor(bank).to(self.device_))

    def _require_bank(self, bank: Array) -> None:
        """Raise :class:`DamagedFile` unless features of pictures can be compared with these."""
        (vectors,) = self._vectors_of_frames(np.zeros((1, *self.shape_), np.uint8))
        if vectors.shape[-1] != bank.shape[1]:
            raise DamagedFile(
                f"the bank has vectors of {bank.shape[1]} numbers; {self.backbone_name} makes {vectors.shape[-1]}."
            )
