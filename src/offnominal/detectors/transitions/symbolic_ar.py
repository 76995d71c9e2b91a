"""Symbolic-AR: prediction error of an autoregressive network on counts and categories."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from offnominal.core.device import deterministic_kernels
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, FloatArray
from offnominal.detectors.contributions import Contributions
from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.detector import Step
from offnominal.detectors.parameters import SHARE, Range
from offnominal.detectors.random_numbers import RandomNumbers
from offnominal.detectors.state_arrays import StateArrays
from offnominal.detectors.torch_step import TorchStep
from offnominal.detectors.trained_network import TrainedNetwork
from offnominal.detectors.training import split_validation
from offnominal.detectors.transitions.modules import Perceptron
from offnominal.detectors.transitions.symbol_encoding import Counts, SinglePrecision, SymbolEncoding
from offnominal.detectors.transitions.symbol_losses import symbol_losses, symbol_training_losses, torch_symbol_losses
from offnominal.detectors.transitions.training_rows import RowBatch, TrainingRows, mean_loss, replayed_on_gpu

CHUNK = 4096
LEAST_SCALE = 1e-3
"""Smallest unit of the error of progress, in steps."""


@dataclass(kw_only=True, eq=False)
class SymbolicAR(TrainedNetwork[Perceptron, SymbolEncoding]):
    """Prediction error of a network for the next symbolic observation, from the last observations.

    A symbolic observation begins with counts, such as the inventory, followed by categories, such as the held item.
    Further columns are ignored. The channels of :meth:`explain` are the :attr:`variables`: the score is the largest
    loss of a variable, or the norm of all.

    A prediction error is large if something happens that normal episodes do not have, and small in an episode that is
    easier than normal ones. With `two_sided`, the network also predicts how many steps remain, and unexpected progress
    has a score as well as unexpected delay.

    Args:
        context: Number of observations that the prediction uses (K).
        n_counts: Number of counts, the first columns of an observation.
        n_categories: Number of categories, the next columns.
        counts: Loss of a count: squared error of the count (``"raw"``, as published) or of its logarithm
            (``"log1p"``), or the deviance of a Poisson distribution (``"poisson"``). Raw counts let rare large trades
            dominate.
        reduction: Score from the losses of all variables: the largest one, or their Euclidean norm.
        two_sided: Whether the error of progress is a variable too: the change of the predicted number of remaining
            steps, relative to its largest error in training episodes.
        padding: Whether the first observation is repeated if there are fewer than `context`. Otherwise the score is 0
            there, as published.
        hidden: Widths of the hidden layers.
        dropout: Dropout probability of the first layer.
        batch_size: Transitions per gradient step.

    Note:
        :class:`TrainedNetwork` has the other arguments.

    Example:
        >>> import offnominal as off
        >>> episodes = off.collect("CRAFT-Pogo-v2", off.expert("CRAFT-Pogo-v2"), 4)
        >>> detector = SymbolicAR(n_epochs=2, device="cpu").fit(episodes)
        >>> detector.score(episodes[:1])[0].shape == (len(episodes[0]),)
        True
        >>> explanation = detector.explain(episodes[0])
        >>> explanation.method, explanation.channels[-1]
        ('maximum', 'category 1')
    """

    RANGES: ClassVar[Mapping[str, Range]] = {
        "context": Range(1, 1000),
        "n_counts": Range(0, 100_000),
        "n_categories": Range(0, 1000),
        "dropout": SHARE,
    }
    default_world: ClassVar[str | None] = "CRAFT-Pogo-v2"
    raw_discrete_actions: ClassVar[bool] = True

    context: int = 2
    n_counts: int = 22
    n_categories: int = 2
    counts: Counts = "raw"
    reduction: Literal["max", "norm"] = "max"
    two_sided: bool = False
    padding: bool = False
    hidden: tuple[int, ...] = (64, 64)
    dropout: float = 0.2
    n_epochs: int = 50
    patience: int = 5
    batch_size: int = 64
    learning_rate: float = 1e-4
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.n_counts + self.n_categories:
            raise InvalidParameter("n_counts and n_categories are 0; there is nothing to predict.")

    @property
    def variables(self) -> list[str]:
        """Names of the channels of :meth:`explain`."""
        counts = [f"count {number}" for number in range(self.n_counts)]
        categories = [f"category {number}" for number in range(self.n_categories)]
        return counts + categories + (["progress"] if self.two_sided else [])

    def _contributions(self, episode: Episode) -> Contributions:
        losses = self._losses_of([self._symbols(episode.observations)])
        names, n_observations = tuple(self.variables), self.n_counts + self.n_categories
        if self.reduction == "max":
            return Contributions(losses, "maximum", names, n_observations)
        scores = self._reduced(losses)[:, None]
        terms = np.divide(losses, scores, out=np.zeros_like(losses), where=scores > 0.0)
        return Contributions(terms, "sum", names, n_observations)

    def _symbols(self, observations: Array) -> FloatArray:
        """Return the counts and categories of observations."""
        flat = np.asarray(observations).reshape(len(observations), -1)
        wanted = self.n_counts + self.n_categories
        if flat.shape[1] < wanted:
            raise InvalidParameter(
                f"an observation has {flat.shape[1]} columns; {self.n_counts} counts and {self.n_categories} "
                "categories are expected. Set n_counts and n_categories."
            )
        return flat[:, :wanted].astype(np.float64)

    def _fit(self, episodes: Sequence[Episode], validation: Sequence[Episode] | None, seed: int) -> None:
        symbols = [self._symbols(episode.observations) for episode in episodes]
        if not self.padding and max(map(len, symbols)) <= self.context:
            raise InvalidParameter(
                f"the longest episode has {max(map(len, symbols)) - 1} transitions; a context of {self.context} needs "
                f"{self.context}. Set padding=True or a smaller context."
            )
        random = self._begin(SymbolEncoding.of(symbols, self.counts, self.n_counts), seed)
        with deterministic_kernels(self.device_):
            if self.n_epochs:
                self._train(*split_validation(episodes, validation, random), random)
            self._settle()
        if self.two_sided:
            self._fit_progress_scale(symbols)

    def _settle(self) -> None:
        super()._settle()
        self.layers_ = DenseLayers.of(self.network_.layers)

    def _train(self, episodes: Sequence[Episode], validation: Sequence[Episode], random: RandomNumbers) -> None:
        rows, held_out = self._rows(episodes), self._rows(validation)
        rows, held_out = rows if len(rows) else held_out, held_out if len(held_out) else rows

        def losses(part: TrainingRows, noise: RandomNumbers | None) -> Tensor:
            return symbol_training_losses(self.network_(part.inputs, noise), part.targets, self.scaling_)

        def loss(batch: RowBatch) -> Tensor:
            part = rows.take(batch)
            return part.mean(losses(part, random))

        self._run_training(
            batches=lambda: rows.shuffled(self.batch_size, random),
            update=replayed_on_gpu(self._gradient_steps(loss), random),
            validate=lambda: mean_loss(held_out, lambda part: losses(part, None), self.batch_size * 4),
        )

    def _rows(self, episodes: Sequence[Episode]) -> TrainingRows:
        """Return the windows and what follows them, on the device of the network."""
        inputs, targets = [], []
        for episode in episodes:
            symbols = self._symbols(episode.observations)
            first = 0 if self.padding else self.context - 1
            wanted = self.scaling_.targets(symbols[1:])
            if self.two_sided:
                # After the last observation nothing changes and no steps remain.
                remaining = np.arange(len(symbols) - 1, -1, -1)[:, None] / self.scaling_.length
                wanted = np.concatenate([np.concatenate([wanted, wanted[-1:]]), remaining], axis=1)
            inputs.append(self._windows(symbols)[first : len(wanted)])
            targets.append(wanted[first:].astype(np.float32))
        tensors = [torch.from_numpy(np.concatenate(part)).to(self.device_) for part in (inputs, targets)]
        return TrainingRows(tensors[0], tensors[1], torch.ones(len(tensors[0]), device=self.device_))

    def _windows(self, symbols: FloatArray) -> SinglePrecision:
        """Return the encoded context that ends at each observation, (T + 1, context * width)."""
        encoded = self.scaling_.inputs(symbols)
        padded = np.concatenate([np.repeat(encoded[:1], self.context - 1, axis=0), encoded])
        return np.concatenate([padded[lag : lag + len(encoded)] for lag in range(self.context)], axis=1)

    def _network_for(self, widths: tuple[int, int], scaling: SymbolEncoding) -> Perceptron:
        outputs = scaling.width + self.two_sided
        return Perceptron(self.context * scaling.width, outputs, self.hidden, dropout=self.dropout)

    def _restored_scaling(self, state: StateArrays) -> SymbolEncoding:
        return SymbolEncoding.restored(state, self.counts, self.n_counts, self.n_categories)

    def _fit_progress_scale(self, symbols: Sequence[FloatArray]) -> None:
        """Learn how far predicted progress is from one step per step in training episodes, at most."""
        errors = self._losses_of(symbols)[:, -1]
        scale = max(float(np.sqrt(errors.max())), LEAST_SCALE)
        self.scaling_ = dataclasses.replace(self.scaling_, progress_scale=scale)

    @torch.inference_mode()
    def _predicted(self, windows: SinglePrecision) -> FloatArray:
        """Return the outputs of the network, (n, outputs)."""
        outputs = []
        with deterministic_kernels(self.device_):
            for first in range(0, len(windows), CHUNK):
                part = torch.from_numpy(windows[first : first + CHUNK]).to(self.device_)
                outputs.append(self.network_(part).cpu().numpy().astype(np.float64))
        return np.concatenate(outputs)

    def _losses_of(self, symbols: Sequence[FloatArray]) -> FloatArray:
        """Return the losses of some episodes, (transitions of all, variables)."""
        lengths = [len(part) for part in symbols]
        predicted = self._predicted(np.concatenate([self._windows(part) for part in symbols]))
        ends = np.cumsum(lengths)
        first, last = np.delete(np.arange(ends[-1]), ends - 1), np.delete(np.arange(ends[-1]), ends - np.array(lengths))
        targets = self.scaling_.targets(np.concatenate(symbols)[last])
        losses = symbol_losses(predicted[first], predicted[last], targets, self.scaling_, two_sided=self.two_sided)
        if not self.padding:
            time = np.concatenate([np.arange(length - 1) for length in lengths])
            losses[time < self.context - 1] = 0.0
        return losses

    def _reduced(self, losses: FloatArray) -> FloatArray:
        """Return a score for each row of losses."""
        norm = self.reduction == "norm"
        scores: FloatArray = np.sqrt(losses.sum(axis=1)) if norm else losses.max(axis=1)
        return scores

    def _score(self, episodes: Sequence[Episode]) -> list[FloatArray]:
        symbols = [self._symbols(episode.observations) for episode in episodes]
        return np.split(self._reduced(self._losses_of(symbols)), np.cumsum([len(part) - 1 for part in symbols])[:-1])

    def _start(self, n: int) -> tuple[Array, Array]:
        width = self.n_counts + self.n_categories
        return np.zeros((n, self.context - 1, width)), np.zeros(n, np.int64)

    def _update(self, state: tuple[Array, Array], step: Step) -> tuple[tuple[Array, Array], FloatArray]:
        previous, time = state
        before, after = self._symbols(step.observation), self._symbols(step.next_observation)
        filled = np.where((time == 0)[:, None, None], before[:, None], previous)
        history = np.concatenate([filled, before[:, None], after[:, None]], axis=1)
        windows = [self._window(history[:, :-1])]
        if self.two_sided:
            windows.append(self._window(history[:, 1:]))
        together = np.concatenate(windows)
        outputs = self.layers_(together).astype(np.float64) if len(before) == 1 else self._predicted(together)
        predicted = np.split(outputs, len(windows))
        losses = symbol_losses(
            predicted[0], predicted[-1], self.scaling_.targets(after), self.scaling_, two_sided=self.two_sided
        )
        if not self.padding:
            losses[time < self.context - 1] = 0.0
        return (np.ascontiguousarray(history[:, 1:-1]), time + 1), self._reduced(losses)

    def _torch_update(self, state: tuple[Tensor, Tensor], step: TorchStep) -> tuple[tuple[Tensor, Tensor], Tensor]:
        previous, time = state
        width, n = self.n_counts + self.n_categories, len(step.observation)
        before, after = step.observation[:, None, :width], step.next_observation[:, None, :width]
        history = torch.cat([torch.where((time == 0)[:, None, None], before, previous), before, after], dim=1)
        encoded = self.scaling_.torch_inputs(history)
        predicted = self.network_(encoded[:, :-1].reshape(n, -1)).double()
        later = self.network_(encoded[:, 1:].reshape(n, -1)).double() if self.two_sided else predicted
        losses = torch_symbol_losses(predicted, later, after[:, 0], self.scaling_, two_sided=self.two_sided)
        if not self.padding:
            losses = torch.where((time < self.context - 1)[:, None], 0.0, losses)
        scores = losses.sum(1).sqrt() if self.reduction == "norm" else losses.amax(1)
        return (history[:, 1:-1], time + 1), scores

    def _window(self, history: FloatArray) -> SinglePrecision:
        """Return the encoded contexts of (n, context, variables) observations."""
        n = len(history)
        return self.scaling_.inputs(history.reshape(n * self.context, -1)).reshape(n, -1)
