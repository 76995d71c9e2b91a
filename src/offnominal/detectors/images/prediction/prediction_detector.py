"""Base class of the detectors whose network predicts the next frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import Step
from offnominal.detectors.images.image_scaling import ImageScaling, Shape, image_shape, scale_pixels
from offnominal.detectors.images.prediction.frame_dataset import FrameBatch, FrameDataset, read_episodes
from offnominal.detectors.images.prediction.frame_network import FrameNetwork
from offnominal.detectors.images.prediction.frame_scoring import FrameScorer
from offnominal.detectors.images.prediction.frame_training import FrameLoss, at_least
from offnominal.detectors.parameters import STEPS, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.torch_step import TorchStep
from offnominal.detectors.trained_network import TrainedNetwork
from offnominal.detectors.training import split_indices
from offnominal.detectors.transitions.scaling import MAX_VALUE, SinglePrecision

Precision = Literal["auto", "float32", "bfloat16"]
Network = TypeVar("Network", bound=FrameNetwork)


@dataclass(kw_only=True, eq=False)
class PredictionDetector(TrainedNetwork[Network, ImageScaling]):
    """A detector whose network predicts the next frame.

    A subclass defines the network. Training frames are kept on the GPU as bytes if they fit. Scores are computed in
    float32.

    Args:
        min_updates: Number of updates of an epoch at least; an epoch repeats the episodes until it is reached.
        batch_size: Transitions per update.
        precision: Precision of training: ``"float32"``, ``"bfloat16"``, or ``"auto"`` for bfloat16 on a GPU only.

    Note:
        :class:`TrainedNetwork` has the other arguments.
    """

    pixel_observations: ClassVar[bool] = True

    RANGES: ClassVar[Mapping[str, Range]] = {"min_updates": STEPS}

    weight_decay: float = 1e-2
    precision: Precision = "auto"
    min_updates: int = 1

    @abstractmethod
    def _network(self, shape: Shape, action: int) -> Network:
        """Return a network with random weights for images of this shape and actions of this width."""

    def _batches(
        self, dataset: FrameDataset, episodes: Sequence[int], random: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        """Return the batches of one pass over episodes, shuffled if random numbers are given."""
        return dataset.transition_batches(episodes, self.batch_size, random)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.device_ = choose_device(self.device)
        frames, actions, shape = read_episodes(episodes, frames=self.n_epochs > 0)
        self.scaling_ = ImageScaling.of(shape, actions)
        random = RandomNumbers(seed, self.device_)
        with random.weights():
            network = self._network(shape, self.widths_[1])
        self.network_ = network.to(self.device_)
        self.curve_ = np.empty((0, 2))
        if self.n_epochs:
            dataset = FrameDataset.of(frames, actions, self.scaling_, self.device_)
            frames.clear()
            with deterministic_kernels(self.device_):
                self._train(dataset, self._validation_dataset(validation), random)
        self._settle()

    def _validation_dataset(self, validation: Sequence[Episode] | None) -> FrameDataset | None:
        if validation is None:
            return None
        frames, actions, _ = read_episodes(validation, shape=self.scaling_.shape)
        return FrameDataset.of(frames, actions, self.scaling_, self.device_)

    def _train(self, dataset: FrameDataset, validation: FrameDataset | None, random: RandomNumbers) -> None:
        training: Sequence[int] = range(len(dataset))
        if validation is None:
            training, held_out = split_indices(len(dataset), random)
            validation = dataset
        else:
            held_out = list(range(len(validation)))
        self._use_channels_last()
        training_loss = self._loss(dataset, random)
        validation_loss = self._loss(validation, None)
        self._run_training(
            batches=lambda: at_least(self.min_updates, lambda: self._batches(dataset, training, random)),
            update=self._gradient_steps(training_loss),
            validate=lambda: validation_loss.mean(self._batches(validation, held_out, None)),
        )

    def _loss(self, dataset: FrameDataset, random: RandomNumbers | None) -> FrameLoss:
        bfloat16 = self.precision == "bfloat16" or (self.precision == "auto" and self.device_.type == "cuda")
        return FrameLoss(self.network_, dataset, random=random, bfloat16=bfloat16)

    def _use_channels_last(self) -> None:
        """Store weights with channels last on a GPU, where convolutions are faster with it."""
        if self.device_.type == "cuda":
            self.network_.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def _settle(self) -> None:
        self._use_channels_last()
        super()._settle()

    def _scorer(self) -> FrameScorer:
        return FrameScorer(self.network_, self.scaling_, self.device_)

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        return self._scorer().score_episodes(episodes)

    def _start(self, n: int) -> SinglePrecision:
        return np.zeros((n, self.network_.state_size), np.float32)

    def _update(self, state: SinglePrecision, step: Step) -> tuple[SinglePrecision, FloatArray]:
        image_shape(step.next_observation, "the step", expected=self.scaling_.shape)
        frames = np.stack([step.observation, step.next_observation], axis=1)
        actions = self.scaling_.actions(step.action)[:, None]
        scores, next_state = self._scorer().score_steps(
            frames, actions, torch.from_numpy(np.asarray(state, np.float32))
        )
        return next_state.cpu().numpy(), scores[:, 0].astype(np.float64)

    def _torch_update(self, state: Tensor, step: TorchStep) -> tuple[Tensor, Tensor]:
        frames = scale_pixels(torch.stack([step.observation, step.next_observation], dim=1), *self.network_.pixel_range)
        actions = self.scaling_.action.torch(step.action).clamp(-MAX_VALUE, MAX_VALUE).float()
        scores, state = self.network_.anomaly_scores(frames, actions[:, None], state)
        return state, scores[:, 0]

    @property
    def _image_shape(self) -> tuple[int, ...]:
        return self.scaling_.shape

    def _require_shapes(self, observations: Array, actions: Array, where: str) -> None:
        image_shape(observations, where, expected=self.scaling_.shape)
        super()._require_shapes(observations, actions, where)

    def _restored_scaling(self, state: StateArrays) -> ImageScaling:
        return ImageScaling.restored(state, *self.widths_)

    def _network_for(self, widths: tuple[int, int], scaling: ImageScaling) -> Network:
        return self._network(scaling.shape, widths[1])


@dataclass(kw_only=True, eq=False)
class SequencePredictionDetector(PredictionDetector[Network]):
    """A detector whose network predicts the next frame from all frames of the episode so far.

    Args:
        sequence_length: Transitions of an episode per update; the recurrent state is carried to the next update.
        batch_size: Episodes per update.

    Note:
        :class:`PredictionDetector` has the other arguments.
    """

    sequence_length: int = 50

    def _batches(
        self, dataset: FrameDataset, episodes: Sequence[int], random: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        return dataset.sequence_batches(episodes, self.batch_size, self.sequence_length, random)
