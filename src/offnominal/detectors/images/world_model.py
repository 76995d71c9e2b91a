"""A recurrent state-space model: what it expects before it looks, and what it believes after."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.modules import Decoder, Encoder
from offnominal.detectors.images.pictures import Shape
from offnominal.detectors.random_numbers import RandomNumbers

NARROWEST = 0.1
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


class Course(NamedTuple):
    """What a world model goes through in a sequence.

    Args:
        known: (n, time, deterministic): the deterministic state before each look.
        expected: Beliefs before it.
        seen: Beliefs after it.
        chosen: (n, time, stochastic): what stands for the beliefs after it, a sample or the mean.
        state: (n, deterministic): the last deterministic state.
    """

    known: Tensor
    expected: Belief
    seen: Belief
    chosen: Tensor
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
        self.encoder = Encoder(shape, channels=channels, outputs=embedding, activation=nn.ELU)
        self.entry = nn.Linear(stochastic + action, hidden)
        self.cell = nn.GRUCell(hidden, deterministic)
        self.prior = nn.Sequential(nn.Linear(deterministic, belief), nn.ELU(), nn.Linear(belief, 2 * stochastic))
        self.posterior = nn.Sequential(
            nn.Linear(deterministic + embedding, belief), nn.ELU(), nn.Linear(belief, 2 * stochastic)
        )
        self.decoder = Decoder(shape, channels=channels, inputs=deterministic + stochastic, activation=nn.ELU)

    def forward(self, frames: Tensor, actions: Tensor, state: Tensor, random: RandomNumbers | None = None) -> Course:
        """Go through frames (n, time + 1, 3, H, W) and actions; the looks are those at all frames but the first.

        Beliefs are stood for by samples if random numbers are given, else by their means.
        """
        embedded = self.encoder(frames)
        with torch.autocast(frames.device.type, enabled=False):
            return self._course(embedded.float(), actions, state, random)

    def _course(self, embedded: Tensor, actions: Tensor, known: Tensor, random: RandomNumbers | None) -> Course:
        first, *looks = embedded.unbind(1)
        chosen = self._chosen(self._seen(known, first), random)
        steps = []
        for look, action in zip(looks, actions.unbind(1), strict=True):
            inputs = functional.elu(self.entry(torch.cat([chosen, action], dim=-1)))
            known = self.cell(inputs, known)
            seen = self._seen(known, look)
            chosen = self._chosen(seen, random)
            steps.append((known, *seen, chosen))
        all_known, mean, deviation, all_chosen = (torch.stack(part, dim=1) for part in zip(*steps, strict=True))
        return Course(all_known, belief(self.prior(all_known)), Belief(mean, deviation), all_chosen, known)

    def _seen(self, known: Tensor, look: Tensor) -> Belief:
        return belief(self.posterior(torch.cat([known, look], dim=-1)))

    @staticmethod
    def _chosen(seen: Belief, random: RandomNumbers | None) -> Tensor:
        return seen.mean if random is None else seen.drawn(random)

    def imagined(self, known: Tensor, stochastic: Tensor) -> Tensor:
        """Return the pictures of states."""
        pictures: Tensor = self.decoder(torch.cat([known, stochastic], dim=-1))
        return pictures


def belief(raw: Tensor) -> Belief:
    """Return the Gaussian that a network means by these numbers."""
    mean, deviation = raw.chunk(2, dim=-1)
    return Belief(mean, functional.softplus(deviation) + NARROWEST)
