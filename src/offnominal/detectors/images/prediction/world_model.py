"""A recurrent state-space model: its belief about the state before and after it gets the next frame."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.convolutions import ConvDecoder, ConvEncoder
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.images.prediction.frame_network import FrameNetwork
from offnominal.detectors.random_numbers import RandomNumbers

ScoreName = Literal["pixels", "divergence"]

MIN_DEVIATION = 0.1
"""Smallest standard deviation of a belief."""

FREE_NATS = 3.0
"""Divergence, in nats, that the training loss does not penalise."""


class Belief(NamedTuple):
    """A Gaussian distribution over the stochastic part of the state.

    Args:
        mean: (..., stochastic).
        deviation: (..., stochastic), standard deviation.
    """

    mean: Tensor
    deviation: Tensor

    def sample(self, random: RandomNumbers) -> Tensor:
        """Return a reparametrised sample."""
        return self.mean + self.deviation * random.normal_like(self.deviation)

    def divergence(self, other: Belief) -> Tensor:
        """Return the Kullback-Leibler divergence of this belief from another one, (...)."""
        ratio = (self.deviation / other.deviation).square()
        distance = ((self.mean - other.mean) / other.deviation).square()
        return 0.5 * (ratio + distance - 1.0 - ratio.log()).sum(dim=-1)


class LatentRollout(NamedTuple):
    """States and beliefs of a world model along a sequence.

    Args:
        hidden_states: (n, time, deterministic): deterministic state at each frame but the first.
        prior: Belief before the frame.
        posterior: Belief after the frame.
        samples: (n, time, stochastic): samples of the posterior, or its means.
        state: (n, deterministic): last deterministic state.
    """

    hidden_states: Tensor
    prior: Belief
    posterior: Belief
    samples: Tensor
    state: Tensor


class WorldModel(FrameNetwork):
    """RSSM (Hafner et al., 2019), with the encoder and decoder of the other predictive detectors.

    Args:
        shape: Image shape.
        action: Width of an action.
        channels: Channels of the first convolution of the encoder and of the last one of the decoder.
        stochastic: Size of the stochastic part of the state.
        deterministic: Size of the deterministic part of the state.
        hidden: Width of the layer before the recurrent cell.
        belief: Width of the hidden layers of prior and posterior.
        embedding: Size of the embedding of a frame.
        score_name: ``"pixels"`` or ``"divergence"``; see :class:`RSSMPPM`.
    """

    pixel_range: ClassVar[tuple[float, float]] = (-0.5, 0.5)

    def __init__(
        self,
        shape: Shape,
        action: int,
        *,
        channels: int,
        stochastic: int,
        deterministic: int,
        hidden: int,
        belief: int,
        embedding: int,
        score_name: ScoreName = "pixels",
    ) -> None:
        super().__init__()
        self.state_size = deterministic
        self.score_name = score_name
        self.encoder = ConvEncoder(shape, channels=channels, outputs=embedding, activation=nn.ELU)
        self.entry = nn.Linear(stochastic + action, hidden)
        self.cell = nn.GRUCell(hidden, deterministic)
        self.prior = nn.Sequential(nn.Linear(deterministic, belief), nn.ELU(), nn.Linear(belief, 2 * stochastic))
        self.posterior = nn.Sequential(
            nn.Linear(deterministic + embedding, belief), nn.ELU(), nn.Linear(belief, 2 * stochastic)
        )
        self.decoder = ConvDecoder(shape, channels=channels, inputs=deterministic + stochastic, activation=nn.ELU)

    def forward(
        self, frames: Tensor, actions: Tensor, state: Tensor, random: RandomNumbers | None = None
    ) -> LatentRollout:
        """Return the rollout along frames (n, time + 1, 3, H, W) and actions.

        The stochastic part of the state is a sample of the posterior if random numbers are given, else its mean.
        """
        embedded = self.encoder(frames)
        with torch.autocast(frames.device.type, enabled=False):
            return self._rollout(embedded.float(), actions, state, random)

    def _rollout(
        self, embedded: Tensor, actions: Tensor, hidden: Tensor, random: RandomNumbers | None
    ) -> LatentRollout:
        first, *others = embedded.unbind(1)
        sample = _sample_or_mean(self._posterior(hidden, first), random)
        steps = []
        for embedded_frame, action in zip(others, actions.unbind(1), strict=True):
            inputs = functional.elu(self.entry(torch.cat([sample, action], dim=-1)))
            hidden = self.cell(inputs, hidden)
            posterior = self._posterior(hidden, embedded_frame)
            sample = _sample_or_mean(posterior, random)
            steps.append((hidden, *posterior, sample))
        hidden_states, mean, deviation, samples = (torch.stack(part, dim=1) for part in zip(*steps, strict=True))
        prior = belief_from_output(self.prior(hidden_states))
        return LatentRollout(hidden_states, prior, Belief(mean, deviation), samples, hidden)

    def _posterior(self, hidden: Tensor, embedded_frame: Tensor) -> Belief:
        return belief_from_output(self.posterior(torch.cat([hidden, embedded_frame], dim=-1)))

    def decoded(self, hidden_states: Tensor, stochastic: Tensor) -> Tensor:
        """Return the images of states."""
        images: Tensor = self.decoder(torch.cat([hidden_states, stochastic], dim=-1))
        return images

    def losses(
        self, frames: Tensor, actions: Tensor, state: Tensor, random: RandomNumbers | None
    ) -> tuple[Tensor, Tensor]:
        """Return reconstruction error plus divergence of each transition, and the next state."""
        rollout = self(frames, actions, state, random)
        reconstructed = self.decoded(rollout.hidden_states, rollout.samples)
        error = 0.5 * (reconstructed - frames[:, 1:]).square().sum(dim=(-3, -2, -1))
        divergence = rollout.posterior.divergence(rollout.prior)
        return error + torch.where(divergence.mean() > FREE_NATS, divergence, FREE_NATS), rollout.state

    def anomaly_scores(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the difference between prior and posterior of each transition, and the next state."""
        rollout = self(frames, actions, state)
        if self.score_name == "divergence":
            return rollout.posterior.divergence(rollout.prior), rollout.state
        before, after = (
            self.decoded(rollout.hidden_states, belief.mean) for belief in (rollout.prior, rollout.posterior)
        )
        return (before - after).abs().mean(dim=(-3, -2, -1)), rollout.state


def _sample_or_mean(belief: Belief, random: RandomNumbers | None) -> Tensor:
    return belief.mean if random is None else belief.sample(random)


def belief_from_output(output: Tensor) -> Belief:
    """Return the Gaussian whose mean and unconstrained deviation a network put out."""
    mean, deviation = output.chunk(2, dim=-1)
    return Belief(mean, functional.softplus(deviation) + MIN_DEVIATION)
