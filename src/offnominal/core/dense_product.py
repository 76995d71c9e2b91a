"""Bit-reproducible matrix products: the result of a row does not depend on the batch, the threads or the CPU.

Libraries choose the kernel, and so the order of additions, by shape. Here each output adds its products in the order of
the inputs with fused multiply-add (rounded once), four rows at a time for speed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from offnominal.core.compilation import compiled

Matrix = NDArray[np.float32]
BLOCK = 4


@intrinsic
def _fma(typing_context: Any, acc: Any, x: Any, w: Any) -> Any:
    """Return acc + x * w rounded once, as IEEE 754 defines it."""
    signature = types.float32(types.float32, types.float32, types.float32)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.fma(arguments[1], arguments[2], arguments[0])

    return signature, generate


fma: Callable[[float, float, float], float] = cast(Any, _fma)


@compiled
def dense(x: Matrix, weight: Matrix, bias: Matrix, out: Matrix) -> None:
    """Compute x @ weight + bias; the number of rows must be a multiple of BLOCK."""
    inputs, outputs = weight.shape
    whole = inputs - inputs % BLOCK
    for r in range(0, x.shape[0], BLOCK):
        a, b, c, d = out[r], out[r + 1], out[r + 2], out[r + 3]
        for j in range(outputs):
            a[j] = b[j] = c[j] = d[j] = bias[j]
        for k in range(0, whole, BLOCK):
            w0, w1, w2, w3 = weight[k], weight[k + 1], weight[k + 2], weight[k + 3]
            a0, a1, a2, a3 = x[r, k], x[r, k + 1], x[r, k + 2], x[r, k + 3]
            b0, b1, b2, b3 = x[r + 1, k], x[r + 1, k + 1], x[r + 1, k + 2], x[r + 1, k + 3]
            c0, c1, c2, c3 = x[r + 2, k], x[r + 2, k + 1], x[r + 2, k + 2], x[r + 2, k + 3]
            d0, d1, d2, d3 = x[r + 3, k], x[r + 3, k + 1], x[r + 3, k + 2], x[r + 3, k + 3]
            for j in range(outputs):
                v0, v1, v2, v3 = w0[j], w1[j], w2[j], w3[j]
                a[j] = fma(fma(fma(fma(a[j], a0, v0), a1, v1), a2, v2), a3, v3)
                b[j] = fma(fma(fma(fma(b[j], b0, v0), b1, v1), b2, v2), b3, v3)
                c[j] = fma(fma(fma(fma(c[j], c0, v0), c1, v1), c2, v2), c3, v3)
                d[j] = fma(fma(fma(fma(d[j], d0, v0), d1, v1), d2, v2), d3, v3)
        for k in range(whole, inputs):
            w0 = weight[k]
            for j in range(outputs):
                a[j] = fma(a[j], x[r, k], w0[j])
                b[j] = fma(b[j], x[r + 1, k], w0[j])
                c[j] = fma(c[j], x[r + 2, k], w0[j])
                d[j] = fma(d[j], x[r + 3, k], w0[j])


def blocks(rows: int) -> int:
    """Return the number of rows rounded up to a multiple of BLOCK."""
    return -(-rows // BLOCK) * BLOCK
