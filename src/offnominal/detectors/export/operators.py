"""ONNX forms of torch's elementwise operators and reductions.

Every function gets the graph, a tensor like the result, and the arguments of torch's operator. Shapes are static.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor

from offnominal.detectors.export.graph import Graph, Operand, Value

Emitter = Callable[..., Any]
F = TypeVar("F", bound=Emitter)
OPERATORS: dict[str, Emitter] = {}
"""By the name of torch's operator, without its overload."""

UNARY = {
    "abs": "Abs",
    "bitwise_not": "Not",
    "cos": "Cos",
    "erf": "Erf",
    "exp": "Exp",
    "floor": "Floor",
    "log": "Log",
    "logical_not": "Not",
    "neg": "Neg",
    "reciprocal": "Reciprocal",
    "relu": "Relu",
    "round": "Round",
    "sigmoid": "Sigmoid",
    "sign": "Sign",
    "sin": "Sin",
    "sqrt": "Sqrt",
    "tanh": "Tanh",
}
BINARY = {
    "add": "Add",
    "bitwise_and": "And",
    "bitwise_or": "Or",
    "div": "Div",
    "logical_and": "And",
    "logical_or": "Or",
    "maximum": "Max",
    "minimum": "Min",
    "mul": "Mul",
    "sub": "Sub",
}
COMPARISONS = {"eq": "Equal", "ge": "GreaterOrEqual", "gt": "Greater", "le": "LessOrEqual", "lt": "Less"}
REDUCTIONS = {"amax": "ReduceMax", "amin": "ReduceMin", "mean": "ReduceMean", "sum": "ReduceSum"}
PLACES = {"argmax": "ArgMax", "argmin": "ArgMin"}


def emits(*names: str) -> Callable[[F], F]:
    """Register a function for operators."""

    def register(function: F) -> F:
        OPERATORS.update(dict.fromkeys(names, function))
        return function

    return register


def like(out: Tensor) -> dict[str, Any]:
    """Return type and shape of a result."""
    return {"dtype": out.dtype, "shape": tuple(out.shape)}


def integers(values: Sequence[int]) -> Tensor:
    """Return a list of integers as a tensor."""
    return torch.tensor(list(values), dtype=torch.int64)


def _unary(kind: str) -> Emitter:
    return lambda g, out, x: g.op(kind, g.value(x, out.dtype), **like(out))


def _binary(kind: str) -> Emitter:
    def emit(g: Graph, out: Tensor, a: Operand, b: Operand, *, alpha: float = 1) -> Value:
        second = g.value(b, out.dtype)
        if alpha != 1:
            second = g.op("Mul", second, g.value(alpha, out.dtype), dtype=out.dtype, shape=second.shape)
        return g.op(kind, g.value(a, out.dtype), second, **like(out))

    return emit


def _comparison(kind: str) -> Emitter:
    def emit(g: Graph, out: Tensor, a: Operand, b: Operand) -> Value:
        common = torch.result_type(_stand_in(a), _stand_in(b))
        return g.op(kind, g.value(a, common), g.value(b, common), **like(out))

    return emit


def _stand_in(operand: Operand) -> Any:
    return torch.empty(operand.shape, dtype=operand.dtype) if isinstance(operand, Value) else operand


