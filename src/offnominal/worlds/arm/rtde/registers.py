"""General-purpose registers of a controller."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from offnominal.worlds.arm.rtde.commands import ANSWER, ARGUMENTS, ASYNCHRONOUS, COMMAND, PROGRESS
from offnominal.worlds.arm.rtde.fields import OUTPUTS, FieldType, Value


class Registers:
    """Registers by their field name. Clients write the inputs; the program writes the outputs.

    Attributes:
        writes: How often clients have written registers.

    Example:
        >>> registers = Registers()
        >>> registers.write({"input_int_register_0": 24})
        >>> registers.command, registers.read("input_int_register_0")
        (24, 24)
    """

    def __init__(self) -> None:
        self.writes = 0
        self._values: dict[str, int | float] = {
            name: 0.0 if kind is FieldType.DOUBLE else 0 for name, kind in OUTPUTS.items() if "_register" in name
        }

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def read(self, name: str) -> int | float:
        """Return the value of a register."""
        return self._values[name]

    def write(self, values: Mapping[str, Value]) -> None:
        """Write registers; other fields are ignored."""
        self.writes += 1
        numbers = cast("Mapping[str, int | float]", values)
        if not numbers.keys() <= self._values.keys():
            numbers = {name: number for name, number in numbers.items() if name in self._values}
        self._values.update(numbers)

    def arguments(self, count: int) -> tuple[float, ...]:
        """Return the first arguments of a command."""
        return tuple([self._values[name] for name in ARGUMENTS[:count]])

    @property
    def command(self) -> int:
        """Command of the client."""
        return int(self._values[COMMAND])

    @property
    def asynchronous(self) -> bool:
        """Whether the client does not wait for the end of a motion."""
        return self._values[ASYNCHRONOUS] != 0

    @property
    def answer(self) -> int:
        """Answer of the program: 1 is ready, 2 is done."""
        return int(self._values[ANSWER])

    @answer.setter
    def answer(self, value: int) -> None:
        self._values[ANSWER] = int(value)

    @property
    def progress(self) -> int:
        """Progress of an asynchronous motion; -1 if none runs."""
        return int(self._values[PROGRESS])

    @progress.setter
    def progress(self, value: int) -> None:
        self._values[PROGRESS] = value
