"""An ONNX graph under construction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

OPSET, IR_VERSION = 18, 9
"""Versions of the operators and of the file format: those that onnxruntime reads since 2023."""

TYPES = {
    torch.float64: TensorProto.DOUBLE,
    torch.float32: TensorProto.FLOAT,
    torch.int64: TensorProto.INT64,
    torch.int32: TensorProto.INT32,
    torch.uint8: TensorProto.UINT8,
    torch.bool: TensorProto.BOOL,
}


@dataclass(frozen=True, slots=True)
class Value:
    """The result of an operator, or an input of the graph.

    Args:
        name: Name in the graph.
        dtype: Type of its elements.
        shape: Its shape.
    """

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]


Operand: TypeAlias = Value | Tensor | float | int | bool


class Graph:
    """Nodes, constants, inputs and outputs of an ONNX graph."""

    def __init__(self) -> None:
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}
        self._known: dict[tuple[Any, ...], Value] = {}
        self._inputs: dict[str, onnx.ValueInfoProto] = {}
        self._outputs: dict[str, onnx.ValueInfoProto] = {}

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(self._inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self._outputs)

    def add_input(self, name: str, like: Tensor) -> Value:
        """Return a new input of the graph with the type and shape of a tensor."""
        self._inputs[name] = _described(name, like.dtype, tuple(like.shape))
        return Value(name, like.dtype, tuple(like.shape))

    def add_output(self, name: str, value: Operand) -> None:
        """Make a value an output of the graph under a name."""
        source = self.value(value)
        self._nodes.append(helper.make_node("Identity", [source.name], [name], name))
        self._outputs[name] = _described(name, source.dtype, source.shape)

    def has_effect(self, name: str, following: str) -> bool:
        """Return whether any output other than `following` depends on an input."""
        return any(name in node.input for node in self._needed(set(self._outputs) - {following}))

    def drop(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        """Remove inputs and outputs, and the nodes that compute these outputs."""
        self._inputs = {name: each for name, each in self._inputs.items() if name not in inputs}
        self._outputs = {name: each for name, each in self._outputs.items() if name not in outputs}

    def _needed(self, outputs: Iterable[str]) -> list[onnx.NodeProto]:
        """Return the nodes that outputs need, in their order."""
        needed, kept = set(outputs), []
        for node in reversed(self._nodes):
            if needed.intersection(node.output):
                kept.append(node)
                needed.update(node.input)
        return kept[::-1]

    def constant(self, values: Tensor) -> Value:
        """Return a constant; equal small constants are stored once."""
        array = values.detach().cpu().contiguous()
        key: tuple[Any, ...] = (values.data_ptr(), array.dtype, tuple(array.shape), tuple(values.stride()))
        if array.numel() <= 64:
            key = (array.dtype, tuple(array.shape), array.numpy().tobytes())
        if key not in self._known:
            name = f"constant_{len(self._constants)}"
            self._constants[name] = numpy_helper.from_array(array.numpy(), name)
            # A tensor that is kept cannot be freed, so that no other one gets its address.
            self._known[key] = Value(name, array.dtype, tuple(array.shape))
            self._known[("kept", name)] = values  # type: ignore[assignment]
        return self._known[key]

    def value(self, operand: Operand, dtype: torch.dtype | None = None) -> Value:
        """Return an operand as a value, cast to a type."""
        if not isinstance(operand, Value):
            operand = self.constant(torch.as_tensor(operand, dtype=dtype))
        if dtype is None or operand.dtype == dtype:
            return operand
        return self.op("Cast", operand, dtype=dtype, shape=operand.shape, to=TYPES[dtype])

    def op(self, kind: str, *inputs: Operand, dtype: torch.dtype, shape: Sequence[int], **attributes: Any) -> Value:
        """Return the result of an operator."""
        return self.ops(kind, *inputs, results=[(dtype, shape)], **attributes)[0]

    def ops(
        self, kind: str, *inputs: Operand, results: Sequence[tuple[torch.dtype, Sequence[int]]], **attributes: Any
    ) -> list[Value]:
        """Return the results of an operator with several outputs, given their types and shapes."""
        number = len(self._nodes)
        names = [self.value(each).name for each in inputs]
        values = [
            Value(f"{kind.lower()}_{number}_{place}", dtype, tuple(shape))
            for place, (dtype, shape) in enumerate(results)
        ]
        node = helper.make_node(kind, names, [each.name for each in values], f"{kind}_{number}", **attributes)
        self._nodes.append(node)
        return values

    def model(self, name: str, producer: tuple[str, str], metadata: Mapping[str, str]) -> onnx.ModelProto:
        """Return the checked model.

        Args:
            name: Name of the graph.
            producer: Name and version of the program that made it.
            metadata: Texts by key.
        """
        nodes = self._needed(self._outputs)
        used = {each for node in nodes for each in node.input}
        constants = [each for key, each in self._constants.items() if key in used]
        ends = list(self._inputs.values()), list(self._outputs.values())
        graph = helper.make_graph(nodes, name, *ends, constants)
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name=producer[0],
            producer_version=producer[1],
        )
        helper.set_model_props(model, dict(metadata))
        onnx.checker.check_model(model)
        return model


def _described(name: str, dtype: torch.dtype, shape: tuple[int, ...]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TYPES[dtype], list(shape))
