"""RIQN: a recurrent network predicts quantiles of the next observation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from offnominal.core.types import Array, FloatArray
from offnominal.detectors.detector import Step
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.torch_step import TorchStep
from offnominal.detectors.transitions import losses, scores
from offnominal.detectors.transitions.modules import RecurrentQuantiles
from offnominal.detectors.transitions.recurrent_row import QuantilesRow
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.sequence_network import SequenceNetwork
from offnominal.detectors.transitions.training_rows import TrainingRows


@dataclass(kw_only=True, eq=False)
class RIQN(SequenceNetwork[RecurrentQuantiles]):
    """Continuous ranked probability score of the next observation under its predicted distribution.

    A recurrent implicit quantile network gets the observations so far and predicts, for every channel, the quantile of
    the next change at any level. The score is computed from quantiles at evenly spaced levels and averaged over
    channels, each in units of its nominal change.

    Args:
        recurrent_size: Width of the GRU and of the layers around it.
        n_cosines: Number of cosines that embed a level.
        n_quantiles: Number of random levels per gradient step, and of fixed levels of the score.
        use_actions: Whether the network also gets the actions.
        weight_decay: Weight decay of AdamW; Adam if zero.

    Note:
        :class:`SequenceNetwork` has the other arguments.

    Example:
        >>> import offnominal as off
        >>> episodes = off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 20)
        >>> detector = RIQN(recurrent_size=16, n_epochs=5).fit(episodes)
        >>> detector.score(episodes[:1])[0].shape == (len(episodes[0]),)
        True
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"n_quantiles": Range(1, 10_000)}

    recurrent_size: int = 64
    n_cosines: int = 128
    n_quantiles: int = 8
    use_actions: bool = False
    batch_size: int = 8
    weight_decay: float = 0.0
    max_grad_norm: float | None = 10.0

    def _network(self, observation: int, action: int) -> RecurrentQuantiles:
        inputs = observation + action if self.use_actions else observation
        return RecurrentQuantiles(inputs, observation, recurrent_size=self.recurrent_size, n_cosines=self.n_cosines)

    def _state_width(self) -> int:
        return self.recurrent_size

    def _inputs(self, observations: Array, actions: Array) -> SinglePrecision:
        return self.scaling_.inputs(observations, actions if self.use_actions else None)

    def _of_step(self, step: Step) -> tuple[SinglePrecision, FloatArray]:
        action = step.action if self.use_actions else None
        return self.scaling_.of_step(step.observation, action, step.next_observation)

    @torch.no_grad()
    def _settle(self) -> None:
        super()._settle()
        levels = self._levels()
        self.levels_, self.folded_ = levels.cpu().numpy(), self.network_.folded(levels)
        self.row_ = QuantilesRow.of(self.network_, self.folded_.cpu().numpy())

    def _levels(self, random: RandomNumbers | None = None) -> Tensor:
        """Return one level in each of equal parts of (0, 1): the midpoint, or a random one."""
        within = 0.5 if random is None else random.uniform(self.n_quantiles)
        return (torch.arange(self.n_quantiles, device=self.device_) + within) / self.n_quantiles

    def _losses(self, rows: TrainingRows, random: RandomNumbers | None) -> Tensor:
        levels = self._levels(random)
        predicted, _ = self.network_(rows.inputs, self._zero_state(len(rows)), levels)
        return losses.quantile_huber(predicted, rows.targets, levels)

    def _anomaly_scores(self, inputs: Tensor, changes: FloatArray, state: Tensor) -> tuple[FloatArray, Tensor]:
        predicted, state = self.network_.quantiles(inputs, state, self.folded_)
        return scores.ranked_probability(predicted.cpu().numpy(), self.levels_, changes), state

    def _terms(self, inputs: Tensor, changes: FloatArray, state: Tensor) -> tuple[FloatArray, Tensor]:
        predicted, state = self.network_.quantiles(inputs, state, self.folded_)
        return scores.ranked_probability_terms(predicted.cpu().numpy(), self.levels_, changes), state

    def _torch_inputs(self, step: TorchStep) -> Tensor:
        return self.scaling_.torch_inputs(step.observation, step.action if self.use_actions else None)

    def _torch_scores(self, inputs: Tensor, changes: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        quantiles, state = self.network_.quantiles(inputs, state, self.folded_)
        above = changes[..., None, :] - quantiles.double()
        levels = torch.from_numpy(self.levels_).double()[:, None]
        return 2.0 * (above * (levels - (above < 0).double())).mean(dim=(-1, -2)), state

    def _row_scores(
        self, inputs: SinglePrecision, changes: FloatArray, state: SinglePrecision
    ) -> tuple[FloatArray, SinglePrecision]:
        predicted, state = self.row_(inputs, state)
        above = changes - predicted[0]
        weights = self.levels_[:, None] - (above < 0)
        return np.array([2.0 * np.vdot(above, weights) / above.size]), state
