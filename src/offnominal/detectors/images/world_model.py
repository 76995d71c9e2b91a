"""A recurrent state-space model: what it expects before it looks, and what it believes after."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.convolutions import ConvDecoder, ConvEncoder
from offnominal.detectors.images.image_scaling import Shape
from offnominal.detectors.random_numbers import RandomNumbers

MIN_WIDTH = 0.1
"""Smallest standard deviation."""


class Belief(NamedTuple):
    """A Gaussian over the stochastic part of the state.

    Args:
        mean: (..., numbers).
        deviation: (..., numbers).
    """

    mean: Tensor
    deviation: Tensor

    def drawn(self, random: RandomNumbers) -> Tensor:
        """Return a sample that gradients go through."""
        return self.mean + self.deviation * random.normal_like(self.deviation)

    def divergence(self, other: Belief) -> Tensor:
        """Return the Kullback-Leibler divergence of this belief from another, summed over numbers."""
        ratio = (self.deviation / other.deviation).square()
        apart = ((self.mean - other.mean) / other.deviation).square()
        return 0.5 * (ratio + apart - 1.0 - ratio.log()).sum(dim=-1)


class LatentRollout(NamedTuple):
    """What a world model goes through in a sequence.

    Args:
        hidden_states: (n, time, deterministic): the deterministic state before each look.
        prior: Beliefs before it.
        posterior: Beliefs after it.
        samples: (n, time, stochastic): what stands for the beliefs after it, a sample or the mean.
        state: (n, deterministic): the last deterministic state.
    """

    hidden_states: Tensor
    prior: Belief
    posterior: Belief
    samples: Tensor
    state: Tensor


class WorldModel(nn.Module):
    """RSSM (Hafner et al., 2019), with the encoder and decoder of our other networks.

    Args:
        shape: Of the pictures.
        action: Numbers per action.
        channels: Of encoder and decoder.
        stochastic: Numbers of the stochastic part of the state.
        deterministic: Numbers of the deterministic part.
        hidden: Width of the layer before the recurrent cell.
        belief: Width of the layers before each belief.
        embedding: Numbers that stand for a picture.
    """

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
    ) -> None:
        super().__init__()
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
        """Go through frames (n, time + 1, 3, H, W) and actions; the looks are those at all frames but the first.

        Beliefs are stood for by samples if random numbers are given, else by their means.
        """
        embedded = self.encoder(frames)
        with torch.autocast(frames.device.type, enabled=False):
            return self._rollout(embedded.float(), actions, state, random)

    def _rollout(
        self, embedded: Tensor, actions: Tensor, hidden_states: Tensor, random: RandomNumbers | None
    ) -> LatentRollout:
        first, *embedded_frames = embedded.unbind(1)
        samples = self._chosen(self._seen(hidden_states, first), random)
        steps = []
        for embedded_frame, action in zip(embedded_frames, actions.unbind(1), strict=True):
            inputs = functional.elu(self.entry(torch.cat([samples, action], dim=-1)))
            hidden_states = self.cell(inputs, hidden_states)
            posterior = self._seen(hidden_states, embedded_frame)
            samples = self._chosen(posterior, random)
            steps.append((hidden_states, *posterior, samples))
        all_known, mean, deviation, all_chosen = (torch.stack(part, dim=1) for part in zip(*steps, strict=True))
        return LatentRollout(
            all_known, belief(self.prior(all_known)), Belief(mean, deviation), all_chosen, hidden_states
        )

    def _seen(self, hidden_states: Tensor, embedded_frame: Tensor) -> Belief:
        return belief(self.posterior(torch.cat([hidden_states, embedded_frame], dim=-1)))

    @staticmethod
    def _chosen(posterior: Belief, random: RandomNumbers | None) -> Tensor:
        return posterior.mean if random is None else posterior.drawn(random)

    def imagined(self, hidden_states: Tensor, stochastic: Tensor) -> Tensor:
        """Return the pictures of states."""
        images: Tensor = self.decoder(torch.cat([hidden_states, stochastic], dim=-1))
        return images


def belief(raw: Tensor) -> Belief:
    """Return the Gaussian that a network means by these numbers."""
    mean, deviation = raw.chunk(2, dim=-1)
    return Belief(mean, functional.softplus(deviation) + MIN_WIDTH)
