"""Worlds by name: the id of a world or of a Gymnasium environment, or a function of a module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium

from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.imported_modules import attribute_of, import_modules
from offnominal.worlds.catalogue import NAMESPACE, worlds
from offnominal.worlds.world import World
from offnominal.worlds.world_source import WorldSource, build_world


@dataclass(frozen=True)
class NamedWorld:
    """Builds a world by its name, in any process.

    Args:
        name: Id of a world or of a Gymnasium environment, or ``"package.module:function"``, where the function makes an
            environment, a vector environment or a world.
        modules: Modules that register the id.

    Example:
        >>> NamedWorld("Pendulum-v1")(2).n
        2
    """

    name: str
    modules: tuple[str, ...] = ()

    def __call__(self, n: int) -> World:
        """Return a world of n rows, or of fewer if the rows are environments of another package."""
        import_modules(self.modules)
        return build_world(named_source(self.name), n)


def named_source(name: str) -> WorldSource:
    """Return the source of a world by name; a function is imported.

    Raises:
        UnknownName: There is no such id, module or function.
        InvalidParameter: The attribute of the module cannot be called.
    """
    if not is_factory(name):
        if not is_id(name):
            raise UnknownName(
                f"no world or Gymnasium environment {name!r}.{did_you_mean(name, [*worlds.ids(), *gymnasium.registry])}"
            )
        return name
    found: Any = attribute_of(name)
    if not callable(found):
        raise InvalidParameter(
            f"{name!r} is a {type(found).__name__}; expected a function without arguments that makes an environment."
        )
    return found  # type: ignore[no-any-return]


def is_factory(name: str) -> bool:
    """Whether a name is that of a function in a module, ``"package.module:function"``."""
    return isinstance(name, str) and ":" in name


def is_shipped_id(name: str) -> bool:
    """Whether a name is the id of a registered world."""
    return isinstance(name, str) and name.removeprefix(f"{NAMESPACE}/") in worlds


def is_id(name: str) -> bool:
    """Whether a name is the id of a registered world or of a Gymnasium environment."""
    return is_shipped_id(name) or name in gymnasium.registry
