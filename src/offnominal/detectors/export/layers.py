"""ONNX forms of torch's matrix products, convolutions, pooling and resizing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from offnominal.detectors.export.graph import Graph, Operand, Value
from offnominal.detectors.export.operators import OPERATORS, Emitter, emits, like


@emits("mm", "bmm", "matmul", "mv", "dot")
def _product(g: Graph, out: Tensor, a: Operand, b: Operand) -> Value:
    return g.op("MatMul", a, b, **like(out))


@emits("addmm")
def _affine(
    g: Graph, out: Tensor, bias: Operand, a: Operand, b: Operand, *, beta: float = 1, alpha: float = 1
) -> Value:
    return g.op("Gemm", a, b, bias, alpha=float(alpha), beta=float(beta), **like(out))


@emits("baddbmm")
def _batched_affine(g: Graph, out: Tensor, bias: Operand, a: Operand, b: Operand) -> Value:
    return g.op("Add", g.op("MatMul", a, b, **like(out)), bias, **like(out))


@emits("convolution")
def _convolution(
    g: Graph,
    out: Tensor,
    x: Value,
    weight: Operand,
    bias: Operand | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    transposed: bool,
    output_padding: Sequence[int],
    groups: int,
) -> Value:
    inputs = [x, weight] if bias is None else [x, weight, bias]
    options: dict[str, Any] = {
        "strides": stride,
        "pads": [*padding, *padding],
        "dilations": dilation,
        "group": groups,
        "kernel_shape": list(g.value(weight).shape[2:]),
    }
    if transposed:
        return g.op("ConvTranspose", *inputs, output_padding=output_padding, **options, **like(out))
    return g.op("Conv", *inputs, **options, **like(out))


@emits("max_pool2d_with_indices")
def _max_pool(
    g: Graph,
    out: Any,
    x: Value,
    side: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    dilation: Sequence[int] = (1, 1),
    ceil_mode: bool = False,
) -> list[Value]:
    options: dict[str, Any] = {"strides": stride or side, "pads": [*padding, *padding], "ceil_mode": int(ceil_mode)}
    return [g.op("MaxPool", x, kernel_shape=side, dilations=dilation, **options, **like(out[0]))]


@emits("avg_pool2d")
def _avg_pool(
    g: Graph,
    out: Tensor,
    x: Value,
    side: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0, 0),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Value:
    options: dict[str, Any] = {"strides": stride or side, "pads": [*padding, *padding], "ceil_mode": int(ceil_mode)}
    return g.op("AveragePool", x, kernel_shape=side, count_include_pad=int(count_include_pad), **options, **like(out))


RESIZING: dict[str, dict[str, Any]] = {
    "upsample_nearest2d": {"mode": "nearest"},
    "upsample_bilinear2d": {"mode": "bilinear"},
    "upsample_bicubic2d": {"mode": "bicubic"},
    "_upsample_bilinear2d_aa": {"mode": "bilinear", "antialias": True},
    "_upsample_bicubic2d_aa": {"mode": "bicubic", "antialias": True},
}


def _resizing(mode: dict[str, Any]) -> Emitter:
    """Resize by a product with a matrix for each axis, which torch computes by resizing the identity."""

    def emit(g: Graph, out: Tensor, x: Value, size: Any, corners: Any = None, *_: Any) -> Value:
        options = mode if corners is not True else mode | {"align_corners": True}

        def matrix(before: int, after: int) -> Tensor:
            return functional.interpolate(torch.eye(before)[None, None], (after, before), **options)[0, 0]

        (height, width), (tall, wide) = x.shape[2:], out.shape[2:]
        higher = g.op("MatMul", matrix(height, tall), x, dtype=x.dtype, shape=(*x.shape[:2], tall, width))
        return g.op("MatMul", higher, matrix(width, wide).T, **like(out))

    return emit


OPERATORS.update({name: _resizing(mode) for name, mode in RESIZING.items()})
