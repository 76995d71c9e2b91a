"""Base class of row detectors with a network: parameters, checks of rows, several scores, state dict."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor, nn

from offnominal.core.cuda_graph import ReplayedUpdate
from offnominal.core.device import choose_device, deterministic_kernels
from offnominal.core.errors import DamagedFile, InvalidParameter, did_you_mean
from offnominal.core.streams import check_seed
from offnominal.core.types import Array, BoolArray, FloatArray
from offnominal.detectors.network_state import LearnedNetwork
from offnominal.detectors.observation_limits import MAX_SCORE, bounded
from offnominal.detectors.parameters import LAYERS, POSITIVE, STEPS, STEPS_OR_NONE, Range, check_parameters
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.rows.deep_rows import (
    MAX_VALUE,
    Shape,
    checked,
    clipped,
    describe_shape,
    readable,
    split_validation,
)
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer, release
from offnominal.detectors.rows.products import blas_products
from offnominal.detectors.rows.row_detector import RowDetector
from offnominal.detectors.rows.row_scores import RowScore
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.training import EarlyStopping, TrainingHistory, sample_batches, train

CHUNK, GPU_CHUNK, GPU_VALUES = 1024, 2**15, 2**22
"""Rows per batch when scoring on a CPU, and most rows and values per batch on a GPU."""


@dataclass(kw_only=True, eq=False)
class DeepRowDetector(LearnedNetwork[nn.Module], RowDetector):
    """A row detector whose network is trained on nominal rows.

    Rows are a table (n, columns), whose columns should have a similar scale, such as zero mean and unit deviation; or
    images (n, channels, height, width) with values from 0 to 1, for which the network is convolutional.

    Args:
        score_name: Which of :attr:`SCORES` :meth:`score` returns; empty for the first.
        learning_rate: Learning rate.
        batch_size: Rows per gradient step.
        max_iter: Largest number of gradient steps. Zero keeps the random weights: the untrained baseline.
        validate_every: Steps between two validations.
        patience: Validations without improvement after which training stops.
        max_seconds: Wall-clock limit of each training; None for no limit.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
    """

    LEARNED: ClassVar[str] = "network_"
    SCORES: ClassVar[tuple[str, ...]] = ()
    stops_early: ClassVar[bool] = True
    KINDS: ClassVar[tuple[int, ...]] = (2, 4)
    """Accepted numbers of axes of the rows: 2 for tables, 4 for images."""
    replayable: ClassVar[bool] = False
    """Whether every update launches the same kernels, so that a GPU can replay one of them."""

    RANGES: ClassVar[Mapping[str, Range]] = {
        "learning_rate": POSITIVE,
        "batch_size": STEPS,
        "max_iter": STEPS_OR_NONE,
        "validate_every": STEPS,
        "patience": STEPS,
        "max_seconds": POSITIVE,
        "pretrain_iter": STEPS,
        "stop_epochs": STEPS,
        "layers": LAYERS,
        "n_flows": LAYERS,
        "generators": LAYERS,
        "n_samples": Range(1, 100_000),
    }

    score_name: str = ""
    learning_rate: float = 1e-3
    batch_size: int = 64
    max_iter: int = 10_000
    validate_every: int = 10
    patience: int = 200
    max_seconds: float | None = None
    device: str = "auto"

    def __post_init__(self) -> None:
        check_parameters(self)
        self.score_name = self.score_name or self.SCORES[0]
        self._named(self.score_name)

    @abstractmethod
    def _network(self, shape: Shape) -> nn.Module:
        """Return a network with random weights for rows of this shape."""

    @abstractmethod
    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        """Train the network, which is on the device of the rows."""

    @abstractmethod
    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        """Return the named scores of each row."""

    def fit(self, X: Array, y: Any = None, *, validation: Array | None = None, seed: int = 0) -> Self:
        """Train the network on nominal rows.

        Args:
            X: Nominal rows or images.
            y: Ignored; for pipelines of scikit-learn.
            validation: Other nominal rows, for early stopping; None holds out a random tenth of the rows.
            seed: Of the random weights, batches and noise.
        """
        values = self._checked(X)
        if len(values) < 2:
            raise InvalidParameter(f"{type(self).__name__} got one row; give at least two.")
        self.shape_: Shape = values.shape[1:]
        held_out = None if validation is None else self._checked_like_training(validation)
        self.device_ = choose_device(self.device)
        random = RandomNumbers(check_seed(seed), self.device_)
        with random.weights():
            network = self._network(self.shape_)
        self.network_ = network.to(self.device_)
        with deterministic_kernels(self.device_), self._products():
            known, rest = (part.to(self.device_) for part in split_validation(values, held_out, random))
            self.training_ = self._train(known, rest, random) if self.max_iter else TrainingHistory()
        release(self.network_)
        self.width_ = int(np.prod(self.shape_))
        self._settle()
        return self

    def _settle(self) -> None:
        """Prepare the network for scoring once its weights are final."""
        self.network_.eval()
        table = len(self.shape_) == 1 and self.score_name == self.SCORES[0]
        self.row_score_ = self._row_score() if table else None

    def _row_score(self) -> RowScore | None:
        """Return what computes the first of :attr:`SCORES` for a row of a table without torch; None if nothing does."""
        return None

    def _fit(self, rows: FloatArray, seed: int) -> None:
        self.fit(rows, seed=seed)

    def score(self, X: Array) -> FloatArray:
        """Return the anomaly score of each row; every score is finite."""
        return self.scores(X, only=(self.score_name,))[self.score_name]

    def _score(self, rows: FloatArray) -> FloatArray:
        return self.score(rows)

    def _score_row(self, row: FloatArray) -> FloatArray:
        if self.row_score_ is None or self.score_name != self.SCORES[0]:
            return self.score(row)
        return self.row_score_(clipped(row))

    def set_params(self, **parameters: Any) -> Self:
        """Change constructor's arguments; see :meth:`RowDetector.set_params`."""
        super().set_params(**parameters)
        if hasattr(self, "network_"):
            self._settle()
        return self

    def scores(self, rows: Array, *, only: Sequence[str] | None = None) -> dict[str, FloatArray]:
        """Return several scores of each row.

        Args:
            rows: Rows or images to score.
            only: Names, some of :attr:`SCORES`; None for all.
        """
        self._require_fitted()
        names = tuple(self.SCORES if only is None else map(self._named, only))
        found: dict[str, list[FloatArray]] = {name: [] for name in names}
        given, broken = self._readable(rows)
        for part in torch.split(torch.from_numpy(given), self._rows_per_batch()):
            with torch.no_grad(), deterministic_kernels(self.device_), self._products():
                values = self._scores(part.to(self.device_), names)
            for name in names:
                found[name].append(values[name].cpu().double().numpy())
        joined = {name: bounded(np.concatenate(parts)) for name, parts in found.items()}
        return joined if broken is None else {name: np.where(broken, MAX_SCORE, part) for name, part in joined.items()}

    def _contributions(self, rows: FloatArray) -> FloatArray | None:
        given, _ = self._readable(rows)
        found: list[FloatArray] = []
        for part in torch.split(torch.from_numpy(given), self._rows_per_batch()):
            with torch.no_grad(), deterministic_kernels(self.device_), self._products():
                terms = self._terms(part.to(self.device_))
            if terms is None:
                return None
            found.append(terms.cpu().double().numpy())
        return np.concatenate(found)

    def _rows_per_batch(self) -> int:
        """Return the number of rows that are scored at the same time."""
        on_gpu = min(GPU_CHUNK, GPU_VALUES // math.prod(self.shape_))
        return CHUNK if self.device_.type == "cpu" else max(CHUNK, on_gpu)

    def _terms(self, rows: Tensor) -> Tensor | None:
        """Return the terms (n, columns) that add up to the score; None if the score has no such terms."""
        return None

    def _torch_score(self, rows: Tensor) -> Tensor:
        values = rows.clamp(-MAX_VALUE, MAX_VALUE).float()
        return self._scores(values, (self.score_name,))[self.score_name]

    def untrained(self) -> Self:
        """Return the untrained baseline: fitted with the same seed, it has the initial weights of the training."""
        return dataclasses.replace(self, max_iter=0)

    def _state_dict(self) -> dict[str, Array]:
        history = np.array(self.training_.validation_losses, np.float64)
        return {"shape": np.array(self.shape_, np.int64), "checks": history} | self._weights()

    def _load_state_dict(self, state: StateArrays) -> None:
        self.device_ = choose_device(self.device)
        self.shape_ = tuple(state.integers("shape", ("sides",), low=1, high=self.width_).tolist())
        if len(self.shape_) + 1 not in self.KINDS or math.prod(self.shape_) != self.width_:
            raise DamagedFile(f"rows have the shape {self.shape_}, which does not fit to {self.width_} columns.")
        checks = state.take("checks", ("checks",), finite=False, empty=True)
        self.training_ = TrainingHistory(validation_losses=checks.tolist())
        self._restore_network(state, lambda: self._network(self.shape_))
        self._settle()

    def _descend(
        self,
        descent: FlatOptimizer,
        loss: Callable[[Tensor, RandomNumbers], Tensor],
        rows: Tensor,
        validation: Tensor,
        random: RandomNumbers,
    ) -> TrainingHistory:
        """Train by the gradient of one loss, which is also that of the validation rows."""
        return self._run_training(
            lambda batch, random: descent(loss(batch, random)),
            rows,
            random,
            check=lambda random: float(loss(validation, random)),
        )

    def _run_training(
        self,
        update: Callable[[Tensor, RandomNumbers], None],
        rows: Tensor,
        random: RandomNumbers,
        *,
        check: Callable[[RandomNumbers], float] | None = None,
        collapsed: float | None = None,
        network: nn.Module | None = None,
        max_iter: int | None = None,
    ) -> TrainingHistory:
        """Train on batches drawn with replacement.

        Args:
            update: Changes the weights with one batch and random numbers.
            rows: Training rows.
            random: Source of batches and of the noise of updates.
            check: Returns the loss on held-out rows. Every call gets the same random numbers, so values are comparable.
            collapsed: See :class:`~offnominal.detectors.training.EarlyStopping`.
            network: Network to train; the detector's own if None.
            max_iter: Number of updates at most; that of the detector if None.
        """
        batches, n_epochs = sample_batches(
            rows,
            random,
            batch_size=self.batch_size,
            max_iter=self.max_iter if max_iter is None else max_iter,
            validate_every=self.validate_every,
        )
        stopping = check and EarlyStopping(
            lambda: check(RandomNumbers(0, rows.device)),
            self.patience,
            collapse_loss=collapsed,
            stop_if_diverged=True,
        )

        def updated(batch: Tensor) -> None:
            update(batch, random)

        replayed = self.replayable and rows.is_cuda
        return train(
            self.network_ if network is None else network,
            ReplayedUpdate(updated, random.generator) if replayed else updated,
            batches,
            n_epochs=n_epochs,
            stopping=stopping,
            max_seconds=self.max_seconds,
            title=f"Training {type(self).__name__}",
        )

    def _products(self) -> AbstractContextManager[None]:
        """Return the context of matrix products: BLAS for dense layers, which are small."""
        return blas_products(enabled=len(self.shape_) == 1)

    def _named(self, name: str) -> str:
        if name not in self.SCORES:
            raise InvalidParameter(
                f"{type(self).__name__} has no score {name!r}.{did_you_mean(name, self.SCORES)} "
                f"It has {', '.join(self.SCORES)}."
            )
        return name

    def _checked_like_training(self, rows: Array) -> Array:
        values = self._checked(rows)
        self._require_shape(values)
        return values

    def _readable(self, rows: Array) -> tuple[Array, BoolArray | None]:
        """Return rows in the shape of the training rows, and which have an invalid value; None if none has."""
        values, broken = readable(rows, self.KINDS, type(self).__name__)
        self._require_shape(values)
        return values, broken

    def _require_shape(self, values: Array) -> None:
        if values.shape[1:] != self.shape_:
            raise InvalidParameter(
                f"the rows have {describe_shape(values.shape[1:])}; fit got {describe_shape(self.shape_)}."
            )

    def _checked(self, rows: Array) -> Array:
        """Return rows in single precision, or raise :class:`InvalidParameter`."""
        return checked(rows, self.KINDS, type(self).__name__)
