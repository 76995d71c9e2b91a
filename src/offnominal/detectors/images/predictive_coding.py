"""Predictive coding: each level predicts what the level below reports, and reports upwards where it was wrong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from offnominal.detectors.images.image_scaling import COLOURS, Shape

Memory = list[tuple[Tensor, Tensor]]
"""Output and cell of every level."""


class ConvLSTM(nn.Module):
    """An LSTM whose products are convolutions, with peepholes.

    Args:
        inputs: Channels of what comes in.
        outputs: Channels of what it remembers.
    """

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.gates = nn.Conv2d(inputs + outputs, 4 * outputs, 3, padding=1)
        self.before = nn.Conv2d(outputs, 2 * outputs, 3, padding=1, bias=False)
        self.after = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)

    def forward(self, inputs: Tensor, output: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """Return the next output and cell."""
        enter, keep, new, show = self.gates(torch.cat([inputs, output], dim=1)).chunk(4, dim=1)
        peep_enter, peep_keep = self.before(cell).chunk(2, dim=1)
        cell = torch.sigmoid(keep + peep_keep) * cell + torch.sigmoid(enter + peep_enter) * torch.tanh(new)
        return torch.sigmoid(show + self.after(cell)) * torch.tanh(cell), cell


class PredictiveCoding(nn.Module):
    """PredNet (Lotter et al., 2017): a stack of levels, each half as large as the one below.

    Errors of the predictions go up, as what is too much and what is missing; what the levels remember goes down.

    Args:
        shape: Of the pictures; sides must be divisible by 2 to the number of levels less one.
        channels: Of the second level; each above has twice as many.
        layers: Levels, that of the pixels included.
    """

    def __init__(self, shape: Shape, *, channels: int, layers: int) -> None:
        super().__init__()
        self.widths = [COLOURS, *(channels << level for level in range(layers - 1))]
        self.sides = [(shape[1] >> level, shape[2] >> level) for level in range(layers)]
        above = [*self.widths[1:], 0]
        self.lstms = nn.ModuleList(
            ConvLSTM(2 * width + higher, width) for width, higher in zip(self.widths, above, strict=True)
        )
        predicts = [nn.Conv2d(width, width, 3, padding=1) for width in self.widths]
        self.predicts = nn.ModuleList(predicts)
        self.reports = nn.ModuleList(nn.Conv2d(2 * low, high, 3, padding=1) for low, high in pairwise(self.widths))
        # Between black and white a pixel has a gradient; outside it has none and would never learn.
        with torch.no_grad():
            predicts[0].get_parameter("bias").fill_(0.5)

    def forward(self, frames: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the picture after each of frames (n, time, 3, H, W), all in [0, 1], and the state then."""
        memory, predicted = self.unpacked(state), []
        for frame in frames.unbind(1):
            memory = self._downwards(self._upwards(frame, memory), memory)
            predicted.append(self._prediction(0, memory[0][0]))
        return torch.stack(predicted, dim=1), torch.cat([part.flatten(1) for both in memory for part in both], dim=1)

    def _prediction(self, level: int, output: Tensor) -> Tensor:
        predicted: Tensor = self.predicts[level](output)
        return predicted.clamp(0.0, 1.0 if level == 0 else None)

    def _upwards(self, frame: Tensor, memory: Memory) -> list[Tensor]:
        """Return the errors of every level."""
        errors, actual = [], frame
        for level, (output, _) in enumerate(memory):
            difference = self._prediction(level, output) - actual
            errors.append(torch.cat([functional.relu(difference), functional.relu(-difference)], dim=1))
            if level < len(self.reports):
                actual = functional.max_pool2d(functional.relu(self.reports[level](errors[level])), 2)
        return errors

    def _downwards(self, errors: Sequence[Tensor], memory: Memory) -> Memory:
        """Return what the levels remember after these errors."""
        after: Memory = []
        for level in reversed(range(len(memory))):
            inputs = errors[level]
            if after:
                inputs = torch.cat([inputs, functional.interpolate(after[-1][0], scale_factor=2)], dim=1)
            after.append(self.lstms[level](inputs, *memory[level]))
        return after[::-1]

    @property
    def sizes(self) -> list[int]:
        """Numbers that each level remembers, output and cell each."""
        return [width * height * along for width, (height, along) in zip(self.widths, self.sides, strict=True)]

    def unpacked(self, state: Tensor) -> Memory:
        """Return a state (n, numbers) as what each level remembers."""
        parts = iter(torch.split(state, [size for size in self.sizes for _ in range(2)], dim=1))
        shapes = [(-1, width, *sides) for width, sides in zip(self.widths, self.sides, strict=True)]
        return [(next(parts).reshape(shape), next(parts).reshape(shape)) for shape in shapes]
