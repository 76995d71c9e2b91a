"""Base class of the detectors whose network predicts vector observations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array
from offnominal.detectors.network_state import Network
from offnominal.detectors.normaliser import CONSTANT
from offnominal.detectors.parameters import Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.trained_network import TrainedNetwork
from offnominal.detectors.training import split_validation
from offnominal.detectors.transitions.scaling import Scaling
from offnominal.detectors.transitions.training_rows import RowBatch, TrainingRows, mean_loss, replayed_on_gpu


@dataclass(kw_only=True, eq=False)
class NetworkDetector(TrainedNetwork[Network, Scaling]):
    """A detector whose network predicts the change of the observation.

    Args:
        constant_scale: Divisor of observation channels that are constant in the nominal data. 1 keeps their raw unit.
            The public code of Anomaly-Gym divides them by 1e-6, so that any change of them is huge.
        scale_changes: Whether an error is in units of the nominal change of its channel; otherwise of the channel's
            deviation, as published.

    Note:
        :class:`TrainedNetwork` has the other arguments.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {"constant_scale": Range(CONSTANT, 1e6)}

    constant_scale: float = 1.0
    scale_changes: bool = True

    @abstractmethod
    def _network(self, observation: int, action: int) -> Network:
        """Return a network with random weights for observations and actions of these widths."""

    @abstractmethod
    def _rows(self, episodes: Sequence[Episode]) -> TrainingRows:
        """Return the scaled inputs and targets of episodes, on the device of the network."""

    @abstractmethod
    def _losses(self, rows: TrainingRows, random: RandomNumbers | None) -> Tensor:
        """Return one loss per row.

        Args:
            rows: Inputs and targets.
            random: Source of the noise of training; None in validation.
        """

    def _loss(self, rows: TrainingRows, random: RandomNumbers) -> Tensor:
        """Return the training loss of a batch."""
        return rows.mean(self._losses(rows, random))

    def _batches(
        self, episodes: Sequence[Episode], rows: TrainingRows, random: RandomNumbers
    ) -> Callable[[], list[RowBatch]]:
        """Return a function that draws the batches of one epoch."""
        return lambda: rows.shuffled(self.batch_size, random)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        if not self.widths_[0]:
            raise InvalidParameter(f"{self.name} predicts observations; the episodes have none, only actions.")
        scaling = Scaling.of(episodes, constant_scale=self.constant_scale, scale_changes=self.scale_changes)
        random = self._begin(scaling, seed)
        with deterministic_kernels(self.device_):
            if self.n_epochs:
                self._train(*split_validation(episodes, validation, random), random)
            self._settle()

    def _train(self, episodes: Sequence[Episode], validation: Sequence[Episode], random: RandomNumbers) -> None:
        rows, held_out = self._rows(episodes), self._rows(validation)
        self._run_training(
            batches=self._batches(episodes, rows, random),
            update=replayed_on_gpu(self._gradient_steps(lambda batch: self._loss(rows.take(batch), random)), random),
            validate=lambda: mean_loss(held_out, lambda part: self._losses(part, None), self.batch_size * 4),
        )

    def _tensor(self, values: Array) -> Tensor:
        return torch.from_numpy(np.asarray(values, np.float32)).to(self.device_)

    def _restored_scaling(self, state: StateArrays) -> Scaling:
        return Scaling.restored(state, *self.widths_)

    def _network_for(self, widths: tuple[int, int], scaling: Scaling) -> Network:
        return self._network(*widths)
