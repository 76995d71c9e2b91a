"""Real-valued non-volume-preserving flow (Dinh et al., 2017)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from offnominal.detectors.dense_layers import DenseLayers
from offnominal.detectors.rows.architecture import Architecture
from offnominal.detectors.rows.flow import Affine, Flow, check_activations
from offnominal.detectors.rows.layers import perceptron
from offnominal.detectors.rows.row_scores import FlowStep, ScaleStep


class Coupling(nn.Module):
    """Every other column is shifted and scaled by networks of the remaining columns.

    Args:
        width: Number of columns.
        first: First column that changes: 0 or 1.
        shift: Architecture of the network of the shift.
        scale: Architecture of the network of the scale.
        squashed: See :class:`Affine`.
        zero_last: Whether the last layers are initialised with zeros.
    """

    moving: Tensor
    still: Tensor

    def __init__(
        self, width: int, first: int, shift: Architecture, scale: Architecture, *, squashed: bool, zero_last: bool
    ) -> None:
        super().__init__()
        self.register_buffer("moving", torch.arange(first if width > 1 else 0, width, 2))
        self.register_buffer("still", torch.arange(1 - first if width > 1 else 1, width, 2))
        rest, most = len(self.still), len(self.moving)
        self.shift, self.scale = perceptron(max(1, rest), most, shift), perceptron(max(1, rest), most, scale)
        self.affine = Affine(most, squashed=squashed)
        for network in (self.shift, self.scale) if zero_last else ():
            for weights in network[-1].parameters():
                nn.init.zeros_(weights)

    def forward(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return rows and log-determinants."""
        known = rows.index_select(1, self.still) if len(self.still) else torch.ones_like(rows)
        moved, half = self.affine(rows.index_select(1, self.moving), self.shift(known), self.scale(known))
        return rows.index_copy(1, self.moving, moved), -half.sum(1)


@dataclass(kw_only=True, eq=False)
class RealNVP(Flow):
    """Negative log-density of a coupling flow, which shifts and scales half of the columns at a time.

    Args:
        shift_activation: Activation of the networks of the shift: ``"relu"``, ``"tanh"``, ``"swish"`` or ``"leaky"``.
        scale_activation: Activation of the networks of the scale.

    Example:
        >>> import numpy as np
        >>> rows = np.random.default_rng(0).normal(size=(300, 2))
        >>> flow = RealNVP(n_flows=2, hidden=16, learning_rate=1e-2, max_iter=200).fit(rows)
        >>> near, far = flow.score(np.array([[0.0, 0.0], [5.0, -5.0]]))
        >>> bool(near < far)
        True
    """

    shift_activation: str = "relu"
    scale_activation: str = "tanh"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_activations(self.shift_activation, self.scale_activation)

    def _row_step(self, layer: nn.Module) -> FlowStep | ScaleStep:
        if not isinstance(layer, Coupling):
            return super()._row_step(layer)
        networks = DenseLayers.of(layer.shift), DenseLayers.of(layer.scale)
        still, moving = (columns.cpu().numpy().copy() for columns in (layer.still, layer.moving))
        return FlowStep(networks, still, moving, *layer.affine.squash())

    def _layer(self, width: int, depth: int) -> Coupling:
        styles = [
            Architecture(layers=self.layers, hidden=self.hidden, activation=name)
            for name in (self.shift_activation, self.scale_activation)
        ]
        return Coupling(width, depth % 2, *styles, squashed=self.squashed, zero_last=self.zero_last)
