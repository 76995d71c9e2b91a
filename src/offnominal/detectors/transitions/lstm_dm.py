"""LSTM-DM: prediction error of a recurrent network."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from offnominal.core.types import FloatArray
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.transitions import losses, scores
from offnominal.detectors.transitions.modules import Recurrent
from offnominal.detectors.transitions.recurrent_row import RecurrentRow
from offnominal.detectors.transitions.scaling import SinglePrecision
from offnominal.detectors.transitions.sequence_network import SequenceNetwork
from offnominal.detectors.transitions.training_rows import TrainingRows


@dataclass(kw_only=True, eq=False)
class LSTMDM(SequenceNetwork[Recurrent]):
    """Prediction error of an LSTM for the next observation, given the episode so far.

    The score is that of :class:`MLPDM`. The state of the LSTM is zero at the beginning of every episode.

    Args:
        recurrent_size: Width of the LSTM.
        hidden: Width of the hidden layer after it.

    Note:
        :class:`SequenceNetwork` has the other arguments.

    Example:
        >>> import offnominal as off
        >>> episodes = off.collect("SAP-Goal0-v0", off.expert("SAP-Goal0-v0"), 20)
        >>> detector = LSTMDM(recurrent_size=16, hidden=16, n_epochs=5).fit(episodes)
        >>> detector.score(episodes[:1])[0].shape == (len(episodes[0]),)
        True
    """

    recurrent_size: int = 256
    hidden: int = 128
    batch_size: int = 8
    learning_rate: float = 5e-4

    def _network(self, observation: int, action: int) -> Recurrent:
        return Recurrent(observation + action, observation, recurrent_size=self.recurrent_size, hidden=self.hidden)

    def _state_width(self) -> int:
        return 2 * self.recurrent_size

    def _settle(self) -> None:
        super()._settle()
        self.row_ = RecurrentRow.of(self.network_)

    def _losses(self, rows: TrainingRows, random: RandomNumbers | None) -> Tensor:
        predicted, _ = self.network_(rows.inputs, self._zero_state(len(rows)))
        return losses.squared_error(predicted, rows.targets)

    def _anomaly_scores(self, inputs: Tensor, changes: FloatArray, state: Tensor) -> tuple[FloatArray, Tensor]:
        predicted, state = self.network_(inputs, state)
        return scores.squared_error(predicted.cpu().numpy(), changes), state

    def _terms(self, inputs: Tensor, changes: FloatArray, state: Tensor) -> tuple[FloatArray, Tensor]:
        predicted, state = self.network_(inputs, state)
        return scores.squared_error_terms(predicted.cpu().numpy(), changes), state

    def _torch_scores(self, inputs: Tensor, changes: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        predicted, state = self.network_(inputs, state)
        return losses.squared_error(predicted.double(), changes), state

    def _row_scores(
        self, inputs: SinglePrecision, changes: FloatArray, state: SinglePrecision
    ) -> tuple[FloatArray, SinglePrecision]:
        predicted, state = self.row_(inputs, state)
        return scores.squared_error(predicted, changes), state
