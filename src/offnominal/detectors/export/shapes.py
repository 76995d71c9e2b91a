"""ONNX forms of torch's operators that select, move, repeat or join elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from offnominal.core.errors import UnsupportedExport
from offnominal.detectors.export.graph import Graph, Operand, Value
from offnominal.detectors.export.operators import emits, integers, like


@emits("alias", "clone", "contiguous", "detach", "lift_fresh_copy")
def _same(g: Graph, out: Tensor, x: Value, **_: Any) -> Value:
    return x


@emits("view", "_unsafe_view", "reshape", "unsqueeze", "squeeze", "flatten")
def _reshape(g: Graph, out: Tensor, x: Value, *_: Any) -> Value:
    return x if tuple(out.shape) == x.shape else g.op("Reshape", x, integers(out.shape), **like(out))


@emits("expand")
def _expand(g: Graph, out: Tensor, x: Value, *_: Any, **__: Any) -> Value:
    return x if tuple(out.shape) == x.shape else g.op("Expand", x, integers(out.shape), **like(out))


@emits("repeat")
def _repeat(g: Graph, out: Tensor, x: Value, counts: Sequence[int]) -> Value:
    raised = _reshape(g, torch.empty((1,) * (len(counts) - len(x.shape)) + x.shape, dtype=x.dtype), x)
    return g.op("Tile", raised, integers(counts), **like(out))


@emits("permute")
def _permute(g: Graph, out: Tensor, x: Value, order: Sequence[int]) -> Value:
    return g.op("Transpose", x, perm=[axis % len(order) for axis in order], **like(out))


@emits("t", "transpose")
def _transpose(g: Graph, out: Tensor, x: Value, first: int = 0, second: int = 1) -> Value:
    order = list(range(len(x.shape)))
    if len(order) > 1:
        order[first], order[second] = order[second], order[first]
    return _permute(g, out, x, order)


@emits("cat")
def _cat(g: Graph, out: Tensor, parts: Sequence[Operand], axis: int = 0) -> Value:
    values = [g.value(part, out.dtype) for part in parts]
    filled = [value for value in values if 0 not in value.shape]
    return filled[0] if len(filled) == 1 else g.op("Concat", *filled, axis=axis % out.ndim, **like(out))


@emits("stack")
def _stack(g: Graph, out: Tensor, parts: Sequence[Operand], axis: int = 0) -> Value:
    shape = list(out.shape)
    shape[axis] = 1
    raised = torch.empty(shape, dtype=out.dtype)
    return _cat(g, out, [_reshape(g, raised, g.value(part, out.dtype)) for part in parts], axis)


@emits("split", "split_with_sizes", "unsafe_split")
def _split(g: Graph, out: Sequence[Tensor], x: Value, sizes: Any, axis: int = 0) -> list[Value]:
    axis %= len(x.shape)
    results = [(part.dtype, tuple(part.shape)) for part in out]
    return g.ops("Split", x, integers([part.shape[axis] for part in out]), results=results, axis=axis)


@emits("unbind")
def _unbind(g: Graph, out: Sequence[Tensor], x: Value, axis: int = 0) -> list[Value]:
    return [_select(g, part, x, axis, number) for number, part in enumerate(out)]


@emits("select")
def _select(g: Graph, out: Tensor, x: Value, axis: int, number: int) -> Value:
    axis %= len(x.shape)
    return g.op("Gather", x, torch.tensor(number % x.shape[axis]), axis=axis, **like(out))


@emits("slice")
def _slice(
    g: Graph, out: Tensor, x: Value, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Value:
    if tuple(out.shape) == x.shape and step == 1:
        return x
    ends = [integers([number]) for number in (start or 0, 2**62 if end is None else end)]
    return g.op("Slice", x, *ends, integers([axis % len(x.shape)]), integers([step]), **like(out))


@emits("gather")
def _gather(g: Graph, out: Tensor, x: Operand, axis: int, places: Operand, **_: Any) -> Value:
    return g.op("GatherElements", x, places, axis=axis % out.ndim, **like(out))


@emits("index_select")
def _index_select(g: Graph, out: Tensor, x: Operand, axis: int, places: Operand) -> Value:
    return g.op("Gather", x, places, axis=axis % out.ndim, **like(out))


@emits("index")
def _index(g: Graph, out: Tensor, x: Operand, places: Sequence[Operand | None]) -> Value:
    """Select by one index, or by indices of the first axes."""
    given = [(axis, place) for axis, place in enumerate(places) if place is not None]
    if len(given) == 1:
        axis, place = given[0]
        return g.op("Gather", x, g.value(place, torch.int64), axis=axis, **like(out))
    if [axis for axis, _ in given] != list(range(len(given))):
        raise UnsupportedExport("indexing of axes that are not adjacent has no ONNX form in this version.")
    shape = tuple(out.shape[: out.ndim - (len(g.value(x).shape) - len(given))])
    raised = torch.empty((*shape, 1), dtype=torch.int64)
    columns = [
        _reshape(g, raised, _expand(g, torch.empty(shape, dtype=torch.int64), g.value(place, torch.int64)))
        for _, place in given
    ]
    joined = _cat(g, torch.empty((*shape, len(given)), dtype=torch.int64), columns, -1)
    return g.op("GatherND", x, joined, **like(out))


@emits("index_copy")
def _index_copy(g: Graph, out: Tensor, x: Value, axis: int, places: Tensor, source: Operand) -> Value:
    """Select from both: columns of the source at the places, columns of the other elsewhere."""
    axis, width = axis % out.ndim, out.shape[axis]
    chosen = torch.arange(width)
    chosen[places] = width + torch.arange(len(places))
    both = list(out.shape)
    both[axis] = width + len(places)
    joined = g.op("Concat", x, source, axis=axis, dtype=out.dtype, shape=both)
    return g.op("Gather", joined, chosen, axis=axis, **like(out))


@emits("topk")
def _topk(g: Graph, out: Any, x: Value, k: int, axis: int = -1, largest: bool = True, ordered: bool = True) -> Any:
    results = [(part.dtype, tuple(part.shape)) for part in out]
    options = {"axis": axis % len(x.shape), "largest": int(largest), "sorted": int(ordered)}
    return g.ops("TopK", x, integers([k]), results=results, **options)


@emits("sort")
def _sort(g: Graph, out: Any, x: Value, axis: int = -1, descending: bool = False, **options: Any) -> Any:
    axis = options.get("dim", axis)
    return _topk(g, out, x, x.shape[axis], axis, options.get("descending", descending))


@emits("zeros_like", "new_zeros")
def _zeros(g: Graph, out: Tensor, *_: Any, **__: Any) -> Tensor:
    return torch.zeros(out.shape, dtype=out.dtype)


@emits("ones_like", "new_ones")
def _ones(g: Graph, out: Tensor, *_: Any, **__: Any) -> Tensor:
    return torch.ones(out.shape, dtype=out.dtype)


@emits("full_like", "new_full")
def _filled(g: Graph, out: Tensor, *arguments: Any, **__: Any) -> Tensor:
    return torch.full(out.shape, arguments[-1], dtype=out.dtype)
