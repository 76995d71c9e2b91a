"""Learned state of detectors with one network: its weights and its learning curve."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Generic, TypeVar

import numpy as np
import torch
from torch import nn

from offnominal.core.device import choose_device
from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.learned_state import LearnedState
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.state_arrays import StateArrays

Network = TypeVar("Network", bound=nn.Module)
COUNTER = "num_batches_tracked"
PREFIX = "network."


class LearnedNetwork(LearnedState, Generic[Network]):
    """Saves and restores the weights of `network_`, which is on a device.

    It comes before the kind of the detector in the list of base classes.
    """

    device: str
    device_: torch.device
    network_: Network

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Restore the arrays of :meth:`state_dict`; raise :class:`InvalidParameter` if the device is missing."""
        choose_device(self.device)
        super().load_state_dict(state)

    def _weights(self) -> dict[str, Array]:
        """Return a copy of the weights as arrays."""
        weights = self.network_.state_dict()
        return {f"{PREFIX}{name}": value.cpu().numpy().copy() for name, value in weights.items()}

    def _restore_network(self, state: StateArrays, build: Callable[[], Network]) -> None:
        """Restore the network on the device, which is chosen already.

        Args:
            state: Arrays of a file.
            build: Returns the network with any weights.

        Raises:
            DamagedFile: The arrays are not the weights of this network.
        """
        weights = state.part(PREFIX)
        require_fitting(weights, build, state.owner)
        with RandomNumbers(0, CPU).weights():
            network = build()
        self.network_ = with_weights(network, weights).to(self.device_)


class NetworkState(LearnedNetwork[Network]):
    """Saves and restores `network_`, and `curve_` if there is one.

    It comes before the kind of the detector in the list of base classes. A detector implements
    :meth:`_network`.
    """

    CURVE: ClassVar[tuple[str | int, ...] | None] = ("epochs", 2)
    """Shape of the learning curve; None if there is none."""

    curve_: FloatArray

    @abstractmethod
    def _network(self) -> Network:
        """Return the network without its learned weights. What all detectors of the kind learn is restored before."""

    def _settle(self) -> None:
        """Prepare the network for scoring."""
        self.network_.eval().requires_grad_(False)

    def _state_dict(self) -> dict[str, Array]:
        curve = {} if self.CURVE is None else {"curve": self.curve_.copy()}
        return curve | self._weights()

    def _load_state_dict(self, state: StateArrays) -> None:
        self.device_ = choose_device(self.device)
        if self.CURVE is not None:
            self.curve_ = state.floats("curve", self.CURVE, empty=True)
        self._restore_network(state, self._network)
        self._settle()


def require_fitting(weights: Mapping[str, Array], build: Callable[[], nn.Module], owner: str) -> None:
    """Raise :class:`DamagedFile` unless arrays are the weights of a network: names, shapes, types, finite numbers.

    The network is built without memory for its weights, so that very large sizes cost nothing.

    Args:
        weights: Arrays by name.
        build: Returns the network.
        owner: Class of the detector, for errors.

    Example:
        >>> require_fitting({"weight": np.zeros((1, 9), np.float32)}, lambda: nn.Linear(10**6, 10**6), "MLPDM")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.DamagedFile: MLPDM with its parameters has 2 arrays of weights; missing or ...
    """
    with torch.device("meta"):
        expected = build().state_dict()
    if weights.keys() != expected.keys():
        apart = sorted(weights.keys() ^ expected.keys())
        raise DamagedFile(
            f"{owner} with its parameters has {len(expected)} arrays of weights; missing or unknown are {_some(apart)}."
        )
    for name, wanted in expected.items():
        given = weights[name]
        kind = str(given.dtype)
        if given.shape != tuple(wanted.shape) or f"torch.{kind}" != str(wanted.dtype):
            raise DamagedFile(
                f"the weights {name} are {kind} of shape {given.shape}; {owner} with its parameters expects "
                f"{str(wanted.dtype).removeprefix('torch.')} of shape {tuple(wanted.shape)}."
            )
        if given.dtype.kind == "f" and not np.isfinite(given).all():
            raise DamagedFile(f"the weights {name} are not all finite; {owner} expects finite numbers.")


def with_weights(network: Network, weights: Mapping[str, Array]) -> Network:
    """Return a network with checked weights.

    Integer arrays are part of the architecture, such as the columns of a layer; they must equal those of the network.
    """
    for name, own in network.state_dict().items():
        fixed = not own.is_floating_point() and not name.endswith(COUNTER)
        if fixed and not np.array_equal(own.cpu().numpy(), weights[name]):
            raise DamagedFile(f"the weights {name} are not those of this network.")
    network.load_state_dict({name: torch.tensor(values) for name, values in weights.items()})
    return network


def _some(names: list[str]) -> str:
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
