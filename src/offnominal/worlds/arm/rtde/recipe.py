"""Recipes: which fields travel together in a data package, and how they are laid out in it."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from offnominal.worlds.arm.errors import InvalidPackage
from offnominal.worlds.arm.rtde.fields import FieldType, Value, field_types


@dataclass(frozen=True, slots=True)
class Recipe:
    """An ordered list of fields that travel together in one data package.

    Args:
        id: Number that the controller gave to the recipe.
        names: Names of the fields.
        types: Types of the fields.

    Attributes:
        layout: Layout of a data package: the number of the recipe and all elements.
        spans: First element and number of elements of each field.
        is_scalar: Whether no field is a vector.

    Example:
        >>> from offnominal.worlds.arm.rtde.fields import OUTPUTS
        >>> recipe = Recipe.of(1, ("output_int_register_0", "timestamp"), OUTPUTS)
        >>> recipe.pack({"output_int_register_0": 2, "timestamp": 0.5}).hex(" ")
        '01 00 00 00 02 3f e0 00 00 00 00 00 00'
    """

    id: int
    names: tuple[str, ...]
    types: tuple[FieldType, ...]
    layout: struct.Struct = field(init=False, repr=False, compare=False)
    spans: Mapping[str, tuple[int, int]] = field(init=False, repr=False, compare=False)
    is_scalar: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        spans, start = {}, 0
        for name, kind in zip(self.names, self.types, strict=True):
            spans[name] = (start, kind.length)
            start += kind.length
        layout = struct.Struct(">B" + "".join(kind.code * kind.length for kind in self.types))
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "spans", spans)
        object.__setattr__(self, "is_scalar", start == len(self.names))

    @classmethod
    def of(cls, id: int, names: Sequence[str], known: Mapping[str, FieldType]) -> Recipe:
        """Return the recipe of some known fields, or raise :class:`UnknownName`."""
        return cls(id, tuple(names), field_types(names, known))

    def pack(self, values: Mapping[str, Value]) -> bytes:
        """Return the payload of a data package, or raise :class:`InvalidPackage` if a value does not fit its type."""
        elements: list[int | float] = []
        for name, kind in zip(self.names, self.types, strict=True):
            value = values[name]
            parts = value if isinstance(value, tuple) else (value,)
            if len(parts) != kind.length:
                raise InvalidPackage(f"{name} has {len(parts)} elements; {kind.wire_name} has {kind.length}.")
            elements += parts
        return self.pack_elements(elements)

    def pack_elements(self, elements: Iterable[int | float]) -> bytes:
        """Return the payload of a data package from the elements of all its fields, in their order."""
        try:
            return self.layout.pack(self.id, *elements)
        except struct.error as error:
            raise InvalidPackage(
                f"values of the fields {', '.join(self.names)} do not fit their types: {error}."
            ) from None

    def unpack(self, payload: bytes) -> FieldValues:
        """Return the values of a data package by name.

        Raises:
            InvalidPackage: If the size or the number of the recipe is wrong.
        """
        if len(payload) != self.layout.size:
            raise InvalidPackage(f"a data package has {len(payload)} bytes; recipe {self.id} has {self.layout.size}.")
        elements = self.layout.unpack(payload)
        if elements[0] != self.id:
            raise InvalidPackage(f"a data package belongs to recipe {elements[0]}; expected {self.id}.")
        return FieldValues(self, elements[1:])


class FieldValues(Mapping[str, Value]):
    """Values of a data package by the name of their field; those of vectors are tuples.

    Args:
        recipe: Recipe of the package.
        elements: Elements of all fields, in their order.
    """

    __slots__ = ("elements", "recipe")

    def __init__(self, recipe: Recipe, elements: tuple[int | float, ...]) -> None:
        self.recipe, self.elements = recipe, elements

    def __getitem__(self, name: str) -> Value:
        start, length = self.recipe.spans[name]
        return self.elements[start] if length == 1 else self.elements[start : start + length]

    def __iter__(self) -> Iterator[str]:
        return iter(self.recipe.names)

    def __len__(self) -> int:
        return len(self.recipe.names)

    def __repr__(self) -> str:
        return repr(self.as_dict())

    def as_dict(self) -> dict[str, Value]:
        """Return the values as a dictionary."""
        return dict(zip(self.recipe.names, self.elements, strict=True)) if self.recipe.is_scalar else dict(self)
