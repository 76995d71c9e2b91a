"""Masked autoregressive flow (Papamakarios et al., 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.rows.architecture import activation_of
from offnominal.detectors.rows.flow import Affine, Flow, check_activations
from offnominal.detectors.rows.products import dense
from offnominal.detectors.rows.row_scores import FlowStep, ScaleStep


class MaskedLinear(nn.Linear):
    """A linear layer with a mask on its weights."""

    mask: Tensor

    def __init__(self, mask: Tensor) -> None:
        super().__init__(mask.shape[1], mask.shape[0])
        self.register_buffer("mask", mask)

    def forward(self, values: Tensor) -> Tensor:
        """Return the outputs."""
        return dense(values, self.weight * self.mask, self.bias)


class AutoregressiveNetwork(nn.Module):
    """An autoregressive network (Germain et al., 2015): outputs of a column depend only on columns earlier in an order.

    Args:
        order: Rank of each column.
        hidden: Width of the hidden layers.
        layers: Number of layers, including the last one.
        activation: Activation between them.
        squashed: See :class:`Affine`.
        zero_last: Whether the last layer is initialised with zeros.
    """

    def __init__(
        self, order: Tensor, *, hidden: int, layers: int, activation: str, squashed: bool, zero_last: bool
    ) -> None:
        super().__init__()
        width = len(order)
        inner = torch.arange(hidden) % max(1, width - 1)
        places = [order] + [inner] * (layers - 1)
        parts: list[nn.Module] = []
        for before, after in pairwise(places):
            parts += [MaskedLinear((after[:, None] >= before).float()), activation_of(activation)]
        last = MaskedLinear((order.repeat(2)[:, None] > places[-1]).float())
        if zero_last:
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)
        self.network = nn.Sequential(*parts, last)
        self.affine = Affine(width, squashed=squashed)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return rows and log-determinants."""
        shift, scale = self.network(rows).chunk(2, dim=1)
        rows, half = self.affine(rows, shift, scale)
        return rows, -half.sum(1)


@dataclass(kw_only=True, eq=False)
class MAF(Flow):
    """Negative log-density of a masked autoregressive flow: a product over columns, each given those before it.

    Args:
        activation: ``"relu"``, ``"tanh"``, ``"swish"`` or ``"leaky"``.
        order: Order of the columns: ``"natural"``, reversed in every other flow, or ``"random"``.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 2))
        >>> maf = MAF(n_flows=2, hidden=16, learning_rate=1e-2, max_iter=200).fit(rows)
        >>> near, far = maf.score(np.array([[0.0, 0.0], [5.0, -5.0]]))
        >>> bool(near < far)
        True
    """

    activation: str = "relu"
    order: Literal["natural", "random"] = "natural"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_activations(self.activation)
        if self.order not in ("natural", "random"):
            raise InvalidParameter(f"order is {self.order!r}; choose natural or random.")

    def _row_step(self, layer: nn.Module) -> FlowStep | ScaleStep:
        if not isinstance(layer, AutoregressiveNetwork):
            return super()._row_step(layer)
        columns = np.arange(self.width_)
        return FlowStep((DenseLayers.of(layer.network),), columns, columns, *layer.affine.squash())

    def _layer(self, width: int, depth: int) -> AutoregressiveNetwork:
        order = torch.arange(width) if self.order == "natural" else torch.randperm(width)
        if self.order == "natural" and depth % 2:
            order = order.flip(0)
        return AutoregressiveNetwork(
            order,
            hidden=self.hidden,
            layers=self.layers,
            activation=self.activation,
            squashed=self.squashed,
            zero_last=self.zero_last,
        )
