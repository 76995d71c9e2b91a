"""The parts of a fusion: detectors by name, which episodes they are not fitted to, and their saved state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from offnominal.core.errors import InvalidParameter
from offnominal.core.printable import shown
from offnominal.core.types import Array
from offnominal.detectors.state_arrays import StateArrays

HELD_OUT = 5
"""Every fifth episode or scene is held out for the nominal scores."""


class Saved(Protocol):
    """A detector with a state dict."""

    def get_params(self) -> dict[str, Any]:
        """Return the constructor's arguments."""
        ...

    def state_dict(self) -> dict[str, Array]:
        """Return all learned parameters as arrays."""
        ...

    def load_state_dict(self, state: Mapping[str, Array]) -> None:
        """Restore the result of `state_dict`."""
        ...


D = TypeVar("D", bound=Saved)


@dataclass(frozen=True, slots=True)
class PartKind(Generic[D]):
    """What the parts of a fusion are.

    Args:
        base: Base class of the parts.
        make: Returns a part by its name and parameters.
        name_of: Returns the name of a part.
        words: The part, and its name, in error messages.
    """

    base: type[D]
    make: Callable[..., D]
    name_of: Callable[[D], str | None]
    words: tuple[str, str] = ("a detector", "a name")

    def check(self, parts: Any) -> None:
        """Raise :class:`InvalidParameter` unless parts are detectors, names, or pairs of a name and parameters."""
        if not isinstance(parts, list | tuple) or not parts:
            raise InvalidParameter(f"detectors is {shown(parts)}; give at least one in a list.")
        part, name = self.words
        for each in parts:
            if not isinstance(each, str | self.base) and not _is_pair(each):
                raise InvalidParameter(
                    f"{shown(each)} is not {part}; expected {part}, {name}, or a pair of "
                    f"{name.split()[-1]} and parameters."
                )

    def made(self, part: Any) -> D:
        """Return a part."""
        if isinstance(part, self.base):
            return part
        name, parameters = (part, {}) if isinstance(part, str) else part
        return self.make(name, **dict(parameters))

    def all_made(self, parts: Sequence[Any]) -> list[D]:
        """Return all parts."""
        return [self.made(part) for part in parts]

    def params(self, parts: Sequence[Any]) -> list[list[Any]]:
        """Return name and parameters of each part, as values that JSON can represent."""
        return [[self.name_of(each), each.get_params()] for each in self.all_made(parts)]

    def restored(self, parts: Sequence[Any], state: StateArrays) -> list[D]:
        """Return the fitted parts from a state dict."""
        found = []
        for number, part in enumerate(parts):
            detector = copy(self.made(part))
            detector.load_state_dict(state.part(f"{number}.learned."))
            found.append(detector)
        return found


def learned_arrays(parts: Sequence[Saved]) -> dict[str, Array]:
    """Return the learned parameters of all parts."""
    return {
        f"{number}.learned.{name}": values
        for number, part in enumerate(parts)
        for name, values in part.state_dict().items()
    }


def _is_pair(given: Any) -> bool:
    pair = isinstance(given, list | tuple) and len(given) == 2
    return pair and isinstance(given[0], str) and isinstance(given[1], Mapping)
