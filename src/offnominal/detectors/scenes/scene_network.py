"""Base class of the scene detectors with a network: training, saving, scoring one frame at a time."""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.detectors.network_state import Network, NetworkState
from offnominal.detectors.parameters import NOT_NEGATIVE, POSITIVE, STEPS, STEPS_OR_NONE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.scenes.scene_detector import NormalScenes, Scene, SceneDetector
from offnominal.detectors.training import EarlyStopping, GradientStep, train

Batch = TypeVar("Batch")
WARM_UP = 0.1
"""Share of the training during which the learning rate rises."""
VALIDATIONS = 40
"""Number of validations during a training."""
LEAST_UPDATES = 8
"""Least number of updates between two validations."""


@dataclass(frozen=True, eq=False)
class Validated:
    """State of a training after a validation.

    Args:
        detector: The detector with the weights of this moment; it can be saved.
        n_updates: Number of updates.
        seconds: Time since the first update.
        loss: Validation loss.
        best: Whether no earlier validation loss was smaller.
    """

    detector: SceneDetector
    n_updates: int
    seconds: float
    loss: float
    best: bool


@dataclass(kw_only=True, eq=False)
class SceneNetwork(NetworkState[Network], SceneDetector):
    """A scene detector whose network is trained with the semantic labels of normal scenes.

    Args:
        n_steps: Number of updates at most. Zero keeps the random initial weights.
        batch_size: Frames per update.
        learning_rate: Largest learning rate of AdamW; it rises during a tenth of the updates and falls along a cosine.
        weight_decay: Weight decay of AdamW.
        patience: Number of validations without a smaller loss after which training stops; there are 40 in a training.
        max_minutes: Limit in minutes; the learning rate then falls with the time. The result depends on the machine.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "n_steps": STEPS_OR_NONE,
        "batch_size": STEPS,
        "learning_rate": POSITIVE,
        "weight_decay": NOT_NEGATIVE,
        "patience": STEPS,
        "max_minutes": POSITIVE,
    }

    n_steps: int = 20_000
    batch_size: int = 8
    learning_rate: float = 1e-3
    weight_decay: float = 1e-4
    patience: int = 40
    max_minutes: float | None = None
    device: str = "auto"

    @abstractmethod
    def _network(self) -> Network:
        """Return the network with random weights."""

    @abstractmethod
    def _batches(
        self, scenes: NormalScenes, random: RandomNumbers, seed: int
    ) -> tuple[Callable[[], Any], Callable[[], float]]:
        """Read the scenes; return a function that draws the loss of a training batch, and one that validates."""

    def fit_reported(self, scenes: Sequence[Scene], report: Callable[[Validated], None], *, seed: int = 0) -> Self:
        """Fit, and call a function after each validation; see :meth:`fit`.

        Args:
            scenes: Normal scenes.
            report: Function that gets the number of updates, the losses and the detector as it is at that moment.
            seed: Of all random numbers of the training.
        """
        self._report = report
        try:
            return self.fit(scenes, seed=seed)
        finally:
            vars(self).pop("_report", None)

    def _fit(self, scenes: NormalScenes, seed: int) -> None:
        self.device_ = choose_device(self.device)
        random = RandomNumbers(seed, self.device_)
        with random.weights():
            self.network_ = self._network()
        self.network_.to(self.device_)
        loss, validate = self._batches(scenes, random, seed)
        self.n_frames_ = scenes.n_frames
        self.curve_ = np.empty((0, 2))
        if self.n_steps:
            self._train(loss, validate)
        self._settle()

    def _train(self, loss: Callable[[], Tensor], validate: Callable[[], float]) -> None:
        weights = self.network_.parameters()
        optimizer = torch.optim.AdamW(weights, lr=self.learning_rate, weight_decay=self.weight_decay)
        every = min(self.n_steps, max(LEAST_UPDATES, self.n_steps // VALIDATIONS))
        n_epochs = self.n_steps // every
        began, limit = time.monotonic(), math.inf if self.max_minutes is None else 60.0 * self.max_minutes
        report = vars(self).get("_report")
        best, n_updates = math.inf, 0

        def rate(updates: int) -> float:
            return learning_rate_factor(max(updates / (n_epochs * every), (time.monotonic() - began) / limit))

        step = GradientStep(optimizer, max_grad_norm=1.0, schedule=torch.optim.lr_scheduler.LambdaLR(optimizer, rate))

        def updates(epoch: int) -> Iterator[None]:
            nonlocal n_updates
            until = time.monotonic() + limit / VALIDATIONS
            for _ in range(every):
                n_updates += 1
                yield None
                if time.monotonic() > until:
                    return

        def validated() -> float:
            nonlocal best
            found = validate()
            if report is not None:
                report(Validated(copy(self), n_updates, time.monotonic() - began, found, found < best))
            best = min(best, found)
            return found

        with deterministic_kernels(self.device_):
            history = train(
                self.network_,
                lambda _: step(loss()),
                updates,
                n_epochs=n_epochs,
                stopping=EarlyStopping(validated, self.patience, stop_if_diverged=True),
                max_seconds=None if self.max_minutes is None else 60.0 * self.max_minutes,
                title=f"Training {self.name}",
            )
        self.n_updates_ = history.n_updates
        if history.training_losses:
            n = len(history.training_losses)
            self.curve_ = np.column_stack([history.training_curve(), history.validation_losses[1 : n + 1]])

    @torch.inference_mode()
    def _output(self, inputs: Tensor) -> Tensor:
        """Return the output of the network for one frame."""
        with deterministic_kernels(self.device_):
            found: Tensor = self.network_(inputs[None].to(self.device_))[0]
        return found


def learning_rate_factor(progress: float) -> float:
    """Return the learning rate relative to the largest one: it rises during a tenth and falls along a cosine.

    Example:
        >>> [round(learning_rate_factor(progress), 2) for progress in (0.0, 0.1, 0.55, 1.0)]
        [0.04, 1.0, 0.5, 0.0]
    """
    if progress < WARM_UP:
        return max(progress / WARM_UP, 1.0 / 25.0)
    return 0.5 * (1.0 + math.cos(math.pi * min(1.0, (progress - WARM_UP) / (1.0 - WARM_UP))))


def held_out_indices(n_scenes: int) -> list[int]:
    """Return the scenes for validation: every tenth, the last one of each ten; a single scene is used for both."""
    return [number for number in range(n_scenes) if number % 10 == 9] or [n_scenes - 1]
