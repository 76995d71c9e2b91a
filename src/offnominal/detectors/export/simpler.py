"""Operators of torch in terms of simpler ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from offnominal.core.errors import UnsupportedExport

_UNUSED = (torch.empty(0), torch.empty(0))
"""In place of statistics that only the training needs."""


def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta x)) / beta."""
    scaled = beta * x
    return torch.where(scaled > threshold, x, scaled.clamp(max=threshold).exp().log1p() / beta)


def elu(x: Tensor, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Tensor:
    """Return x, or alpha (exp(x) - 1) below zero."""
    return scale * torch.where(x > 0, x, alpha * ((input_scale * x.clamp(max=0.0)).exp() - 1.0))


def leaky_relu(x: Tensor, slope: float = 0.01) -> Tensor:
    """Return x, or slope x below zero."""
    return torch.where(x > 0, x, slope * x)


def gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    """Return x times the normal distribution function."""
    if approximate == "tanh":
        return 0.5 * x * (1.0 + (math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)).tanh())
    return 0.5 * x * (1.0 + (x / math.sqrt(2.0)).erf())


def logsumexp(x: Tensor, dim: list[int], keepdim: bool = False) -> Tensor:
    """Return the logarithm of the sum of exponentials."""
    highest = x.amax(dim, keepdim=True)
    total = (x - highest).exp().sum(dim, keepdim=keepdim).log()
    return total + (highest if keepdim else highest.squeeze(dim))


def softmax(x: Tensor, dim: int, half_to_float: bool = False) -> Tensor:
    """Return exponentials that sum to one."""
    weights = (x - x.amax(dim, keepdim=True)).exp()
    return weights / weights.sum(dim, keepdim=True)


def log_softmax(x: Tensor, dim: int, half_to_float: bool = False) -> Tensor:
    """Return the logarithm of :func:`softmax`."""
    return x - x.logsumexp(dim, keepdim=True)


def vector_norm(
    x: Tensor, order: float = 2, dim: list[int] | None = None, keepdim: bool = False, *, dtype: Any = None
) -> Tensor:
    """Return the Euclidean length."""
    if order != 2:
        raise UnsupportedExport(f"a norm of order {order} has no ONNX form in this version.")
    return x.square().sum(dim, keepdim=keepdim).sqrt()


def variance(x: Tensor, dim: Sequence[int] | None = None, *, correction: float = 1, keepdim: bool = False) -> Tensor:
    """Return the variance."""
    axes = list(range(x.ndim)) if dim is None else list(dim)
    squares = (x - x.mean(axes, keepdim=True)).square().sum(axes, keepdim=keepdim)
    return squares / (math.prod(x.shape[axis] for axis in axes) - correction)


def group_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, n: int, channels: int, pixels: int, groups: int, eps: float
) -> tuple[Tensor, ...]:
    """Return images with zero mean and unit variance in each group of channels."""
    rows = x.reshape(n, groups, -1)
    normal = (rows - rows.mean(-1, keepdim=True)) * (variance(rows, [-1], correction=0, keepdim=True) + eps).rsqrt()
    return (_scaled(normal.reshape(x.shape), weight, bias, (1, channels, *[1] * (x.ndim - 2))), *_UNUSED)


def layer_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, ...]:
    """Return vectors with zero mean and unit variance over the last axes."""
    axes = list(range(-len(shape), 0))
    normal = (x - x.mean(axes, keepdim=True)) * (variance(x, axes, correction=0, keepdim=True) + eps).rsqrt()
    return (_scaled(normal, weight, bias, tuple(shape)), *_UNUSED)


def batch_norm(
    x: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    mean: Tensor,
    spread: Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, ...]:
    """Return images normalised by running statistics."""
    shape = (1, -1, *[1] * (x.ndim - 2))
    normal = (x - mean.reshape(shape)) * (spread.reshape(shape) + eps).rsqrt()
    return (_scaled(normal, weight, bias, shape), *_UNUSED)


def _scaled(x: Tensor, weight: Tensor | None, bias: Tensor | None, shape: Sequence[int]) -> Tensor:
    if weight is not None:
        x = x * weight.reshape(shape)
    return x if bias is None else x + bias.reshape(shape)


SIMPLER: dict[str, Callable[..., Any]] = {
    "_log_softmax": log_softmax,
    "_softmax": softmax,
    "addcmul": lambda x, a, b, *, value=1: x + value * (a * b),
    "elu": elu,
    "gelu": gelu,
    "hardtanh": lambda x, low=-1.0, high=1.0: x.clamp(low, high),
    "leaky_relu": leaky_relu,
    "lerp": lambda a, b, weight: a + weight * (b - a),
    "linalg_vector_norm": vector_norm,
    "logsumexp": logsumexp,
    "native_batch_norm": batch_norm,
    "native_group_norm": group_norm,
    "native_layer_norm": layer_norm,
    "rsub": lambda x, other, alpha=1: -alpha * x + other,
    "silu": lambda x: x * x.sigmoid(),
    "softplus": softplus,
    "var": variance,
}
"""By the name of the operator, without its overload."""
