"""MLP-DM: prediction error of a multilayer perceptron."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from offnominal.core.types import FloatArray
from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.parameters import SHARE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.transitions import losses, scores
from offnominal.detectors.transitions.modules import Perceptron
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.training_rows import TrainingRows
from offnominal.detectors.transitions.transition_network import TransitionNetwork


@dataclass(kw_only=True, eq=False)
class MLPDM(TransitionNetwork[Perceptron]):
    """Prediction error of a multilayer perceptron for the next observation.

    The score is the mean over channels of the squared error of the change, each channel in units of its nominal change:
    1 is the error of predicting the mean change.

    Args:
        hidden: Widths of the hidden layers.
        dropout: Dropout probability of the first layer.

    Note:
        :class:`TransitionNetwork` has the other arguments.

    Example:
        >>> import offnominal as off
        >>> episodes = off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 20)
        >>> detector = MLPDM(hidden=(32,), n_epochs=10).fit(episodes)
        >>> detector.score(episodes[:1])[0].shape == (len(episodes[0]),)
        True
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"dropout": SHARE}

    hidden: tuple[int, ...] = (512, 256, 128)
    dropout: float = 0.1

    def _network(self, observation: int, action: int) -> Perceptron:
        return Perceptron(observation + action, observation, self.hidden, dropout=self.dropout)

    def _settle(self) -> None:
        super()._settle()
        self.layers_ = DenseLayers.of(self.network_.layers)

    def _losses(self, rows: TrainingRows, random: RandomNumbers | None) -> Tensor:
        return losses.squared_error(self.network_(rows.inputs, random), rows.targets)

    def _anomaly_scores(self, inputs: Tensor, changes: FloatArray) -> FloatArray:
        return scores.squared_error(self.network_(inputs).cpu().numpy(), changes)

    def _terms(self, inputs: Tensor, changes: FloatArray) -> FloatArray:
        return scores.squared_error_terms(self.network_(inputs).cpu().numpy(), changes)

    def _torch_scores(self, inputs: Tensor, changes: Tensor) -> Tensor:
        return losses.squared_error(self.network_(inputs).double(), changes)

    def _row_scores(self, inputs: SinglePrecision, changes: FloatArray) -> FloatArray:
        return scores.squared_error(self.layers_(inputs), changes)
