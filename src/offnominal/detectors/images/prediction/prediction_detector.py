"""Base class of the detectors whose network predicts the next frame."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray, Frames
from offnominal.detectors.detector import Step
from offnominal.detectors.images.image_scaling import ImageScaling, Shape, image_shape, scale_pixels
from offnominal.detectors.images.prediction.frame_dataset import FrameBatch, FrameDataset, read_episodes
from offnominal.detectors.images.prediction.frame_network import FrameNetwork
from offnominal.detectors.parameters import STEPS, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.torch_step import TorchStep
from offnominal.detectors.trained_network import TrainedNetwork
from offnominal.detectors.training import split_indices
from offnominal.detectors.transitions.scaling import MAX_VALUE, SinglePrecision
from offnominal.detectors.transitions.sequence_network import padded

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
        frames, actions, shape = read_episodes(episodes, frames=self.n_epochs > 0)
        random = self._begin(ImageScaling.of(shape, actions), seed)
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


MAX_PIXELS = 2**22
"""Pixels that are scored at the same time: 256 frames of 128 × 128."""

MAX_EPISODES, MAX_BYTES = 64, 2**28
"""Number and size of the episodes that are in memory at the same time."""


class FrameScorer:
    """Scores episodes with a trained network.

    Args:
        network: Network in evaluation mode.
        scaling: Scaling of its inputs.
        device: Device of the network.
    """

    def __init__(self, network: FrameNetwork, scaling: ImageScaling, device: torch.device) -> None:
        self.network = network
        self.scaling = scaling
        self.device = device

    def score_episodes(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Return the anomaly scores of each episode; episodes are read in groups that fit into memory."""
        return [scores for group in episode_groups(episodes) for scores in self.score_group(group)]

    @torch.inference_mode()
    def score_group(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        """Return the anomaly scores of episodes that are processed in parallel."""
        lengths = [len(episode) for episode in episodes]
        scores = [np.empty(length) for length in lengths]
        state = torch.zeros(len(episodes), self.network.state_size, device=self.device)
        order = sorted(range(len(episodes)), key=lambda i: -lengths[i])
        begin, max_frames = 0, MAX_PIXELS // int(np.prod(self.scaling.shape[1:]))
        while order:
            end = min(begin + max(1, max_frames // len(order)), lengths[order[0]])
            running = [episodes[i] for i in order]
            frames = padded([episode.observations[begin : end + 1] for episode in running])
            actions = padded([self.scaling.actions(episode.actions[begin:end]) for episode in running])
            scored, state = self.score_steps(frames, actions, state)
            for i, row in zip(order, scored, strict=True):
                part = slice(begin, min(end, lengths[i]))
                scores[i][part] = row[: part.stop - part.start]
            begin, order = end, [i for i in order if lengths[i] > end]
            state = state[: len(order)]
        return scores

    @torch.inference_mode()
    def score_steps(self, frames: Frames, actions: SinglePrecision, state: Tensor) -> tuple[Array, Tensor]:
        """Return anomaly scores (n, time) of consecutive transitions, and the state after them.

        Args:
            frames: (n, time + 1, 3, H, W) uint8.
            actions: (n, time, width), normalised.
            state: (n, state_size), on any device.
        """
        # The device transposes: a host takes longer than the network does.
        channels_last = torch.from_numpy(frames).to(self.device).movedim(2, -1).contiguous()
        pixels = scale_pixels(channels_last.movedim(-1, 2), *self.network.pixel_range)
        inputs = torch.from_numpy(np.asarray(actions, np.float32)).to(self.device)
        with deterministic_kernels(self.device):
            scores, state = self.network.anomaly_scores(pixels, inputs, state.to(self.device))
        return scores.cpu().numpy(), state


def episode_groups(episodes: Sequence[Episode]) -> Iterator[list[Episode]]:
    """Yield groups of consecutive episodes that fit into memory together; each episode is read once."""
    group: list[Episode] = []
    for episode in episodes:
        group.append(episode)
        if len(group) >= MAX_EPISODES or sum(member.observations.nbytes for member in group) >= MAX_BYTES:
            yield group
            group = []
    if group:
        yield group


class FrameLoss:
    """Mean loss of a network on batches of a dataset.

    The recurrent state is carried from one batch of an episode to the next. Gradients are not, so the memory needed
    does not depend on the length of an episode.

    Args:
        network: Network on the device of the dataset.
        dataset: Frames and actions.
        random: Source of the noise of training; None in validation.
        bfloat16: Whether matrix products and convolutions are computed in bfloat16.
    """

    def __init__(
        self,
        network: FrameNetwork,
        dataset: FrameDataset,
        *,
        random: RandomNumbers | None = None,
        bfloat16: bool = False,
    ) -> None:
        self.network = network
        self.dataset = dataset
        self.random = random
        self.bfloat16 = bfloat16
        self._state: Tensor | None = None

    def __call__(self, batch: FrameBatch) -> Tensor:
        """Return the mean loss of a batch. A batch that does not start its episodes must follow the batch before it."""
        frames, actions = self.dataset.load(batch)
        device = self.dataset.device
        if batch.starts_episodes or self._state is None:
            state = torch.zeros(len(batch), self.network.state_size, device=device)
        else:
            state = self._state[: len(batch)]
        with torch.autocast(device.type, torch.bfloat16, enabled=self.bfloat16):
            pixels = scale_pixels(frames, *self.network.pixel_range)
            losses, state = self.network.losses(pixels, actions, state, self.random)
        self._state = state.detach()
        return batch.mean(losses)

    @torch.inference_mode()
    def mean(self, batches: Iterable[FrameBatch]) -> float:
        """Return the mean loss over all transitions of several batches."""
        total, count = torch.zeros((), dtype=torch.float64, device=self.dataset.device), 0
        for batch in batches:
            steps = int(batch.steps.sum())
            total += steps * self(batch)
            count += steps
        return float(total) / count


def at_least(min_updates: int, batches: Callable[[], Iterable[FrameBatch]]) -> Iterator[FrameBatch]:
    """Yield batches, in as many whole passes over the episodes as give the required number of updates.

    Args:
        min_updates: Number of batches at least.
        batches: Returns the batches of one pass.
    """
    count = 0
    while count < min_updates:
        for batch in batches():
            count += 1
            yield batch
