"""What the networks that predict vectors share: how they are trained."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.types import Array
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.training import split_validation
from offnominal.detectors.transitions.scaling import Scaling
from offnominal.detectors.transitions.trained_network import Network, TrainedNetwork
from offnominal.detectors.transitions.training_rows import TrainingRows, average


@dataclass(kw_only=True, eq=False)
class NetworkDetector(TrainedNetwork[Network, Scaling]):
    """A detector whose network predicts how the observation changes.

    Args:
        n_epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch_size: Rows per gradient step.
        learning_rate: Learning rate.
        weight_decay: Of AdamW.
        max_grad_norm: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    @abstractmethod
    def _network(self, observation: int, action: int) -> Network:
        """Return a network with random weights for observations and actions of these widths."""

    @abstractmethod
    def _rows(self, episodes: Sequence[Episode]) -> TrainingRows:
        """Return what the network learns from, scaled and where the network is."""

    @abstractmethod
    def _losses(self, rows: TrainingRows, random: RandomNumbers | None) -> Tensor:
        """Return one loss per row.

        Args:
            rows: To predict.
            random: For what is random about training; None where a loss is only looked at.
        """

    def _loss(self, rows: TrainingRows, random: RandomNumbers) -> Tensor:
        """Return what a gradient step makes smaller."""
        return rows.mean(self._losses(rows, random))

    def _batches(
        self, episodes: Sequence[Episode], rows: TrainingRows, random: RandomNumbers
    ) -> Callable[[], list[Tensor]]:
        """Return what draws the numbers of the rows of each batch of an epoch."""
        return lambda: rows.shuffled(self.batch_size, random)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.device_ = choose_device(self.device)
        self.scaling_ = Scaling.of(episodes)
        random = RandomNumbers(seed, self.device_)
        with random.weights():
            network = self._network(*self.widths_)
        self.network_ = network.to(self.device_)
        self.curve_ = np.empty((0, 2))
        with deterministic_kernels(self.device_):
            if self.n_epochs:
                self._train(*split_validation(episodes, validation, random), random)
            self._settle()

    def _train(self, episodes: Sequence[Episode], validation: Sequence[Episode], random: RandomNumbers) -> None:
        rows, unseen = self._rows(episodes), self._rows(validation)
        self._run_training(
            batches=self._batches(episodes, rows, random),
            loss=lambda index: self._loss(rows.take(index), random),
            validate=lambda: average(unseen, lambda part: self._losses(part, None), self.batch_size * 4),
        )

    def _tensor(self, values: Array) -> Tensor:
        return torch.from_numpy(np.asarray(values, np.float32)).to(self.device_)

    def _units(self, state: StateArrays) -> Scaling:
        return Scaling.restored(state, *self.widths_)

    def _network_for(self, widths: tuple[int, int], units: Scaling) -> Network:
        return self._network(*widths)
