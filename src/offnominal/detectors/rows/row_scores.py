"""Scores of a single row by trained networks, without torch, whose calls take longer than the arithmetic.

Each class has copies of the weights that its score needs. A score is that of the batch up to rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.types import FloatArray, IntArray
from offnominal.detectors.dense_layers import DenseLayers, SinglePrecision

LOG_2PI = float(np.log(2.0 * np.pi))


class RowScore(Protocol):
    """Scores one row."""

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the score, (1,), of a row, (1, columns)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class CriticScore:
    """Probability, by a critic, that a row is generated.

    Args:
        critic: Log-odds that a row is real.
        box: Lowest value and span of each column, by which a row is scaled first; None for no scaling.
    """

    critic: DenseLayers
    box: tuple[SinglePrecision, SinglePrecision] | None = None

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the score of a row."""
        if self.box is not None:
            row = (row - self.box[0]) / self.box[1]
        odds = self.critic(row)[0].astype(np.float64)
        probability: FloatArray = 1.0 / (1.0 + np.exp(odds))
        return probability


@dataclass(frozen=True, slots=True, eq=False)
class DistanceScore:
    """Squared distance of a code from a centre, less the squared radius.

    Args:
        encoder: Code of a row.
        centre: Centre of the codes.
        radius: Radius of the sphere.
    """

    encoder: DenseLayers
    centre: SinglePrecision
    radius: float

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the score of a row."""
        apart = (self.encoder(row) - self.centre).astype(np.float64)
        distance: FloatArray = np.square(apart).sum(axis=1) - self.radius**2
        return distance


@dataclass(frozen=True, slots=True, eq=False)
class CodeChangeScore:
    """Mean absolute change of a code after decoding and encoding it again.

    Args:
        encoder: Code of a row.
        generator: Row of a code.
        again: Code of a generated row.
    """

    encoder: DenseLayers
    generator: DenseLayers
    again: DenseLayers

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the score of a row."""
        code = self.encoder(row)
        change: FloatArray = np.abs(code - self.again(self.generator(code))).mean(axis=1, dtype=np.float64)
        return change


