"""Multiple-objective generative adversarial active learning (Liu et al., 2020)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.checks import positive_number
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.dense_layers import DenseLayers, array_of
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.layers import fake_loss, fake_probability, real_loss
from offnominal.detectors.rows.products import Dense
from offnominal.detectors.rows.row_scores import CriticScore
from offnominal.detectors.training import TrainingHistory


class Generators(nn.Module):
    """Networks of two layers, initialised as the identity, from noise in the unit cube to rows.

    Args:
        count: Number of networks.
        width: Number of columns.
    """

    def __init__(self, count: int, width: int) -> None:
        super().__init__()
        self.first, self.second = (nn.Parameter(torch.eye(width).repeat(count, 1, 1)) for _ in range(2))
        self.first_bias, self.second_bias = (nn.Parameter(torch.zeros(count, 1, width)) for _ in range(2))

    def forward(self, noise: Tensor) -> Tensor:
        """Return rows without negative values, (count, n, width), from as much noise."""
        hidden = torch.relu(torch.baddbmm(self.first_bias, noise, self.first))
        return torch.relu(torch.baddbmm(self.second_bias, hidden, self.second))


class MOGAALNetworks(nn.Module):
    """Generators, a critic, and the box of the training rows."""

    low: Tensor
    span: Tensor

    def __init__(self, width: int, generators: int, hidden: int) -> None:
        super().__init__()
        self.generators = Generators(generators, width)
        self.critic = nn.Sequential(Dense(width, hidden), nn.ReLU(), Dense(hidden, 1), nn.Flatten(0))
        self.register_buffer("low", torch.zeros(width))
        self.register_buffer("span", torch.ones(width))

    def scaled(self, rows: Tensor) -> Tensor:
        """Return rows scaled by the box of the training rows, which become 0 to 1."""
        return (rows - self.low) / self.span


@dataclass(kw_only=True, eq=False)
class MOGAAL(DeepRowDetector):
    """Probability, by a critic, that a row is generated, after training with several generators.

    Generator i of k learns rows with the critic's output of the i-th of k quantiles of the training rows, so that
    together they surround the training rows. Rows are scaled to the unit cube of the training rows, because generators
    do not reach beyond it. There is no early stopping. The score, ``critic``, is one minus the output of the critic.

    Args:
        generators: Number of generators.
        stop_epochs: Epochs after which the generators stop; the critic continues for twice as many.
        hidden: Width of the critic's hidden layer.
        critic_learning_rate: Learning rate of the critic.
        learning_rate: Learning rate of the generators.
        momentum: Momentum of both optimisers.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(200, 2))
        >>> MOGAAL(generators=3, stop_epochs=2).fit(rows).score(rows).shape
        (200,)
    """

    SCORES: ClassVar[tuple[str, ...]] = ("critic",)
    KINDS: ClassVar[tuple[int, ...]] = (2,)
    replayable: ClassVar[bool] = True

    learning_rate: float = 1e-4
    batch_size: int = 500
    max_iter: int = 1_000_000
    generators: int = 10
    stop_epochs: int = 20
    hidden: int = 64
    critic_learning_rate: float = 0.01
    momentum: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_number("critic_learning_rate", self.critic_learning_rate)
        if not 0 <= self.momentum < 1:
            raise InvalidParameter(f"momentum is {self.momentum!r}; expected a number in [0, 1).")

    def _network(self, shape: Shape) -> MOGAALNetworks:
        return MOGAALNetworks(shape[0], self.generators, self.hidden)

    def _circle(self) -> MOGAALNetworks:
        assert isinstance(self.network_, MOGAALNetworks)
        return self.network_

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        circle = self._circle()
        low, high = rows.min(0).values, rows.max(0).values
        circle.low.copy_(low)
        circle.span.copy_(torch.where(high > low, high - low, 1.0))
        scaled, k = circle.scaled(rows), self.generators
        critic_step = FlatOptimizer([circle.critic], self.critic_learning_rate, method="sgd", momentum=self.momentum)
        generator_step = FlatOptimizer([circle.generators], self.learning_rate, method="sgd", momentum=self.momentum)
        shares = _shares(min(self.batch_size, len(rows)), k)
        chosen = torch.arange(max(shares)) < torch.tensor(shares)[:, None]
        places = chosen.flatten().nonzero().flatten().to(rows.device)
        quantiles = torch.arange(k, device=rows.device) / k

        def train_critic(batch: Tensor, random: RandomNumbers) -> None:
            with torch.no_grad():
                noise = torch.zeros(chosen.numel(), rows.shape[1], device=rows.device)
                noise.index_copy_(0, places, random.uniform(len(places), rows.shape[1]))
                fake = circle.generators(noise.view(k, -1, rows.shape[1])).flatten(0, 1).index_select(0, places)
            critic_step(0.5 * (real_loss(circle.critic(batch)) + fake_loss(circle.critic(fake))))

        def train_both(batch: Tensor, random: RandomNumbers) -> None:
            train_critic(batch, random)
            with torch.no_grad():
                targets = torch.sigmoid(circle.critic(batch)).quantile(quantiles)
            points = circle.generators(random.uniform(k, len(batch), rows.shape[1]))
            odds = circle.critic(points.flatten(0, 1)).view(k, -1)
            wanted = targets[:, None].expand_as(odds)
            # Every generator has a loss of its own, the mean over its rows.
            generator_step(k * functional.binary_cross_entropy_with_logits(odds, wanted))

        stop = self.stop_epochs * math.ceil(len(rows) / self.batch_size)
        first, total = min(stop, self.max_iter), min(3 * stop, self.max_iter)
        history = self._run_training(train_both, scaled, random, max_iter=first)
        if total > first:
            later = self._run_training(train_critic, scaled, random, max_iter=total - first)
            later.n_updates += history.n_updates
            history = later
        return history

    def _row_score(self) -> CriticScore:
        circle = self._circle()
        return CriticScore(DenseLayers.of(circle.critic), (array_of(circle.low), array_of(circle.span)))

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        circle = self._circle()
        return {"critic": fake_probability(circle.critic(circle.scaled(rows)))}


def _shares(total: int, k: int) -> list[int]:
    """Return the number of rows of each generator; the first ones, which are further out, generate more.

    Example:
        >>> _shares(60, 3)
        [30, 20, 10]
    """
    block = k * (k + 1) // 2
    shares = [max(1, total * (k - i) // block) for i in range(k)]
    shares[-1] += max(0, total - sum(shares))
    return shares
