"""Compiled forward passes of several networks. Results are bit-reproducible; see :mod:`offnominal.core.dense_product`.

Dropout masks are a function of the row's (key, step, pass), so they do not depend on the batch.
"""

from __future__ import annotations

import math

import numpy as np

from offnominal.core.compilation import compiled
from offnominal.core.dense_product import BLOCK, Matrix, dense, fma
from offnominal.core.philox import HALF, MASK, block
from offnominal.core.types import Array, FloatArray, IntArray, KeyArray

ENSEMBLE, DROPOUT, DROPCONNECT = range(3)
ROWS = 32
WORD = 4294967296.0


@compiled
def forward(
    weights: Matrix,
    sizes: IntArray,
    kind: int,
    probability: float,
    inputs: Matrix,
    keys: KeyArray,
    steps: IntArray,
    out: Array,
) -> None:
    """Write the predictions of the members of an ensemble, or of passes with dropout masks, into `out`.

    Args:
        weights: (members, n_weights): for each layer the weights, (inputs, outputs), then the biases.
        sizes: Widths of the layers, inputs first.
        kind: ``ENSEMBLE``, ``DROPOUT`` or ``DROPCONNECT``.
        probability: Probability of being dropped.
        inputs: (n, sizes[0]).
        keys: (n,): random stream of each row.
        steps: (n,): position of each row in its stream.
        out: (passes, n, outputs): result.
    """
    n, last = inputs.shape[0], len(sizes) - 2
    now = np.zeros((ROWS, sizes.max()), np.float32)
    then = np.zeros_like(now)
    for each in range(out.shape[0]):
        member = weights[each if kind == ENSEMBLE else 0]
        for first in range(0, n, ROWS):
            rows = min(ROWS, n - first)
            whole = -(-rows // BLOCK) * BLOCK
            # Loops are compiled in a fraction of the time of an assignment to a slice.
            for r in range(rows):
                for j in range(sizes[0]):
                    now[r, j] = inputs[first + r, j]
            place, drawn = 0, 0
            for layer in range(last + 1):
                fan_in, fan_out = sizes[layer], sizes[layer + 1]
                weight = member[place : place + fan_in * fan_out].reshape(fan_in, fan_out)
                place += fan_in * fan_out
                bias = member[place : place + fan_out]
                place += fan_out
                if kind == DROPCONNECT:
                    for r in range(rows):
                        row = first + r
                        _connect(now[r], weight, bias, probability, keys[row], steps[row], each, drawn, then[r])
                    drawn += fan_in * -(-fan_out // BLOCK)
                else:
                    dense(now[:whole], weight, bias, then[:whole])
                if layer < last:
                    for r in range(rows):
                        _rectify(then[r], fan_out)
                        if kind == DROPOUT:
                            _drop(then[r], fan_out, probability, keys[first + r], steps[first + r], each, drawn)
                    drawn += -(-fan_out // BLOCK) if kind == DROPOUT else 0
                now, then = then, now
            for r in range(rows):
                for j in range(sizes[-1]):
                    out[each, first + r, j] = now[r, j]


@compiled
def _rectify(values: Matrix, width: int) -> None:
    for j in range(width):
        values[j] = max(values[j], np.float32(0.0))


@compiled
def _words(key: np.uint64, step: int, lane: int, number: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the four random words of one block within a pass."""
    return block(
        np.uint64(number) & MASK,
        np.uint64(step) & MASK,
        np.uint64(lane) & MASK,
        np.uint64(step) >> HALF,
        key & MASK,
        key >> HALF,
    )


@compiled
def _drop(values: Matrix, width: int, probability: float, key: np.uint64, step: int, lane: int, number: int) -> None:
    """Drop random units and scale the others, so that the expected sum stays the same."""
    border, grown = np.uint64(probability * WORD), np.float32(1.0 / (1.0 - probability))
    for first in range(0, width, BLOCK):
        words = _words(key, step, lane, number + first // BLOCK)
        for j in range(first, min(first + BLOCK, width)):
            values[j] = values[j] * grown if words[j - first] >= border else np.float32(0.0)


@compiled
def _connect(
    values: Matrix,
    weight: Matrix,
    bias: Matrix,
    probability: float,
    key: np.uint64,
    step: int,
    lane: int,
    number: int,
    out: Matrix,
) -> None:
    """Multiply by weights after DropConnect; biases are never dropped."""
    fan_in, fan_out = weight.shape
    border, grown = np.uint64(probability * WORD), np.float32(1.0 / (1.0 - probability))
    blocks = -(-fan_out // BLOCK)
    for j in range(fan_out):
        out[j] = bias[j]
    for k in range(fan_in):
        if values[k] == np.float32(0.0):
            continue
        value, line = values[k] * grown, weight[k]
        for b in range(blocks):
            w0, w1, w2, w3 = _words(key, step, lane, number + k * blocks + b)
            j = BLOCK * b
            if w0 >= border:
                out[j] = fma(out[j], value, line[j])
            if w1 >= border and j + 1 < fan_out:
                out[j + 1] = fma(out[j + 1], value, line[j + 1])
            if w2 >= border and j + 2 < fan_out:
                out[j + 2] = fma(out[j + 2], value, line[j + 2])
            if w3 >= border and j + 3 < fan_out:
                out[j + 3] = fma(out[j + 3], value, line[j + 3])


@compiled
def mean_and_std_kernel(passes: Array, mean: FloatArray, spread: FloatArray) -> None:
    """Write the mean and standard deviation over the passes, summed in their order."""
    count, n, width = passes.shape
    for i in range(n):
        for j in range(width):
            total = 0.0
            for each in range(count):
                total += passes[each, i, j]
            middle = total / count
            square = 0.0
            for each in range(count):
                off = passes[each, i, j] - middle
                square += off * off
            mean[i, j] = middle
            spread[i, j] = math.sqrt(square / count)
