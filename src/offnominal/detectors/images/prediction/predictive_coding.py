"""Predictive coding: each level predicts the input from the level below and passes its error to the level above."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.image_scaling import COLOURS, Shape
from offnominal.detectors.images.prediction.frame_network import FrameNetwork, squared_image_error
from offnominal.detectors.random_numbers import RandomNumbers

Memory = list[tuple[Tensor, Tensor]]
"""Hidden state and cell state of every level."""


class ConvLSTM(nn.Module):
    """A convolutional LSTM cell with peephole connections.

    Args:
        inputs: Channels of the input.
        outputs: Channels of hidden and cell state.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.gates = nn.Conv2d(inputs + outputs, 4 * outputs, 3, padding=1)
        self.before = nn.Conv2d(outputs, 2 * outputs, 3, padding=1, bias=False)
        self.after = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)

    def forward(self, inputs: Tensor, output: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """Return the next hidden and cell state."""
        enter, keep, new, show = self.gates(torch.cat([inputs, output], dim=1)).chunk(4, dim=1)
        peep_enter, peep_keep = self.before(cell).chunk(2, dim=1)
        cell = torch.sigmoid(keep + peep_keep) * cell + torch.sigmoid(enter + peep_enter) * torch.tanh(new)
        return torch.sigmoid(show + self.after(cell)) * torch.tanh(cell), cell


class PredictiveCoding(FrameNetwork):
    """PredNet (Lotter et al., 2017): a stack of levels, each half as large as the one below.

    Positive and negative prediction errors are passed upwards, recurrent states downwards. Actions are not used.

    Args:
        shape: Image shape; height and width must be divisible by 2 ** (layers - 1).
        channels: Channels of the second level; each higher level has twice as many.
        layers: Number of levels, including the pixel level.
    """

    pixel_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def __init__(self, shape: Shape, *, channels: int, layers: int) -> None:
        super().__init__()
        self.widths = [COLOURS, *(channels << level for level in range(layers - 1))]
        self.sides = [(shape[1] >> level, shape[2] >> level) for level in range(layers)]
        self.state_size = 2 * sum(self.sizes)
        above = [*self.widths[1:], 0]
        self.lstms = nn.ModuleList(
            ConvLSTM(2 * width + higher, width) for width, higher in zip(self.widths, above, strict=True)
        )
        predicts = [nn.Conv2d(width, width, 3, padding=1) for width in self.widths]
        self.predicts = nn.ModuleList(predicts)
        self.reports = nn.ModuleList(nn.Conv2d(2 * low, high, 3, padding=1) for low, high in pairwise(self.widths))
        # Predictions are clamped to [0, 1]; starting in the middle gives every pixel a gradient.
        with torch.no_grad():
            predicts[0].get_parameter("bias").fill_(0.5)

    def forward(self, frames: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the prediction of the frame after each of frames (n, time, 3, H, W), and the next state."""
        memory, predicted = self.unpacked(state), []
        for frame in frames.unbind(1):
            memory = self._updated_memory(self._errors(frame, memory), memory)
            predicted.append(self._prediction(0, memory[0][0]))
        return torch.stack(predicted, dim=1), torch.cat([part.flatten(1) for both in memory for part in both], dim=1)

    def _prediction(self, level: int, output: Tensor) -> Tensor:
        predicted: Tensor = self.predicts[level](output)
        return predicted.clamp(0.0, 1.0 if level == 0 else None)

    def _errors(self, frame: Tensor, memory: Memory) -> list[Tensor]:
        """Return the prediction errors of every level, from the lowest to the highest."""
        errors, actual = [], frame
        for level, (output, _) in enumerate(memory):
            difference = self._prediction(level, output) - actual
            errors.append(torch.cat([functional.relu(difference), functional.relu(-difference)], dim=1))
            if level < len(self.reports):
                actual = functional.max_pool2d(functional.relu(self.reports[level](errors[level])), 2)
        return errors

    def _updated_memory(self, errors: Sequence[Tensor], memory: Memory) -> Memory:
        """Return the memory after these errors, computed from the highest level to the lowest."""
        after: Memory = []
        for level in reversed(range(len(memory))):
            inputs = errors[level]
            if after:
                inputs = torch.cat([inputs, functional.interpolate(after[-1][0], scale_factor=2)], dim=1)
            after.append(self.lstms[level](inputs, *memory[level]))
        return after[::-1]

    @property
    def sizes(self) -> list[int]:
        """Size of the hidden state of each level; the cell state has the same size."""
        return [channels * height * width for channels, (height, width) in zip(self.widths, self.sides, strict=True)]

    def unpacked(self, state: Tensor) -> Memory:
        """Return a state (n, state_size) as hidden and cell state of each level."""
        parts = iter(torch.split(state, [size for size in self.sizes for _ in range(2)], dim=1))
        shapes = [(-1, width, *sides) for width, sides in zip(self.widths, self.sides, strict=True)]
        return [(next(parts).reshape(shape), next(parts).reshape(shape)) for shape in shapes]

    def losses(
        self, frames: Tensor, actions: Tensor, state: Tensor, random: RandomNumbers | None
    ) -> tuple[Tensor, Tensor]:
        """Return the mean absolute error of each predicted frame, and the next state."""
        predicted, state = self(frames[:, :-1], state)
        return (predicted - frames[:, 1:]).abs().mean(dim=(-3, -2, -1)), state

    def anomaly_scores(self, frames: Tensor, actions: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the mean squared error of each predicted frame, and the next state."""
        predicted, state = self(frames[:, :-1], state)
        return squared_image_error(predicted, frames[:, 1:]), state
