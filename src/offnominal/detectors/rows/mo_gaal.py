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


class SubGenerator(nn.Module):
    """Two layers, initialised as the identity, from noise in the unit cube to rows."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = Dense(width, width), Dense(width, width)
        for layer in (self.first, self.second):
            nn.init.eye_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, noise: Tensor) -> Tensor:
        """Return rows without negative values."""
        return torch.relu(self.second(torch.relu(self.first(noise))))


class MOGAALNetworks(nn.Module):
    """Sub-generators, a critic, and the box of the training rows."""

    low: Tensor
    span: Tensor

    def __init__(self, width: int, generators: int, hidden: int) -> None:
        super().__init__()
        self.generators = nn.ModuleList(SubGenerator(width) for _ in range(generators))
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
        moving = [
            FlatOptimizer([each], self.learning_rate, method="sgd", momentum=self.momentum)
            for each in circle.generators
        ]
        per_epoch = math.ceil(len(rows) / self.batch_size)
        parts, calls = _shares(min(self.batch_size, len(rows)), k), 0

        def generate(i: int, n: int, random: RandomNumbers) -> Tensor:
            points: Tensor = circle.generators[i](random.uniform(n, rows.shape[1]))
            return points

        def step(batch: Tensor, random: RandomNumbers) -> None:
            nonlocal calls
            calls += 1
            with torch.no_grad():
                fake = torch.cat([generate(i, n, random) for i, n in enumerate(parts)])
            critic_step(0.5 * (real_loss(circle.critic(batch)) + fake_loss(circle.critic(fake))))
            if calls > self.stop_epochs * per_epoch:
                return
            with torch.no_grad():
                said = torch.sigmoid(circle.critic(batch))
            for i, descent in enumerate(moving):
                target = said.quantile(i / k)
                odds = circle.critic(generate(i, len(batch), random))
                descent(functional.binary_cross_entropy_with_logits(odds, target.expand_as(odds)))

        return self._run_training(step, scaled, random, max_iter=min(self.max_iter, 3 * self.stop_epochs * per_epoch))

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
