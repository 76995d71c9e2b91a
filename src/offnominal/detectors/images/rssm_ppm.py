"""RSSM-PPM: a world model imagines the next picture before and after it looks; the difference is the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor

from offnominal.detectors.images.frame_dataset import FrameBatch, FrameDataset
from offnominal.detectors.images.image_network import ImageNetwork
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.world_model import WorldModel
from offnominal.detectors.random_numbers import RandomNumbers

ScoreName = Literal["pixels", "divergence"]

FREE = 3.0
"""Divergence, in nats, that costs nothing."""


@dataclass(kw_only=True, eq=False)
class RSSMPPM(ImageNetwork[WorldModel]):
    """How differently a world model imagines the next picture before and after it has looked.

    A recurrent state-space model carries a state from picture to picture. Before each picture it holds a belief of what
    comes, the prior; after it, the posterior. Both are drawn as pictures. Scores use the means of the beliefs, so
    nothing in them is random:

    * ``"pixels"``: the mean over pixels of the distance of the two pictures, with black at -0.5 and white at 0.5.
    * ``"divergence"``: the Kullback-Leibler divergence of the posterior from the prior.

    Args:
        score_name: What the score is.
        channels: Of the first convolution; the encoder has this, twice, four and eight times as many.
        stochastic: Numbers of the stochastic part of the state.
        deterministic: Numbers of the deterministic part.
        hidden: Width of the layer before the recurrent cell.
        belief: Width of the layers before prior and posterior.
        embedding: Numbers that stand for a picture.
        sequence_length: Transitions of an episode between two gradient steps; what is remembered is carried on.
        n_epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        min_updates: Gradient steps of an epoch at least; few episodes are passed over as often as it takes.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch_size: Episodes per gradient step.
        learning_rate: Learning rate.
        weight_decay: Of AdamW; Adam if zero.
        max_grad_norm: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        precision: Of products while training: ``"float32"``, ``"bfloat16"``, or ``"auto"`` for the latter on a GPU.

    Example:
        >>> import numpy as np
        >>> import offnominal as off
        >>> frames = np.random.default_rng(0).integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
        >>> episode = off.Episode(frames, np.zeros((5, 1)), np.zeros(5), np.zeros(5, bool))
        >>> detector = RSSMPPM(channels=2, n_epochs=1).fit([episode])
        >>> detector.score([episode])[0].shape
        (5,)
    """

    pixels: ClassVar[tuple[float, float]] = (-0.5, 0.5)

    score_name: ScoreName = "pixels"
    channels: int = 32
    stochastic: int = 50
    deterministic: int = 200
    hidden: int = 400
    belief: int = 100
    embedding: int = 200
    sequence_length: int = 50
    batch_size: int = 50
    learning_rate: float = 6e-4
    weight_decay: float = 0.0
    max_grad_norm: float | None = 100.0

    def _network(self, shape: Shape, action: int) -> WorldModel:
        return WorldModel(
            shape,
            action,
            channels=self.channels,
            stochastic=self.stochastic,
            deterministic=self.deterministic,
            hidden=self.hidden,
            belief=self.belief,
            embedding=self.embedding,
        )

    def _state_width(self) -> int:
        return self.deterministic

    def _pieces(
        self, dataset: FrameDataset, episodes: Sequence[int], shuffle: RandomNumbers | None
    ) -> Iterator[FrameBatch]:
        return dataset.pieces(episodes, self.batch_size, self.sequence_length, shuffle)

    def _losses(
        self, frames: Tensor, actions: Tensor, state: Tensor, random: RandomNumbers | None
    ) -> tuple[Tensor, Tensor]:
        rollout = self.network_(frames, actions, state, random)
        drawn = self.network_.imagined(rollout.hidden_states, rollout.samples)
        wrong = 0.5 * (drawn - frames[:, 1:]).square().sum(dim=(-3, -2, -1))
        divergence = rollout.posterior.divergence(rollout.prior)
        return wrong + torch.where(divergence.mean() > FREE, divergence, FREE), rollout.state

    def _compared(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        rollout = self.network_(frames, actions, state)
        if self.score_name == "divergence":
            return rollout.posterior.divergence(rollout.prior), rollout.state
        before, after = (
            self.network_.imagined(rollout.hidden_states, each.mean) for each in (rollout.prior, rollout.posterior)
        )
        return (before - after).abs().mean(dim=(-3, -2, -1)), rollout.state
