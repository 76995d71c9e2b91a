"""RIQN with the errors of the public code of Anomaly-Gym, to measure their effect on published results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.progress_bar import progress
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.training import GradientStep
from offnominal.detectors.transitions.modules import RecurrentQuantiles
from offnominal.detectors.transitions.riqn import RIQN
from offnominal.detectors.transitions.scaling import SinglePrecision

TRAINED = 0.9
"""Share of the rows that the network is trained on; the others are only tested."""
LATE = 0.505
"""Mean weight of an error below the sampled value, over 100 levels from 0; that of one above is the rest to 1."""


class PublishedQuantiles(RecurrentQuantiles):
    """The network of the public code: with a ReLU before the GRU, and weights by Glorot and Bengio (2010)."""

    def __init__(self, inputs: int, outputs: int, *, recurrent_size: int, n_cosines: int) -> None:
        super().__init__(inputs, outputs, recurrent_size=recurrent_size, n_cosines=n_cosines)
        for layer in (self.entry, self.residual, self.embedding, self.exit):
            nn.init.xavier_uniform_(layer.weight)

    def sampled(self, inputs: Tensor, state: Tensor, levels: Tensor) -> tuple[Tensor, Tensor]:
        """Return one sample (n, outputs) per row, each at its own level, and the next state."""
        values, state = self._remembering(self.entry(inputs)[:, None], state)
        features = values[:, 0] + torch.relu(self.residual(values[:, 0]))
        return self.exit(features * self._embedded(levels)), state

    def _remembering(self, inputs: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        return super()._remembering(torch.relu(inputs), state)


@dataclass(kw_only=True, eq=False)
class PublishedRIQN(RIQN):
    """RIQN as in the public code of Anomaly-Gym.

    Training and scoring do not fit together, so that the score is close to the size of the observation:

    * The network learns from a single random episode, to which zeros are appended up to the longest one.
    * The index of a channel is taken for the time: at time c all inputs are the value of channel c, or what the network
      has predicted, and all outputs are compared with its next value. Each time is a gradient step of its own.
    * In training, channels are scaled to [0, 1] by their range in that episode; in scoring they are not.
    * The weights of the last epoch are used.
    * The score is the mean absolute difference between the next observation and samples of the output.

    The arguments are those of :class:`~offnominal.detectors.transitions.RIQN`; `batch_size` counts rows, and `patience`
    has no effect.

    Example:
        >>> import offnominal as off
        >>> episodes = off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 5)
        >>> detector = PublishedRIQN(recurrent_size=16, n_epochs=5).fit(episodes)
        >>> detector.score(episodes[:1])[0].shape == (len(episodes[0]),)
        True
    """

    constant_scale: float = 1e-6
    scale_changes: bool = False
    batch_size: int = 128

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.use_actions:
            raise InvalidParameter("use_actions is True, but RIQN of the public code gets no actions; take RIQN.")

    def _network(self, observation: int, action: int) -> PublishedQuantiles:
        return PublishedQuantiles(
            observation, observation, recurrent_size=self.recurrent_size, n_cosines=self.n_cosines
        )

    def _train(self, episodes: Sequence[Episode], validation: Sequence[Episode], random: RandomNumbers) -> None:
        chosen = int(random.integers(len(episodes), (1,)))
        states, targets = self._scaled(episodes[chosen], max(map(len, episodes)))
        order = random.permutation(len(states), self.device_)
        trained, tested = order.tensor_split([int(TRAINED * len(states))])
        step = GradientStep(
            torch.optim.Adam(self.network_.parameters(), lr=self.learning_rate), max_grad_norm=self.max_grad_norm
        )
        curve = []
        self.network_.train()
        with progress(f"Training {type(self).__name__}", total=self.n_epochs) as tick:
            for epoch in range(self.n_epochs):
                truth = 1.0 - 0.5 * epoch / self.n_epochs
                shuffled = trained[random.permutation(len(trained), self.device_)]
                parts = [
                    self._run_through(states[rows], targets[rows], truth, random, step)
                    for rows in torch.split(shuffled, self.batch_size)
                ]
                with torch.no_grad():
                    held_out = self._run_through(states[tested], targets[tested], truth, random, None)
                curve.append((float(np.mean(parts)), held_out))
                tick(note=f"{held_out:.4g}")
        self.network_.eval()
        self.curve_ = np.array(curve)

    def _scaled(self, episode: Episode, longest: int) -> tuple[Tensor, Tensor]:
        """Return states and next states (longest, channels), scaled by their range."""
        observations = self.scaling_.observation(np.asarray(episode.observations).reshape(len(episode) + 1, -1))
        rows = np.zeros((longest + 1, observations.shape[1]), np.float32)
        rows[: len(observations)] = observations
        low, width = rows[:-1].min(axis=0), np.ptp(rows[:-1], axis=0)
        scaled = np.where(width > 0, (rows - low) / np.where(width > 0, width, 1.0), low)
        return self._tensor(scaled[:-1]), self._tensor(scaled[1:])

    def _run_through(
        self, states: Tensor, targets: Tensor, truth: float, random: RandomNumbers, step: GradientStep | None
    ) -> float:
        """Take one gradient step per channel, or none, and return the mean loss."""
        network, memory = self.network_, self._tensor(self.start(len(states)))
        assert isinstance(network, PublishedQuantiles)
        predicted, losses = None, []
        for channel in range(states.shape[1]):
            given = states[:, channel, None].expand(-1, network.entry.in_features)
            if predicted is not None and float(random.uniform(1)) > truth:
                given = predicted.detach()
            predicted, memory = network.sampled(given, memory.detach(), random.uniform(len(states)))
            loss = _weighted_loss(predicted, targets[:, channel, None].expand_as(predicted))
            losses.append(loss.detach() if step is None else step(loss))
        return float(torch.stack(losses).mean())

    def _anomaly_scores(self, inputs: Tensor, changes: FloatArray, state: Tensor) -> tuple[FloatArray, Tensor]:
        terms, state = self._terms(inputs, changes, state)
        return terms.sum(axis=-1), state

    def _terms(self, inputs: Tensor, changes: FloatArray, state: Tensor) -> tuple[FloatArray, Tensor]:
        predicted, state = self.network_.quantiles(inputs, state, self.folded_)
        return _distances(predicted.cpu().numpy(), inputs.cpu().numpy(), changes), state

    def _torch_scores(self, inputs: Tensor, changes: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        samples, state = self.network_.quantiles(inputs, state, self.folded_)
        actual = inputs[..., : changes.shape[-1]].double() + changes
        return (samples.double() - actual[..., None, :]).abs().mean(dim=(-1, -2)), state

    @torch.inference_mode()
    def _row_scores(
        self, inputs: SinglePrecision, changes: FloatArray, state: SinglePrecision
    ) -> tuple[FloatArray, SinglePrecision]:
        terms, after = self._terms(self._tensor(inputs)[:, None], changes[:, None], self._tensor(state))
        return terms.sum(axis=(-1, -2)), after.cpu().numpy()


def _weighted_loss(predicted: Tensor, target: Tensor) -> Tensor:
    """Return the Huber loss with the weights of all levels, not with that of the level of each sample."""
    losses = functional.smooth_l1_loss(predicted, target, reduction="none")
    return (losses * torch.where(target < predicted, LATE, 1.0 - LATE)).mean()


def _distances(samples: Array, inputs: Array, changes: FloatArray) -> FloatArray:
    """Return the mean distance of samples (..., levels, channels) from the next observation, shared by channels."""
    channels = changes.shape[-1]
    actual = inputs[..., :channels].astype(np.float64) + changes
    distances: FloatArray = np.abs(samples - actual[..., None, :]).mean(axis=-2) / channels
    return distances
