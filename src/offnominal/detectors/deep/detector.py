"""What every deep point detector shares: settings, checks of its rows, several scores, and what is kept of it."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted, did_you_mean
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.deep.descent import release
from offnominal.detectors.deep.products import plain_products
from offnominal.detectors.deep.rows import Shape, apart, checked, in_words, readable
from offnominal.detectors.deep.training import Budget, Training, train
from offnominal.detectors.learned_arrays import LearnedArrays
from offnominal.detectors.networks.weights import require_fitting, with_weights
from offnominal.detectors.parameters import LAYERS, POSITIVE, STEPS, STEPS_OR_NONE, Range, check_parameters
from offnominal.detectors.points.point import PointDetector
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.readings import MAX_SCORE, bounded

TOGETHER = 1024
"""Rows that go through a network at a time when they are scored."""


@dataclass(kw_only=True, eq=False)
class DeepDetector(PointDetector):
    """A point detector whose network is trained on normal rows.

    Rows are a table (n, columns), whose columns should be of similar size, such as zero mean and unit deviation; or
    images (n, channels, height, width) with values from 0 to 1, for which the network is convolutional.

    Args:
        by: Which of :attr:`SCORES` :meth:`score` returns; empty for the first.
        rate: Learning rate.
        batch: Rows per gradient step.
        iterations: Gradient steps at most. Zero leaves the random weights: the untrained twin.
        every: Steps between two looks at rows kept apart.
        patience: Looks without progress after which training stops.
        seconds: Wall-clock limit of a training, of each where there are two; None for none.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    SCORES: ClassVar[tuple[str, ...]] = ()
    stops_early: ClassVar[bool] = True
    KINDS: ClassVar[tuple[int, ...]] = (2, 4)
    """Axes of the rows it can take: 2 for tables, 4 for images."""

    RANGES: ClassVar[Mapping[str, Range]] = {
        "rate": POSITIVE,
        "batch": STEPS,
        "iterations": STEPS_OR_NONE,
        "every": STEPS,
        "patience": STEPS,
        "seconds": POSITIVE,
        "pretraining": STEPS,
        "stop_epochs": STEPS,
        "layers": LAYERS,
        "flows": LAYERS,
        "generators": LAYERS,
        "samples": Range(1, 100_000),
    }

    by: str = ""
    rate: float = 1e-3
    batch: int = 64
    iterations: int = 10_000
    every: int = 10
    patience: int = 200
    seconds: float | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        check_parameters(self)
        self.by = self.by or self.SCORES[0]
        self._named(self.by)

    @abstractmethod
    def _network(self, shape: Shape) -> nn.Module:
        """Return a network with random weights for rows of this shape."""

    @abstractmethod
    def _train(self, rows: Tensor, unseen: Tensor, random: RandomNumbers) -> Training:
        """Train the network, which is where the rows are."""

    @abstractmethod
    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        """Return one number per row for each of these scores."""

    def fit(self, rows: Array, *, validation: Array | None = None, seed: int = 0) -> Self:
        """Learn what is normal.

        Args:
            rows: Normal rows.
            validation: Other normal rows, which say when to stop; None keeps a random tenth of the rows apart.
            seed: Of the random weights, batches and noise.
        """
        values = self._checked(rows)
        if len(values) < 2:
            raise InvalidParameter(f"{type(self).__name__} got one row; give at least two to learn from.")
        self.shape_: Shape = values.shape[1:]
        unseen = None if validation is None else self._alike(validation)
        self.place_ = choose_device(self.device)
        random = RandomNumbers(check_seed(seed), self.place_)
        self.network_ = self._built(self.shape_, random).to(self.place_)
        with deterministic_kernels(self.place_), self._products():
            known, rest = (part.to(self.place_) for part in apart(values, unseen, random))
            self.training_ = self._train(known, rest, random) if self.iterations else Training()
        release(self.network_)
        self.network_.eval()
        self.width_ = int(np.prod(self.shape_))
        return self

    def _built(self, shape: Shape, random: RandomNumbers) -> nn.Module:
        with random.weights():
            return self._network(shape)

    def _fit(self, rows: FloatArray, seed: int) -> None:
        self.fit(rows, seed=seed)

    def score(self, rows: Array) -> FloatArray:
        """Return a score for each row; higher is stranger, and every score is finite."""
        return self.scores(rows, only=(self.by,))[self.by]

    def _score(self, rows: FloatArray) -> FloatArray:
        return self.score(rows)

    def scores(self, rows: Array, *, only: Sequence[str] | None = None) -> dict[str, FloatArray]:
        """Return all scores that the one network gives each row.

        Args:
            rows: To score.
            only: Some of :attr:`SCORES`; None for all.
        """
        self._require_fitted()
        names = tuple(self.SCORES if only is None else map(self._named, only))
        found: dict[str, list[FloatArray]] = {name: [] for name in names}
        given, broken = self._readable(rows)
        for part in torch.split(torch.from_numpy(given), TOGETHER):
            with torch.no_grad(), deterministic_kernels(self.place_), self._products():
                values = self._scores(part.to(self.place_), names)
            for name in names:
                found[name].append(values[name].cpu().double().numpy())
        joined = {name: bounded(np.concatenate(parts)) for name, parts in found.items()}
        return joined if broken is None else {name: np.where(broken, MAX_SCORE, each) for name, each in joined.items()}

    def untrained(self) -> Self:
        """Return its untrained twin: fitted with the same seed, it has the weights that training starts from."""
        return dataclasses.replace(self, iterations=0)

    def parameters(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def _learned(self) -> dict[str, Array]:
        weights = {f"network.{name}": value.cpu().numpy() for name, value in self.network_.state_dict().items()}
        told = np.array(self.training_.checks, np.float64)
        arrays = {"shape": np.array(self.shape_, np.int64), "checks": told, **weights}
        return {name: array.copy() for name, array in arrays.items()}

    def restore(self, learned: Mapping[str, Array]) -> None:
        """Take back what :meth:`learned` returned; a device that is not there is an error of its own."""
        choose_device(self.device)
        super().restore(learned)

    def _restore(self, learned: LearnedArrays) -> None:
        self.place_ = choose_device(self.device)
        self.shape_ = tuple(learned.integers("shape", ("sides",), low=1, high=self.width_).tolist())
        if len(self.shape_) + 1 not in self.KINDS or math.prod(self.shape_) != self.width_:
            raise DamagedFile(f"rows have the shape {self.shape_} and {self.width_} numbers, which do not agree.")
        checks = learned.take("checks", ("checks",), finite=False, empty=True)
        self.training_ = Training(checks=checks.tolist())
        weights = learned.part("network.")
        require_fitting(weights, lambda: self._network(self.shape_), learned.owner)
        network = self._built(self.shape_, RandomNumbers(0, CPU))
        self.network_ = with_weights(network, weights).to(self.place_).eval()

    def _loop(self, step: Any, rows: Tensor, random: RandomNumbers, **more: Any) -> Training:
        """Run the shared loop with this detector's budget."""
        budget = Budget(more.pop("iterations", self.iterations), self.every, self.patience, self.seconds)
        network = more.pop("network", self.network_)
        title = f"Training {type(self).__name__}"
        return train(network, step, rows, random=random, batch=self.batch, budget=budget, title=title, **more)

    def _products(self) -> AbstractContextManager[None]:
        """Return what to multiply matrices within: dense layers are small, convolutions are not."""
        return plain_products(enabled=len(self.shape_) == 1)

    def _require_fitted(self) -> None:
        if not hasattr(self, "network_"):
            raise NotFitted(f"{type(self).__name__} has learned nothing yet; call fit first.")

    def _named(self, name: str) -> str:
        if name not in self.SCORES:
            raise InvalidParameter(
                f"{type(self).__name__} has no score {name!r}.{did_you_mean(name, self.SCORES)} "
                f"It has {', '.join(self.SCORES)}."
            )
        return name

    def _alike(self, rows: Array) -> Array:
        values = self._checked(rows)
        self._require_shape(values)
        return values

    def _readable(self, rows: Array) -> tuple[Array, BoolArray | None]:
        """Return rows as those that were learned from, and which of them have an invalid value; None if none has."""
        values, broken = readable(rows, self.KINDS, type(self).__name__)
        self._require_shape(values)
        return values, broken

    def _require_shape(self, values: Array) -> None:
        if values.shape[1:] != self.shape_:
            raise InvalidParameter(f"the rows have {in_words(values.shape[1:])}; fit saw {in_words(self.shape_)}.")

    def _checked(self, rows: Array) -> Array:
        """Return rows in single precision, or say what is wrong with them."""
        return checked(rows, self.KINDS, type(self).__name__)
