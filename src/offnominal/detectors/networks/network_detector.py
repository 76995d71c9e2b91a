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
from offnominal.detectors.learned_arrays import LearnedArrays
from offnominal.detectors.networks.rows import Rows, average
from offnominal.detectors.networks.scaling import Scaling
from offnominal.detectors.networks.train import held_out, train
from offnominal.detectors.networks.trained_network import Network, TrainedNetwork
from offnominal.detectors.random_numbers import RandomNumbers


@dataclass(kw_only=True, eq=False)
class NetworkDetector(TrainedNetwork[Network, Scaling]):
    """A detector whose network predicts how the observation changes.

    Args:
        epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch: Rows per gradient step.
        rate: Learning rate.
        weight_decay: Of AdamW.
        clip: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    @abstractmethod
    def _network(self, observation: int, action: int) -> Network:
        """Return a network with random weights for observations and actions of these widths."""

    @abstractmethod
    def _rows(self, episodes: Sequence[Episode]) -> Rows:
        """Return what the network learns from, scaled and where the network is."""

    @abstractmethod
    def _losses(self, rows: Rows, random: RandomNumbers | None) -> Tensor:
        """Return one loss per row.

        Args:
            rows: To predict.
            random: For what is random about training; None where a loss is only looked at.
        """

    def _loss(self, rows: Rows, random: RandomNumbers) -> Tensor:
        """Return what a gradient step makes smaller."""
        return rows.mean(self._losses(rows, random))

    def _batches(self, episodes: Sequence[Episode], rows: Rows, random: RandomNumbers) -> Callable[[], list[Tensor]]:
        """Return what draws the numbers of the rows of each batch of an epoch."""
        return lambda: rows.shuffled(self.batch, random)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.place_ = choose_device(self.device)
        self.scaling_ = Scaling.of(episodes)
        random = RandomNumbers(seed, self.place_)
        with random.weights():
            network = self._network(*self.widths_)
        self.network_ = network.to(self.place_)
        self.curve_ = np.empty((0, 2))
        with deterministic_kernels(self.place_):
            if self.epochs:
                self._train(*held_out(episodes, validation, random), random)
            self._settle()

    def _train(self, episodes: Sequence[Episode], validation: Sequence[Episode], random: RandomNumbers) -> None:
        rows, unseen = self._rows(episodes), self._rows(validation)
        weights = self.network_.parameters()
        self.curve_ = train(
            self.network_,
            torch.optim.AdamW(weights, lr=self.rate, weight_decay=self.weight_decay, fused=True),
            batches=self._batches(episodes, rows, random),
            loss=lambda index: self._loss(rows.take(index), random),
            check=lambda: average(unseen, lambda part: self._losses(part, None), self.batch * 4),
            epochs=self.epochs,
            patience=self.patience,
            clip=self.clip,
            title=f"Training {type(self).__name__}",
        )

    def _tensor(self, values: Array) -> Tensor:
        return torch.from_numpy(np.asarray(values, np.float32)).to(self.place_)

    def _units(self, learned: LearnedArrays) -> Scaling:
        return Scaling.restored(learned, *self.widths_)

    def _network_for(self, widths: tuple[int, int], units: Scaling) -> Network:
        return self._network(*widths)
