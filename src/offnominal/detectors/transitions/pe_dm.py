"""PE-DM: an ensemble of probabilistic networks predicts the next observation."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.transitions import losses, scores
from offnominal.detectors.transitions.ensemble_row import FEW, EnsembleRow, NumpyEnsemble, mixture_row
from offnominal.detectors.transitions.modules import Ensemble
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.training_rows import RowBatch, TrainingRows
from offnominal.detectors.transitions.transition_network import TransitionNetwork

Aggregation = Literal["min", "mean", "likelihood"]

PARTICLES = 1000
SMALL, NARROW = 1e-4, 1e-3
"""Weights of the penalties on log-variances and on the difference of their bounds."""


@dataclass(kw_only=True, eq=False)
class PEDM(TransitionNetwork[Ensemble]):
    """Likelihood or error of the next observation under an ensemble of probabilistic networks.

    Each member predicts a Gaussian over the change of the observation, each channel in units of its nominal change, and
    is trained on its own bootstrap sample of the episodes. Scores are deterministic:

    * ``"likelihood"``: the negative log-likelihood per channel under the mixture of all members.
    * ``"min"``: the smallest mean squared error of 1,000 particles per member, as published, but with the same standard
      normal numbers for every transition and every member.
    * ``"mean"``: the expected mean squared error of a particle, averaged over members.

    Args:
        hidden: Widths of the hidden layers.
        n_members: Number of networks.
        aggregation: Kind of score.
        beta: Power of the predicted variance that weights the likelihood in training. Zero is the published loss; 0.5
            gives more accurate means, which matters for ``"min"`` and ``"mean"``.
        batch_size: Transitions per gradient step and member.

    Note:
        :class:`TransitionNetwork` has the other arguments.

    Example:
        >>> import offnominal as off
        >>> episodes = off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 20)
        >>> detector = PEDM(hidden=(32,), n_epochs=10).fit(episodes)
        >>> detector.score(episodes[:1])[0].shape == (len(episodes[0]),)
        True
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"n_members": Range(1, 10_000), "beta": Range(0, 1)}

    hidden: tuple[int, ...] = (512, 256, 128)
    n_members: int = 5
    aggregation: Aggregation = "likelihood"
    beta: float = 0.0

    def _network(self, observation: int, action: int) -> Ensemble:
        return Ensemble(observation + action, observation, self.hidden, n_members=self.n_members)

    def _settle(self) -> None:
        super()._settle()
        self.row_ = EnsembleRow.of(self.network_)
        self.few_ = NumpyEnsemble.of(self.network_) if self.device_.type == "cpu" else None

    def _losses(self, rows: TrainingRows, random: RandomNumbers | None) -> Tensor:
        mean, log_variance = self.network_(rows.inputs)
        return losses.gaussian(mean, log_variance, rows.targets)

    def _loss(self, rows: TrainingRows, random: RandomNumbers) -> Tensor:
        mean, log_variance = self.network_(rows.inputs)
        fit = rows.mean(losses.gaussian(mean, log_variance, rows.targets, beta=self.beta))
        small: Tensor = log_variance.square().mean()
        narrow = (self.network_.highest - self.network_.lowest).sum() / self.n_members
        return fit + SMALL * small + NARROW * narrow

    def _batches(
        self, episodes: Sequence[Episode], rows: TrainingRows, random: RandomNumbers
    ) -> Callable[[], list[RowBatch]]:
        size = self._rows_per_step(episodes)
        known = [bootstrap([len(episode) for episode in episodes], random) for _ in range(self.n_members)]

        def draw() -> list[RowBatch]:
            every = torch.arange(len(rows))
            shuffled = [own[random.permutation(len(own))[every % len(own)]] for own in known]
            indices = torch.stack(shuffled).to(self.device_)
            return [RowBatch(index) for index in torch.split(indices, size, dim=1)]

        return draw

    def _anomaly_scores(self, inputs: Tensor, changes: FloatArray) -> FloatArray:
        return self._aggregated(*self._predicted(inputs), changes)

    def _row_scores(self, inputs: SinglePrecision, changes: FloatArray) -> FloatArray:
        mean, log_variance = self.row_(inputs)
        if self.aggregation == "likelihood":
            return np.array([mixture_row(mean[:, 0], log_variance[:, 0], changes[0])])
        return self._aggregated(mean, log_variance, changes)

    def _aggregated(self, mean: Array, log_variance: Array, changes: FloatArray) -> FloatArray:
        """Return the scores from mean and log-variance, (members, rows, channels)."""
        if self.aggregation == "min":
            particles = scores.particles(changes.shape[-1], PARTICLES)
            nearest: FloatArray = scores.nearest_error(mean, log_variance, changes, particles).min(axis=0)
            return nearest
        if self.aggregation == "mean":
            average: FloatArray = scores.expected_error(mean, log_variance, changes).mean(axis=0)
            return average
        return scores.mixture(mean, log_variance, changes)

    def _terms(self, inputs: Tensor, changes: FloatArray) -> FloatArray:
        mean, log_variance = self._predicted(inputs)
        if self.aggregation == "min":
            particles = scores.particles(changes.shape[-1], PARTICLES)
            return scores.nearest_error_terms(mean, log_variance, changes, particles)
        if self.aggregation == "mean":
            average: FloatArray = scores.expected_error_terms(mean, log_variance, changes).mean(axis=0)
            return average
        return scores.mixture_terms(mean, log_variance, changes)

    def _torch_scores(self, inputs: Tensor, changes: Tensor) -> Tensor:
        mean, log_variance = _double(self.network_(inputs))
        error, variance = changes - mean, log_variance.exp()
        if self.aggregation == "mean":
            return (error.square() + variance).mean(-1).mean(0)
        if self.aggregation == "min":
            particles = torch.from_numpy(scores.particles(changes.shape[-1], PARTICLES)).to(changes.device)
            cross = (-2.0 * error * variance.sqrt()) @ particles + variance @ particles.square()
            nearest = error.square().mean(-1) + cross.amin(-1) / changes.shape[-1]
            return nearest.clamp(min=0.0).amin(0)
        each = -0.5 * (scores.LOG_2PI + log_variance + error.square() / variance).sum(-1)
        return (math.log(self.n_members) - each.logsumexp(0)) / changes.shape[-1]

    def _predicted(self, inputs: Tensor) -> tuple[Array, Array]:
        if self.few_ is not None and len(inputs) <= FEW:
            return self.few_(inputs.numpy())
        mean, log_variance = self.network_(inputs)
        return mean.cpu().numpy(), log_variance.cpu().numpy()


def _double(parts: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return parts[0].double(), parts[1].double()


def bootstrap(lengths: Sequence[int], random: RandomNumbers) -> Tensor:
    """Return the indices of the transitions of as many episodes, drawn with replacement."""
    ends = torch.tensor(lengths).cumsum(0)
    chosen = random.integers(len(lengths), (len(lengths),)).tolist()
    return torch.cat([torch.arange(int(ends[number]) - lengths[number], int(ends[number])) for number in chosen])
