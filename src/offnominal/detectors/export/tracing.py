"""Functions of tensors as ONNX graphs: while a function runs, each torch operator adds a few nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from offnominal.core.errors import UnsupportedExport
from offnominal.detectors.export import layers, shapes  # noqa: F401 -- they register operators
from offnominal.detectors.export.graph import Graph, Operand, Value
from offnominal.detectors.export.operators import OPERATORS
from offnominal.detectors.export.simpler import SIMPLER


def trace(
    function: Callable[..., Sequence[Tensor]], arguments: Sequence[Tensor], inputs: Sequence[Value], graph: Graph
) -> list[Operand]:
    """Add the operators of a function to a graph, and return its results.

    Args:
        function: It must not depend on the values of its arguments other than by operators.
        arguments: Example arguments.
        inputs: The value of each argument in the graph.
        graph: The graph.

    Raises:
        UnsupportedExport: There is no ONNX form of an operator.
    """
    tracer = Tracer(graph)
    for argument, value in zip(arguments, inputs, strict=True):
        tracer.follow(argument, value)
    with torch.no_grad(), tracer:
        results = function(*arguments)
    return [tracer.operand(result) for result in results]


class Tracer(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Adds operators to a graph; operators on constants are only computed.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: Graph) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.graph = graph
        self._values: dict[int, Value] = {}
        self._tensors: list[Tensor] = []

    def follow(self, tensor: Tensor, value: Any) -> None:
        """Remember the value of a tensor in the graph.

        A tensor without elements is constant, and so is what is computed from it alone. In onnxruntime, reductions of
        such tensors have other results: the largest of no integers is the smallest integer, which is not zero.
        """
        if isinstance(value, Value) and tensor.numel():
            self._values[id(tensor)] = value
            # A tensor that is kept cannot be freed, so that no other one gets its identity.
            self._tensors.append(tensor)

    def operand(self, argument: Any) -> Any:
        """Return the value of a tensor in the graph; a constant or a number is returned itself."""
        if isinstance(argument, list | tuple):
            return [self.operand(part) for part in argument]
        return self._values.get(id(argument), argument) if isinstance(argument, Tensor) else argument

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operator, and add it to the graph if one of its arguments is not constant."""
        options = kwargs or {}
        arguments, named = self.operand(args), {name: self.operand(value) for name, value in options.items()}
        if not _any_value(arguments) and not _any_value(list(named.values())):
            return func(*args, **options)
        name = func.overloadpacket.__name__
        if name == "_local_scalar_dense":
            raise UnsupportedExport("Python code depends on the value of a tensor, which an ONNX graph cannot follow.")
        if name in SIMPLER:
            with self:
                return SIMPLER[name](*args, **options)
        out, plain = func(*args, **options), name.removesuffix("_")
        if plain not in OPERATORS:
            raise UnsupportedExport(f"the operator {name} of torch has no ONNX form in this version.")
        found = OPERATORS[plain](self.graph, out, *arguments, **named)
        if isinstance(out, Tensor):
            self.follow(out, found)
        else:
            for tensor, value in zip(out, found, strict=False):
                self.follow(tensor, value)
        return out


def _any_value(arguments: Any) -> bool:
    if isinstance(arguments, list):
        return any(map(_any_value, arguments))
    return isinstance(arguments, Value)
