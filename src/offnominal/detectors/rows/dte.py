"""DTE-C: the diffusion time of a row, estimated by a classifier (Livernoche et al., 2024)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn

from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.parameters import NOT_NEGATIVE, SHARE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.products import Dense
from offnominal.detectors.rows.row_scores import MeanBin, RowScore
from offnominal.detectors.training import TrainingHistory

LEAST_BETA, LARGEST_BETA = 1e-4, 1e-2
"""Variance that the first and the last step of the diffusion add; between them it grows linearly."""


def noise_variances(steps: int) -> Tensor:
    """Return the variance of the noise after each step of the diffusion.

    Example:
        >>> noise_variances(400)[[0, -1]]
        tensor([1.0000e-04, 8.6824e-01])
    """
    kept = 1.0 - torch.linspace(LEAST_BETA, LARGEST_BETA, steps, dtype=torch.float64)
    return (1.0 - torch.cumprod(kept, 0)).float()


class TimeClassifier(nn.Module):
    """Dense layers from a row to the log-odds of the bins of the diffusion time.

    Args:
        columns: Number of columns.
        hidden: Width of the first and the last hidden layer; the middle one is twice as wide.
        bins: Number of bins.
    """

    def __init__(self, columns: int, hidden: int, bins: int) -> None:
        super().__init__()
        widths = [columns, hidden, 2 * hidden, hidden, bins]
        parts: list[nn.Module] = []
        for before, after in pairwise(widths):
            parts += [Dense(before, after), nn.ReLU()]
        self.layers = nn.Sequential(*parts[:-1])

    def forward(self, rows: Tensor) -> Tensor:
        """Return the log-odds, (n, bins)."""
        odds: Tensor = self.layers(rows)
        return odds

    def with_dropout(self, rows: Tensor, random: RandomNumbers, probability: float) -> Tensor:
        """Return the log-odds with dropout after all hidden layers but the first."""
        values = rows
        for place, layer in enumerate(self.layers):
            values = layer(values)
            if probability and place > 1 and isinstance(layer, nn.ReLU):
                values = random.dropout(values, probability)
        return values


@dataclass(kw_only=True, eq=False)
class DTECategorical(DeepRowDetector):
    """For how long a row has diffused away from the nominal rows, as a network estimates it.

    Noise of a random step of a diffusion is added to nominal rows, and a classifier learns the bin of that step. The
    mean bin of a row, by the probabilities of the classifier, is its score. The columns should have unit variance.

    Args:
        diffusion_steps: Number of steps of the diffusion; 400 add noise of variance 0.87.
        bins: Number of bins of equally many steps.
        hidden: Width of the first and the last hidden layer; the middle one is twice as wide.
        dropout: Fraction of values that are dropped after all hidden layers but the first.
        weight_decay: Weight decay.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 4)) * 0.1
        >>> detector = DTECategorical(hidden=32, learning_rate=1e-3, max_iter=200).fit(rows)
        >>> near, far = detector.score(np.array([[0.0, 0.1, 0.0, 0.0], [1.0, -1.0, 1.0, -1.0]]))
        >>> bool(near < far < 6.0)
        True
    """

    SCORES: ClassVar[tuple[str, ...]] = ("time",)
    KINDS: ClassVar[tuple[int, ...]] = (2,)
    RANGES: ClassVar[Mapping[str, Range]] = {
        "bins": Range(2, 10_000),
        "diffusion_steps": Range(2, 100_000),
        "dropout": SHARE,
        "weight_decay": NOT_NEGATIVE,
    }

    learning_rate: float = 1e-4
    diffusion_steps: int = 400
    bins: int = 7
    hidden: int = 256
    dropout: float = 0.5
    weight_decay: float = 5e-4

    def _network(self, shape: Shape) -> TimeClassifier:
        return TimeClassifier(shape[0], self.hidden, self.bins)

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        classifier = self._classifier()
        deviations = noise_variances(self.diffusion_steps).sqrt().to(rows.device)
        descent = FlatOptimizer([classifier], self.learning_rate, weight_decay=self.weight_decay)

        def loss(some: Tensor, random: RandomNumbers) -> Tensor:
            steps = random.integers(self.diffusion_steps, (len(some),), some.device)
            noisy = some + deviations[steps, None] * random.normal_like(some)
            dropped = self.dropout if classifier.training else 0.0
            return bin_loss(classifier.with_dropout(noisy, random, dropped), self._bins_of(steps))

        return self._descend(descent, loss, rows, validation, random)

    def _bins_of(self, steps: Tensor) -> Tensor:
        """Return the bin of each step."""
        return steps * self.bins // self.diffusion_steps

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        odds = self._classifier()(rows)
        return {"time": torch.softmax(odds, 1) @ torch.arange(self.bins, dtype=odds.dtype, device=odds.device)}

    def _row_score(self) -> RowScore:
        return MeanBin(DenseLayers.of(self._classifier().layers))

    def _classifier(self) -> TimeClassifier:
        assert isinstance(self.network_, TimeClassifier)
        return self.network_


def bin_loss(odds: Tensor, bins: Tensor) -> Tensor:
    """Return the mean cross-entropy of log-odds beside the right bins.

    Example:
        >>> bin_loss(torch.tensor([[0.0, 0.0], [0.0, 0.0]]), torch.tensor([0, 1]))  # the logarithm of two
        tensor(0.6931)
    """
    right = bins[:, None] == torch.arange(odds.shape[1], device=odds.device)
    return -torch.where(right, torch.log_softmax(odds, 1), 0.0).sum(1).mean()
