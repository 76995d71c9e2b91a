"""What the network detectors share: settings, training, and what is learned."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from offnominal.agents.learning.loop import choose_device
from offnominal.core.checks import positive_integer
from offnominal.core.episode import Episode
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.core.types import Array
from offnominal.detectors.detector import Detector
from offnominal.detectors.networks.rows import Rows, average
from offnominal.detectors.networks.scaling import Scaling
from offnominal.detectors.networks.train import held_out, seeded, train

Network = TypeVar("Network", bound=nn.Module)

CHECKED = 2048


@dataclass(kw_only=True, eq=False)
class NetworkDetector(Detector, Generic[Network]):
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
    def _network(self, observation: int, action: int) -> Network:
        """Return a network with random weights for observations and actions of these widths."""

    @abstractmethod
    def _rows(self, episodes: Sequence[Episode]) -> Rows:
        """Return what the network learns from, scaled and where the network is."""

    @abstractmethod
    def _losses(self, rows: Rows) -> Tensor:
        """Return one loss per row."""

    def _loss(self, rows: Rows) -> Tensor:
        """Return what a gradient step makes smaller."""
        return rows.mean(self._losses(rows))

    def _batches(self, episodes: Sequence[Episode], rows: Rows) -> Callable[[], list[Tensor]]:
        """Return what draws the numbers of the rows of each batch of an epoch."""
        return lambda: rows.shuffled(self.batch)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        self.place_ = choose_device(self.device)
        self.scaling_ = Scaling.of(episodes)
        with seeded(seed, self.place_):
            self.network_ = self._network(*self.widths_).to(self.place_)
            self.curve_ = np.empty((0, 2))
            if self.epochs:
                self._train(*held_out(episodes, validation))
        self._settle()

    def _settle(self) -> None:
        """Make a network whose weights are final ready to score."""
        self.network_.eval()

    def _train(self, episodes: Sequence[Episode], validation: Sequence[Episode]) -> None:
        rows, unseen = self._rows(episodes), self._rows(validation)
        weights = self.network_.parameters()
        self.curve_ = train(
            self.network_,
            torch.optim.AdamW(weights, lr=self.rate, weight_decay=self.weight_decay, fused=True),
            batches=self._batches(episodes, rows),
            loss=lambda index: self._loss(rows.take(index)),
            check=lambda: average(unseen, self._losses, self.batch * 4),
            epochs=self.epochs,
            patience=self.patience,
            clip=self.clip,
            title=f"Training {type(self).__name__}",
        )

    def _tensor(self, values: Array) -> Tensor:
        return torch.from_numpy(np.asarray(values, np.float32)).to(self.place_)

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
            curve, scaling = np.array(learned["curve"], np.float64), Scaling.from_arrays(learned)
            with seeded(0, place):
                network = self._network(observation, action)
            names = [name for name in learned if name.startswith("network.")]
            network.load_state_dict({name.removeprefix("network."): torch.tensor(learned[name]) for name in names})
        except (KeyError, ValueError, RuntimeError) as error:
            raise DamagedFile(
                f"these arrays are not what a {type(self).__name__} with these parameters learns: {error}."
            ) from None
        self.widths_, self.curve_, self.scaling_, self.place_ = (observation, action), curve, scaling, place
        self.network_ = network.to(place)
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
