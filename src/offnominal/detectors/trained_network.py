"""Base class of the detectors with a network: parameters, training, untrained twin, saving."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.types import Array
from offnominal.detectors.detector import Detector
from offnominal.detectors.network_state import LearnedNetwork, Network
from offnominal.detectors.parameters import (
    NOT_NEGATIVE,
    POSITIVE,
    STEPS,
    STEPS_OR_NONE,
    Range,
    check_parameters,
    plain_parameters,
)
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.training import Batch, EarlyStopping, GradientStep, train


class InputScaling(Protocol):
    """Fitted scaling of the inputs of a network."""

    def arrays(self) -> dict[str, Array]:
        """Return the fitted parameters as arrays."""
        ...


Scale = TypeVar("Scale", bound=InputScaling)


@dataclass(kw_only=True, eq=False)
class TrainedNetwork(LearnedNetwork[Network], Detector, Generic[Network, Scale]):
    """A detector whose network is trained on nominal episodes.

    Args:
        n_epochs: Number of epochs at most. Zero keeps the random initial weights: the untrained twin.
        patience: Number of epochs without a smaller validation loss after which training stops.
        batch_size: Rows per update.
        learning_rate: Learning rate of AdamW.
        weight_decay: Weight decay of AdamW.
        max_grad_norm: Largest norm of the gradient; None for no clipping.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "n_epochs": STEPS_OR_NONE,
        "patience": STEPS,
        "batch_size": STEPS,
        "learning_rate": POSITIVE,
        "weight_decay": NOT_NEGATIVE,
        "max_grad_norm": POSITIVE,
    }

    n_epochs: int = 250
    patience: int = 25
    batch_size: int = 128
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    max_grad_norm: float | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        check_parameters(self)

    @abstractmethod
    def _restored_scaling(self, state: StateArrays) -> Scale:
        """Return the scaling from saved arrays."""

    @abstractmethod
    def _network_for(self, widths: tuple[int, int], scaling: Scale) -> Network:
        """Return a network with random weights for observations and actions of these widths and scaling."""

    def _begin(self, scaling: Scale, seed: int) -> RandomNumbers:
        """Make the network with random weights, and return the random numbers of its training."""
        self.device_ = choose_device(self.device)
        self.scaling_ = scaling
        random = RandomNumbers(seed, self.device_)
        with random.weights():
            network = self._network_for(self.widths_, scaling)
        self.network_ = network.to(self.device_)
        self.curve_ = np.empty((0, 2))
        return random

    def _settle(self) -> None:
        """Prepare the network for scoring once its weights are final."""
        self.network_.eval()

    def untrained(self) -> Self:
        """Return the untrained twin: fitted with the same seed, it has the initial weights of the training."""
        return dataclasses.replace(self, n_epochs=0)

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments as plain data."""
        return plain_parameters(self)

    def _state_dict(self) -> dict[str, Array]:
        arrays = {"curve": self.curve_, **self.scaling_.arrays()}
        return {name: array.copy() for name, array in arrays.items()} | self._weights()

    def _load_state_dict(self, state: StateArrays) -> None:
        self.device_ = choose_device(self.device)
        self.curve_ = state.floats("curve", ("n_epochs", 2), empty=True)
        self.scaling_ = self._restored_scaling(state)
        self._restore_network(state, lambda: self._network_for(self.widths_, self.scaling_))
        with deterministic_kernels(self.device_):
            self._settle()

    def _run_training(
        self, batches: Callable[[], Iterable[Batch]], update: Callable[[Batch], Tensor], validate: Callable[[], float]
    ) -> None:
        """Train the network with early stopping, and keep its learning curve.

        Args:
            batches: Returns the batches of one epoch.
            update: Changes the weights with a batch and returns its loss; see :meth:`_gradient_steps`.
            validate: Returns the loss on held-out episodes.
        """
        history = train(
            self.network_,
            update,
            lambda _: batches(),
            n_epochs=self.n_epochs,
            stopping=EarlyStopping(validate, self.patience),
            title=f"Training {type(self).__name__}",
        )
        self.curve_ = history.learning_curve()

    def _gradient_steps(self, loss: Callable[[Batch], Tensor]) -> Callable[[Batch], Tensor]:
        """Return the update of the weights with AdamW.

        Args:
            loss: Returns the training loss of a batch.
        """
        optimizer = torch.optim.AdamW(
            self.network_.parameters(),
            lr=self.learning_rate,
            weight_decay=self.weight_decay,
            fused=True,
            # On a GPU steps may be captured into a graph.
            capturable=self.device_.type == "cuda",
        )
        step = GradientStep(optimizer, max_grad_norm=self.max_grad_norm)
        return lambda batch: step(loss(batch))
