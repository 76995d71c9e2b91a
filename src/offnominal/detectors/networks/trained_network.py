"""What every detector with a network shares: settings, its untrained twin, and what is kept of it."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import torch
from torch import nn

from offnominal.core.checks import positive_integer
from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.types import Array
from offnominal.detectors.detector import Detector
from offnominal.detectors.random_numbers import CPU, RandomNumbers


class Units(Protocol):
    """What brings signals into the units of a network."""

    def arrays(self) -> dict[str, Array]:
        """Return what was learned."""
        ...


Network = TypeVar("Network", bound=nn.Module)
Scale = TypeVar("Scale", bound=Units)


@dataclass(kw_only=True, eq=False)
class TrainedNetwork(Detector, Generic[Network, Scale]):
    """A detector whose network is trained on nominal episodes.

    Args:
        epochs: Passes over the episodes at most. Zero leaves the random weights: the untrained twin.
        patience: Epochs without progress on unseen episodes after which training stops.
        batch: Rows per gradient step.
        rate: Learning rate.
        weight_decay: Of AdamW.
        clip: Largest norm of a gradient; None for any.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    epochs: int = 250
    patience: int = 25
    batch: int = 128
    rate: float = 1e-3
    weight_decay: float = 1e-4
    clip: float | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        for name in ("patience", "batch"):
            positive_integer(name, getattr(self, name))
        if self.epochs != 0:
            positive_integer("epochs", self.epochs)
        positive_number("rate", self.rate)
        if self.weight_decay != 0:
            positive_number("weight_decay", self.weight_decay)
        if self.clip is not None:
            positive_number("clip", self.clip)

    @abstractmethod
    def _units(self, learned: Mapping[str, Array]) -> Scale:
        """Return the units that these arrays describe."""

    @abstractmethod
    def _network_for(self, widths: tuple[int, int], units: Scale) -> Network:
        """Return a network with random weights for observations and actions of these widths and units."""

    def _settle(self) -> None:
        """Make a network whose weights are final ready to score."""
        self.network_.eval()

    def untrained(self) -> Self:
        """Return its untrained twin: fitted with the same seed, it has the weights that training starts from."""
        return dataclasses.replace(self, epochs=0)

    def parameters(self) -> dict[str, Any]:
        """Return the arguments it was built with, as plain data."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def learned(self) -> dict[str, Array]:
        """Return everything that was learned."""
        self._require_fitted()
        weights = {f"network.{name}": value.cpu().numpy() for name, value in self.network_.state_dict().items()}
        widths = np.array(self.widths_, np.float64)
        arrays = {"widths": widths, "curve": self.curve_, **self.scaling_.arrays(), **weights}
        return {name: array.copy() for name, array in arrays.items()}

    def restore(self, learned: Mapping[str, Array]) -> None:
        """Become what learned this."""
        place = choose_device(self.device)
        try:
            observation, action = (int(width) for width in learned["widths"])
            curve, scaling = np.array(learned["curve"], np.float64), self._units(learned)
            with RandomNumbers(0, CPU).weights():
                network = self._network_for((observation, action), scaling)
            names = [name for name in learned if name.startswith("network.")]
            network.load_state_dict({name.removeprefix("network."): torch.tensor(learned[name]) for name in names})
        except (KeyError, ValueError, RuntimeError) as error:
            raise DamagedFile(
                f"these arrays are not what a {type(self).__name__} with these parameters learns: {error}."
            ) from None
        self.widths_, self.curve_, self.scaling_, self.place_ = (observation, action), curve, scaling, place
        self.network_ = network.to(place)
        with deterministic_kernels(place):
            self._settle()


def positive_number(name: str, value: float) -> None:
    """Raise :class:`InvalidParameter` unless the value is a positive number."""
    if not isinstance(value, int | float) or not value > 0:
        raise InvalidParameter(f"{name} is {value!r}; expected a positive number.")


def positive_integers(name: str, values: Sequence[int]) -> None:
    """Raise :class:`InvalidParameter` unless the values are at least one positive integer."""
    if not values:
        raise InvalidParameter(f"{name} is empty; give at least one width.")
    for value in values:
        positive_integer(f"a width of {name}", value)