def _reduction(kind: str) -> Emitter:
    def emit(g: Graph, out: Tensor, x: Value, axes: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Value:
        return g.op(kind, g.value(x, out.dtype), integers(_axes(x, axes)), keepdims=int(keepdim), **like(out))

    return emit


def _axes(x: Value, axes: Sequence[int] | int | None) -> list[int]:
    given = [axes] if isinstance(axes, int) else axes or range(len(x.shape))
    return [axis % len(x.shape) for axis in given]


def _place(kind: str) -> Emitter:
    def emit(g: Graph, out: Tensor, x: Value, axis: int, keepdim: bool = False) -> Value:
        return g.op(kind, x, axis=axis % len(x.shape), keepdims=int(keepdim), **like(out))

    return emit


def _extreme(kind: str) -> Emitter:
    def emit(g: Graph, out: Any, x: Value, axis: int | None = None, keepdim: bool = False) -> Any:
        if axis is None:
            return OPERATORS[f"a{kind}"](g, out, x)
        values = OPERATORS[f"a{kind}"](g, out[0], x, axis, keepdim)
        return [values, OPERATORS[f"arg{kind}"](g, out[1], x, axis, keepdim)]

    return emit


OPERATORS.update({name: _unary(kind) for name, kind in UNARY.items()})
OPERATORS.update({name: _binary(kind) for name, kind in BINARY.items()})
OPERATORS.update({name: _comparison(kind) for name, kind in COMPARISONS.items()})
OPERATORS.update({name: _reduction(kind) for name, kind in REDUCTIONS.items()})
OPERATORS.update({name: _place(kind) for name, kind in PLACES.items()})
OPERATORS.update({name: _extreme(name) for name in ("max", "min")})


@emits("ne")
def _different(g: Graph, out: Tensor, a: Operand, b: Operand) -> Value:
    return g.op("Not", OPERATORS["eq"](g, out, a, b), **like(out))


@emits("pow")
def _power(g: Graph, out: Tensor, base: Operand, exponent: Operand) -> Value:
    first = g.value(base, out.dtype)
    if not isinstance(exponent, Value | Tensor) and exponent == 2:
        return g.op("Mul", first, first, **like(out))
    return g.op("Pow", first, g.value(exponent, out.dtype), **like(out))


@emits("square")
def _square(g: Graph, out: Tensor, x: Value) -> Value:
    return g.op("Mul", x, x, **like(out))


@emits("rsqrt")
def _inverse_root(g: Graph, out: Tensor, x: Value) -> Value:
    return g.op("Reciprocal", g.op("Sqrt", x, **like(out)), **like(out))


@emits("_to_copy")
def _cast(g: Graph, out: Tensor, x: Value, **_: Any) -> Value:
    return g.value(x, out.dtype)


@emits("where")
def _where(g: Graph, out: Tensor, condition: Operand, a: Operand, b: Operand) -> Value:
    return g.op("Where", condition, g.value(a, out.dtype), g.value(b, out.dtype), **like(out))


@emits("clamp", "clamp_min")
def _clamp(g: Graph, out: Tensor, x: Value, low: Operand | None = None, high: Operand | None = None) -> Value:
    value = g.value(x, out.dtype)
    if low is not None:
        value = g.op("Max", value, g.value(low, out.dtype), **like(out))
    return value if high is None else g.op("Min", value, g.value(high, out.dtype), **like(out))


@emits("clamp_max")
def _clamp_max(g: Graph, out: Tensor, x: Value, high: Operand) -> Value:
    return _clamp(g, out, x, None, high)


@emits("any")
def _any(g: Graph, out: Tensor, x: Value, axes: Any = None, keepdim: bool = False) -> Value:
    numbers = g.value(x, torch.int32)
    shape: dict[str, Any] = {"dtype": torch.int32, "shape": out.shape}
    return g.value(g.op("ReduceMax", numbers, integers(_axes(x, axes)), keepdims=int(keepdim), **shape), torch.bool)


@emits("log1p")
def _log1p(g: Graph, out: Tensor, x: Value) -> Value:
    """Compute in double precision, because the sum with one loses the digits of small numbers."""
    shape: dict[str, Any] = {"dtype": torch.float64, "shape": out.shape}
    total = g.op("Add", g.value(x, torch.float64), torch.ones((), dtype=torch.float64), **shape)
    return g.value(g.op("Log", total, **shape), out.dtype)


@emits("masked_fill")
def _masked_fill(g: Graph, out: Tensor, x: Value, mask: Operand, value: Operand) -> Value:
    return _where(g, out, mask, value, x)
