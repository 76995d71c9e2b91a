"""Dictionaries of NumPy arrays in a pickle, read from its opcodes; nothing is unpickled, imported or called."""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from offnominal.core.errors import DamagedFile
from offnominal.core.types import Array

ARRAY = ("numpy.core.multiarray _reconstruct", "numpy._core.multiarray _reconstruct")
KINDS = (*ARRAY, "numpy ndarray", "numpy dtype")
"""The only names that a file may have; they stand for themselves and are never looked up."""
FLOATS = {"f4": 4, "f8": 8}
"""Types of the numbers, and bytes of each."""


def arrays_in_pickle(content: bytes, name: str) -> dict[str, Array]:
    """Return the arrays of a pickled dictionary of dictionaries, by their keys joined by points.

    Args:
        content: Content of the file.
        name: Name of the file, for error messages.

    Raises:
        DamagedFile: It is damaged, or has anything other than arrays of little-endian floats in dictionaries.

    Example:
        >>> import pickle
        >>> arrays_in_pickle(pickle.dumps({"layer": {"bias": np.zeros(2)}}, protocol=3), "weights")
        {'layer.bias': array([0., 0.])}
        >>> arrays_in_pickle(pickle.dumps(print), "weights")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.DamagedFile: weights is not a dictionary of arrays (...); nothing of it was run. ...
    """
    try:
        stack = _Stack()
        for opcode, argument, _ in pickletools.genops(content):
            if opcode.name not in _ACTIONS:
                raise ValueError(f"it has the instruction {opcode.name}")
            _ACTIONS[opcode.name](stack, argument)
        (found,) = stack.values
        return dict(_leaves(found, ""))
    except Exception as error:  # Damage can break any instruction.
        reason = str(error).partition("\n")[0]
        raise DamagedFile(
            f"{name} is not a dictionary of arrays ({reason}); nothing of it was run. Fetch the file again."
        ) from None


@dataclass
class _Unfinished:
    """An array or a type of numbers whose parts follow."""

    kind: str
    value: Any = None


@dataclass
class _Stack:
    """Values of the instructions so far.

    Args:
        values: Their stack.
        marks: Lengths that it had at the marks.
        memo: Values that later instructions name again.
    """

    values: list[Any] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    memo: dict[int, Any] = field(default_factory=dict)

    def push(self, value: Any) -> None:
        """Put a value on the stack."""
        self.values.append(value)

    def take(self, count: int) -> list[Any]:
        """Remove the last values and return them."""
        if not 0 <= count <= len(self.values):
            raise ValueError("values are missing")
        taken = self.values[len(self.values) - count :]
        del self.values[len(self.values) - count :]
        return taken

    def since_mark(self) -> list[Any]:
        """Remove the values after the last mark and return them."""
        return self.take(len(self.values) - self.marks.pop())

    def store(self, pairs: list[Any]) -> None:
        """Put keys and values into the dictionary that is last."""
        target = self.values[-1]
        if not isinstance(target, dict) or len(pairs) % 2 or not all(isinstance(key, str) for key in pairs[::2]):
            raise ValueError("it has other objects than dictionaries with texts as keys")
        target.update(zip(pairs[::2], pairs[1::2], strict=True))

    def name(self, given: str) -> None:
        """Put one of the known names on the stack."""
        if given not in KINDS:
            raise ValueError(f"it names {given!r}")
        self.push(_Unfinished("name", given))

    def call(self) -> None:
        """Begin an array or a type of numbers, where a pickle would call a function."""
        function, arguments = self.take(2)
        known = function.value if isinstance(function, _Unfinished) and function.kind == "name" else None
        if known in ARRAY:
            self.push(_Unfinished("array"))
        elif known == "numpy dtype" and arguments[0] in FLOATS:
            self.push(_Unfinished("dtype", arguments[0]))
        else:
            raise ValueError(f"it calls {known or 'an object'} of {arguments!r}")

    def build(self) -> None:
        """Complete an array or a type of numbers."""
        (state,) = self.take(1)
        target = self.values[-1]
        if not isinstance(target, _Unfinished) or not isinstance(state, tuple):
            raise ValueError("it has other objects than arrays")
        if target.kind == "dtype" and state[1] == "<":
            return
        if target.kind != "array" or target.value is not None:
            raise ValueError("it has a type other than little-endian floats")
        _, shape, dtype, columns_first, numbers = state
        if columns_first or not isinstance(dtype, _Unfinished) or dtype.kind != "dtype":
            raise ValueError("it has an array with another layout")
        target.value = np.frombuffer(numbers, f"<{dtype.value}").reshape(shape).copy()


def _pushed(stack: _Stack, argument: Any) -> None:
    stack.push(argument)


def _nothing(stack: _Stack, argument: Any) -> None:
    del stack, argument


def _tuple_of(count: int) -> Callable[[_Stack, Any], None]:
    return lambda stack, _: stack.push(tuple(stack.take(count)))


def _constant(value: Any) -> Callable[[_Stack, Any], None]:
    return lambda stack, _: stack.push(value)


_ACTIONS: Mapping[str, Callable[[_Stack, Any], None]] = {
    **dict.fromkeys(("PROTO", "STOP", "FRAME"), _nothing),
    **dict.fromkeys(("BINUNICODE", "SHORT_BINUNICODE", "BINBYTES", "SHORT_BINBYTES"), _pushed),
    **dict.fromkeys(("BININT", "BININT1", "BININT2"), _pushed),
    "NONE": _constant(None),
    "NEWTRUE": _constant(True),
    "NEWFALSE": _constant(False),
    "EMPTY_DICT": lambda stack, _: stack.push({}),
    "MARK": lambda stack, _: stack.marks.append(len(stack.values)),
    "TUPLE": lambda stack, _: stack.push(tuple(stack.since_mark())),
    "TUPLE1": _tuple_of(1),
    "TUPLE2": _tuple_of(2),
    "TUPLE3": _tuple_of(3),
    "EMPTY_TUPLE": _tuple_of(0),
    "SETITEM": lambda stack, _: stack.store(stack.take(2)),
    "SETITEMS": lambda stack, _: stack.store(stack.since_mark()),
    **dict.fromkeys(("BINPUT", "LONG_BINPUT"), lambda stack, number: stack.memo.__setitem__(number, stack.values[-1])),
    **dict.fromkeys(("BINGET", "LONG_BINGET"), lambda stack, number: stack.push(stack.memo[number])),
    "GLOBAL": lambda stack, name: stack.name(name),
    "REDUCE": lambda stack, _: stack.call(),
    "BUILD": lambda stack, _: stack.build(),
}
"""What each instruction does; a file with any other is refused."""


def _leaves(value: Any, path: str) -> list[tuple[str, Array]]:
    if isinstance(value, dict):
        return [leaf for key, each in value.items() for leaf in _leaves(each, f"{path}.{key}" if path else key)]
    if isinstance(value, _Unfinished) and value.kind == "array" and value.value is not None:
        return [(path, value.value)]
    raise ValueError(f"{path or 'it'} is no array")