@dataclass(frozen=True, slots=True, eq=False)
class MeanBin:
    """Mean number of a bin by the probabilities of a classifier.

    Args:
        classifier: Log-odds of the bins.
    """

    classifier: DenseLayers

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the score of a row."""
        odds = self.classifier(row).astype(np.float64)
        weights = np.exp(odds - odds.max())
        mean: FloatArray = weights @ np.arange(odds.shape[1]) / weights.sum()
        return mean


@dataclass(frozen=True, slots=True, eq=False)
class MeanCode:
    """Mean code of a row.

    Args:
        encoder: Mean and raw deviation of the code of a row.
    """

    encoder: DenseLayers

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the mean code, (1, latent)."""
        outputs = self.encoder(row)
        return outputs[:, : outputs.shape[1] // 2].astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class SampledScore:
    """Mean reconstruction error of a row over samples of its code.

    Args:
        encoder: Mean and raw deviation of the code of a row.
        decoder: Mean of a row, and its raw deviation: none, one number, or one per column.
        noise: (samples, latent) noise of the samples.
        least: Smallest deviation.
    """

    encoder: DenseLayers
    decoder: DenseLayers
    noise: SinglePrecision
    least: float

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the score of a row."""
        latent, width = self.noise.shape[1], row.shape[1]
        outputs = self.encoder(row)
        deviation = _softplus(outputs[:, latent:].astype(np.float64)) + self.least
        rebuilt = self.decoder(outputs[:, :latent] + deviation.astype(np.float32) * self.noise)
        missed: FloatArray = np.subtract(rebuilt[:, :width], row, dtype=np.float64)
        if rebuilt.shape[1] == width:
            return np.array([np.vdot(missed, missed) / missed.size])
        spread = _softplus(np.array(rebuilt[:, width:], np.float64, order="C"))
        spread += self.least
        missed /= spread
        logs = np.log(spread, out=spread).sum() * (width // spread.shape[1])
        return np.array([(0.5 * np.vdot(missed, missed) + logs) / len(missed) + 0.5 * LOG_2PI * width])


@dataclass(frozen=True, slots=True, eq=False)
class FlowStep:
    """One invertible layer of a flow: some columns are shifted and scaled by functions of others.

    Args:
        networks: Shift and raw log-scale, by one network or by two.
        still: Columns that the networks get; none for a constant.
        moving: Columns that change.
        offset: Offset of the squashed log-scale; empty if it is not squashed.
        size: Size of the squashed log-scale.
    """

    networks: tuple[DenseLayers, ...]
    still: IntArray
    moving: IntArray
    offset: SinglePrecision
    size: SinglePrecision

    def __call__(self, values: FloatArray, bounds: tuple[float, float]) -> float:
        """Change the values and return the log-determinant."""
        known = values[self.still].astype(np.float32) if len(self.still) else np.ones(1, np.float32)
        outputs = self.networks[0](known[None])[0]
        n = len(self.moving)
        shift, scale = (
            (outputs[:n], outputs[n:]) if len(self.networks) == 1 else (outputs, self.networks[1](known[None])[0])
        )
        return _shift_and_scale(values, self.moving, shift, scale, self.offset, self.size, *bounds)


@dataclass(frozen=True, slots=True, eq=False)
class ScaleStep:
    """Batch normalisation of a flow: columns times a gain plus an offset.

    Args:
        gain: Factor of each column.
        offset: Added afterwards.
        log_volume: Sum of the logarithms of the gains.
    """

    gain: FloatArray
    offset: FloatArray
    log_volume: float

    def __call__(self, values: FloatArray, bounds: tuple[float, float]) -> float:
        """Change the values and return the log-determinant."""
        values *= self.gain
        values += self.offset
        return self.log_volume


@dataclass(frozen=True, slots=True, eq=False)
class FlowScore:
    """Negative log-density of a normalising flow.

    Args:
        steps: Its layers.
        bounds: Bounds of twice the log-scale and of the outputs of a layer.
    """

    steps: tuple[FlowStep | ScaleStep, ...]
    bounds: tuple[float, float]

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the score of a row."""
        values, total = row[0].astype(np.float64), 0.0
        for step in self.steps:
            total += step(values, self.bounds)
        return np.array([0.5 * (np.vdot(values, values) + LOG_2PI * len(values)) - total])


@compiled
def _shift_and_scale(
    values: FloatArray,
    moving: IntArray,
    shift: SinglePrecision,
    scale: SinglePrecision,
    offset: SinglePrecision,
    size: SinglePrecision,
    most: float,
    largest: float,
) -> float:
    """Change the moving columns and return the log-determinant."""
    total = 0.0
    for k in range(len(moving)):
        raw = np.float64(scale[k])
        if len(offset):
            raw = offset[k] + size[k] * math.tanh(raw)
        half = 0.5 * raw / (1.0 + abs(raw) / most)
        moved = math.exp(-half) * (values[moving[k]] - shift[k])
        values[moving[k]] = min(max(moved, -largest), largest)
        total -= half
    return total


@dataclass(frozen=True, slots=True, eq=False)
class MixtureScore:
    """Negative log-density of a mixture of affine maps of standard normal variables.

    Args:
        matrices: (columns, paths * columns) matrices of the maps, side by side.
        offsets: (paths, columns) offsets.
        constants: (paths,) log-weights and log-determinants.
    """

    matrices: FloatArray
    offsets: FloatArray
    constants: FloatArray

    def __call__(self, row: SinglePrecision) -> FloatArray:
        """Return the score of a row."""
        ends = (row[0].astype(np.float64) @ self.matrices).reshape(self.offsets.shape) + self.offsets
        logs = self.constants - 0.5 * (np.square(ends).sum(axis=1) + LOG_2PI * ends.shape[1])
        top = logs.max()
        return np.array([-(top + np.log(np.exp(logs - top).sum()))])


def _softplus(values: FloatArray) -> FloatArray:
    """Return log(1 + exp(value)) with an absolute error of 1e-16: the smallest deviation is added to it."""
    softplus: FloatArray = np.abs(values)
    np.exp(np.negative(softplus, out=softplus), out=softplus)
    softplus += 1.0
    np.log(softplus, out=softplus)
    softplus += np.maximum(values, 0.0)
    return softplus
