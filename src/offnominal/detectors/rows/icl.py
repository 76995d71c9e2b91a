"""ICL: internal contrastive learning (Shenkar and Wolf, 2022)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.parameters import POSITIVE, Range
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.rows.deep_detector import DeepRowDetector
from offnominal.detectors.rows.deep_rows import Shape
from offnominal.detectors.rows.flat_optimizer import FlatOptimizer
from offnominal.detectors.rows.products import Dense
from offnominal.detectors.training import TrainingHistory

SLOPE = 0.2
"""Slope of the activations for negative numbers."""

MOST_VALUES = 2**25
"""Largest number of activations of a layer that are computed at once."""


def window_width(window: int | Literal["auto"], columns: int) -> int:
    """Return the number of columns of a window, fewer than there are columns.

    ``"auto"`` is the published rule.

    Example:
        >>> [window_width("auto", columns) for columns in (2, 6, 100, 617)], window_width(10, 4)
        ([1, 2, 10, 467], 3)
    """
    if window == "auto":
        window = 2 if columns <= 40 else 10 if columns <= 160 else columns - 150
    return min(window, columns - 1)


class WindowEncoders(nn.Module):
    """Codes of the windows of consecutive columns of a row, and of the columns around each.

    Args:
        columns: Number of columns.
        width: Number of columns of a window.
        hidden: Size of a code, four times that of the first layer for windows.
        order: Order in which the columns are taken.
    """

    inside: Tensor
    outside: Tensor

    def __init__(self, columns: int, width: int, hidden: int, order: Tensor) -> None:
        super().__init__()
        pairs = columns - width + 1
        inside = torch.arange(pairs, device=CPU)[:, None] + torch.arange(width, device=CPU)
        around = torch.arange(columns - width, device=CPU).expand(pairs, -1)
        outside = around + width * (around >= torch.arange(pairs, device=CPU)[:, None])
        self.register_buffer("inside", order[inside], persistent=False)
        self.register_buffer("outside", order[outside], persistent=False)
        self.of_rest = nn.ModuleList(
            [Dense(columns - width, hidden), Dense(hidden, 2 * hidden), Dense(2 * hidden, hidden)]
        )
        self.of_window = nn.ModuleList(
            [Dense(width, hidden // 4), Dense(hidden // 4, hidden // 2), Dense(hidden // 2, hidden)]
        )
        self.rest_norms = nn.ModuleList([nn.BatchNorm1d(pairs), nn.BatchNorm1d(pairs)])
        self.window_norm = nn.BatchNorm1d(pairs)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return the codes of the columns around each window, and those of the windows, (n, pairs, hidden) each."""
        rest = torch.tanh(_each(self.of_rest[0], rows[:, self.outside]))
        for layer, norm in zip(self.of_rest[1:], self.rest_norms, strict=True):
            rest = functional.leaky_relu(_each(layer, norm(rest)), SLOPE)
        window = self.window_norm(functional.leaky_relu(_each(self.of_window[0], rows[:, self.inside]), SLOPE))
        for layer in self.of_window[1:]:
            window = functional.leaky_relu(_each(layer, window), SLOPE)
        return _scaled(rest), _scaled(window)


def _each(layer: nn.Module, values: Tensor) -> Tensor:
    """Return the outputs of a layer for each pair of each row."""
    outputs: Tensor = layer(values.flatten(0, 1))
    return outputs.view(*values.shape[:2], -1)


def _scaled(codes: Tensor) -> Tensor:
    """Scale every feature to unit length over the pairs of a row, then every code to unit length."""
    return functional.normalize(functional.normalize(codes, dim=1), dim=2)


def pairing_loss(rest: Tensor, windows: Tensor, temperature: float) -> Tensor:
    """Return the mean cross-entropy of each row if its windows are to be found by the columns around them.

    Args:
        rest: (n, pairs, hidden) codes of the columns around each window.
        windows: (n, pairs, hidden) codes of the windows.
        temperature: Divides the similarities.

    Example:
        >>> codes = torch.eye(2)[None]
        >>> pairing_loss(codes, codes, 1.0)  # log(1 + 1/e)
        tensor([0.3133])
    """
    similar = rest @ windows.transpose(1, 2) / temperature
    own = (rest * windows).sum(2) / temperature
    return (torch.logsumexp(similar, 2) - own).mean(1)


