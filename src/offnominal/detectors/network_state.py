"""Learned state of detectors with one network: its weights and its learning curve."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import nn

from offnominal.core.device import choose_device
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.learned_state import LearnedState
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.weights import require_fitting, with_weights


class NetworkState(LearnedState):
    """Saves and restores `network_`, and `curve_` if there is one.

    It comes before the kind of the detector in the list of base classes. A detector implements
    :meth:`_network`.
    """

    CURVE: ClassVar[tuple[str | int, ...] | None] = ("epochs", 2)
    """Shape of the learning curve; None if there is none."""

    device: str
    device_: torch.device
    network_: Any
    curve_: FloatArray

    @abstractmethod
    def _network(self) -> nn.Module:
        """Return the network without its learned weights. What all detectors of the kind learn is restored before."""

    def _settle(self) -> None:
        """Prepare the network for scoring."""
        self.network_.eval().requires_grad_(False)

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Restore the arrays of :meth:`state_dict`; raise :class:`InvalidParameter` if the device is missing."""
        choose_device(self.device)
        super().load_state_dict(state)

    def _state_dict(self) -> dict[str, Array]:
        curve = {} if self.CURVE is None else {"curve": self.curve_}
        weights = {f"network.{name}": value.cpu().numpy() for name, value in self.network_.state_dict().items()}
        return {name: array.copy() for name, array in {**curve, **weights}.items()}

    def _load_state_dict(self, state: StateArrays) -> None:
        self.device_ = choose_device(self.device)
        if self.CURVE is not None:
            self.curve_ = state.floats("curve", self.CURVE, empty=True)
        weights = state.part("network.")
        require_fitting(weights, self._network, state.owner)
        with RandomNumbers(0, CPU).weights():
            network = self._network()
        self.network_ = with_weights(network, weights).to(self.device_)
        self._settle()
