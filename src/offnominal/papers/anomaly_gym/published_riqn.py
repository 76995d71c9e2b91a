"""RIQN with the errors of the public code of Anomaly-Gym, to measure their effect on published results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from offnominal.core.episode import Episode
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import transitions
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.transitions.riqn import RIQN
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.training_rows import TrainingRows


@dataclass(kw_only=True, eq=False)
class PublishedRIQN(RIQN):
    """RIQN as in the public code of Anomaly-Gym.

    Training and scoring do not fit together, so that the score is close to the size of the observation:

    * The network learns from a single episode.
    * The index of a channel is taken for the time: at time c all inputs are the value of channel c, and all outputs are
      compared with its next value.
    * In training, channels are scaled to [0, 1] by their range in that episode; in scoring they are not.
    * The score is the mean absolute difference between the next observation and samples of the output.

    The arguments are those of :class:`~offnominal.detectors.transitions.RIQN`.

    Example:
        >>> import offnominal as off
        >>> episodes = off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 5)
        >>> detector = PublishedRIQN(recurrent_size=16, n_epochs=5).fit(episodes)
        >>> detector.score(episodes[:1])[0].shape == (len(episodes[0]),)
        True
    """

    constant_scale: float = 1e-6
    scale_changes: bool = False

    def _train(self, episodes: Sequence[Episode], validation: Sequence[Episode], random: RandomNumbers) -> None:
        super()._train(episodes[:1], episodes[:1], random)

    def _rows(self, episodes: Sequence[Episode]) -> TrainingRows:
        before, _, after = transitions(episodes)
        inputs, targets = self.scaling_.observation(before), self.scaling_.observation(after)
        low, width = inputs.min(axis=0), np.ptp(inputs, axis=0)
        span = np.where(width > 0, width, 1.0)
        return TrainingRows(
            self._repeated((inputs - low) / span, self.network_.entry.in_features),
            self._repeated((targets - low) / span, inputs.shape[1]),
            torch.ones(inputs.shape, device=self.device_),
        )

    def _repeated(self, rows: FloatArray, columns: int) -> Tensor:
        """Return rows (n, channels) as sequences over channels, the value of each repeated in all columns."""
        return self._tensor(np.repeat(rows[:, :, None], columns, axis=2))

    def _losses(self, rows: TrainingRows, random: RandomNumbers | None) -> Tensor:
        level = torch.full((1,), 0.5, device=self.device_) if random is None else random.uniform(1)
        predicted, _ = self.network_(rows.inputs, self._tensor(self.start(len(rows))), level)
        return functional.smooth_l1_loss(predicted[..., 0, :], rows.targets, reduction="none").mean(dim=-1)

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

    def _row_scores(
        self, inputs: SinglePrecision, changes: FloatArray, state: SinglePrecision
    ) -> tuple[FloatArray, SinglePrecision]:
        predicted, state = self.row_(inputs, state)
        return _distances(predicted, inputs, changes).sum(axis=-1), state


def _distances(samples: Array, inputs: Array, changes: FloatArray) -> FloatArray:
    """Return the mean distance of samples (..., levels, channels) from the next observation, shared by channels."""
    channels = changes.shape[-1]
    actual = inputs[..., :channels].astype(np.float64) + changes
    distances: FloatArray = np.abs(samples - actual[..., None, :]).mean(axis=-2) / channels
    return distances
