"""MLP-DM: a perceptron predicts the next observation; the error is the score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from offnominal.core.types import FloatArray
from offnominal.detectors.parameters import SHARE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.transitions import losses, scores
from offnominal.detectors.transitions.modules import Perceptron
from offnominal.detectors.transitions.training_rows import TrainingRows
from offnominal.detectors.transitions.transition_network import TransitionNetwork


@dataclass(kw_only=True, eq=False)
class MLPDM(TransitionNetwork[Perceptron]):
    """How far the next observation is from what a perceptron predicts.

    The score is the mean over channels of the squared error of the change, each channel in units of its own nominal
    change: 1 is as wrong as predicting the mean change would be.

    Args:
        hidden: Widths of the hidden layers.
        dropout: Share of the first layer left out while training.
        n_epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch_size: Transitions per gradient step.
        learning_rate: Learning rate.
        weight_decay: Of AdamW.
        max_grad_norm: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.

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

    def _losses(self, rows: TrainingRows, random: RandomNumbers | None) -> Tensor:
        return losses.squared_error(self.network_(rows.inputs, random), rows.targets)

    def _anomaly_scores(self, inputs: Tensor, changes: FloatArray) -> FloatArray:
        return scores.squared_error(self.network_(inputs).cpu().numpy(), changes)