class OrderedWindows(nn.Module):
    """Window encoders for several orders of the columns; the first is the given one."""

    def __init__(self, columns: int, width: int, hidden: int, count: int) -> None:
        super().__init__()
        # A new network of the same parameters has the same orders, so that a file need not have them.
        orders = [torch.arange(columns, device=CPU)]
        orders += [RandomNumbers(place, CPU).permutation(columns) for place in range(1, count)]
        self.members = nn.ModuleList(WindowEncoders(columns, width, hidden, order) for order in orders)

    def losses(self, rows: Tensor, temperature: float, kind: torch.dtype = torch.float32) -> Tensor:
        """Return the mean loss of each row over the orders; similarities are computed with numbers of a kind."""
        rows = torch.cat([rows, torch.ones_like(rows)], 1) if rows.shape[1] == 1 else rows
        codes = [member(rows) for member in self.members]
        return torch.stack([pairing_loss(a.to(kind), b.to(kind), temperature) for a, b in codes]).mean(0)


@dataclass(kw_only=True, eq=False)
class ICL(DeepRowDetector):
    """How badly parts of a row tell which other part of it belongs to them.

    Every window of consecutive columns and the columns around it are encoded. The two encoders are trained so that the
    codes that belong together are similar, and others of the same row are not. The loss of a row is its score. Rows of
    one column get a second, constant one: a row needs two parts.

    Args:
        window: Number of columns of a window, at most all but one; ``"auto"`` is the published rule: 2 for up to 40
            columns, 10 for up to 160, all but 150 for more.
        hidden: Size of a code, divisible by four.
        permutations: Number of orders of the columns over whose encoders scores are averaged: the given order, then
            random ones, the same for every seed.
        temperature: Divides the similarities of codes.

    Example:
        >>> import numpy as np
        >>> draw = np.random.default_rng(0).normal(size=(300, 1))
        >>> rows = np.hstack([draw, draw, -draw, draw])
        >>> detector = ICL(hidden=16, max_iter=100).fit(rows)
        >>> near, far = detector.score(np.array([[1.0, 1.0, -1.0, 1.0], [1.0, -1.0, -1.0, 1.0]]))
        >>> bool(near < far)
        True
    """

    SCORES: ClassVar[tuple[str, ...]] = ("contrast",)
    KINDS: ClassVar[tuple[int, ...]] = (2,)
    RANGES: ClassVar[Mapping[str, Range]] = {"temperature": POSITIVE, "permutations": Range(1, 1_000)}

    window: int | Literal["auto"] = "auto"
    hidden: int = 200
    permutations: int = 1
    temperature: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.hidden % 4:
            raise InvalidParameter(f"hidden is {self.hidden}; expected a multiple of four, such as 200.")

    def _network(self, shape: Shape) -> OrderedWindows:
        columns = max(2, shape[0])
        return OrderedWindows(columns, window_width(self.window, columns), self.hidden, self.permutations)

    def _train(self, rows: Tensor, validation: Tensor, random: RandomNumbers) -> TrainingHistory:
        network = self._windows()
        descent = FlatOptimizer([network], self.learning_rate)

        def loss(some: Tensor) -> Tensor:
            return network.losses(some, self.temperature)

        parts = torch.split(validation, self._rows_per_batch())
        return self._run_training(
            lambda batch, _: descent(loss(batch).mean()),
            rows,
            random,
            check=lambda _: float(torch.cat([loss(part) for part in parts]).mean()),
        )

    def _scores(self, rows: Tensor, names: Sequence[str]) -> dict[str, Tensor]:
        return {"contrast": self._windows().losses(rows, self.temperature, torch.float64)}

    def _rows_per_batch(self) -> int:
        columns = max(2, self.shape_[0])
        pairs = columns - window_width(self.window, columns) + 1
        return max(1, min(super()._rows_per_batch(), MOST_VALUES // (2 * self.hidden * pairs)))

    def _windows(self) -> OrderedWindows:
        assert isinstance(self.network_, OrderedWindows)
        return self.network_
