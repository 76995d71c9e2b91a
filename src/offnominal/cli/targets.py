"""Resolves ids and ``package.module:Class`` names on the command line to classes."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from offnominal.core.errors import InvalidParameter
from offnominal.core.imported_modules import import_modules
from offnominal.core.registry import Registry

if TYPE_CHECKING:
    from offnominal.core.policy import Policy
    from offnominal.core.types import Array
    from offnominal.kinds.faults.fault_entry import FaultEntry
    from offnominal.studies.base import BaseStudy
    from offnominal.worlds.world_source import WorldSource

T = TypeVar("T")
WORLDS = "Ids of worlds or of Gymnasium environments, or package.module:function names, or 'all'."
POLICIES = (
    "a .safetensors file of `offnominal train`, a .zip of Stable-Baselines3, random, scripted or package.module:policy"
)
NAMES = "Comma-separated ids or package.module:Class names, or 'all'."


_imported: list[str] = []


def import_first(modules: Sequence[str]) -> None:
    """Make the working directory importable, and import modules, so that what they register can be named.

    Every command calls it before anything else. The working directory is searched last: a file in it hides no
    installed package.

    Args:
        modules: Names of modules.
    """
    with suppress(OSError):
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)
    import_modules(modules)
    _imported[:] = modules


def with_imported(study: BaseStudy) -> BaseStudy:
    """Return a study whose workers import the modules that were named on the command line, too."""
    return study.replace(modules=tuple(dict.fromkeys((*study.modules, *_imported)))) if _imported else study


def chosen_names(registry: Registry[Any], given: str) -> list[str]:
    """Return the names of a comma-separated list, or all ids for ``all``; raise for the first unknown name."""
    if given == "all":
        return registry.ids()
    names = [name.strip() for name in given.split(",")]
    for name in names:
        registry.find(name)
    return names


def chosen_worlds(given: Sequence[str] | None) -> list[str]:
    """Return the names of worlds, or all ids for ``all`` or none; raise for the first unknown name.

    A name is the id of a world or of a Gymnasium environment, or ``"package.module:function"``.
    """
    from offnominal.worlds import worlds as registry
    from offnominal.worlds.named_world import named_source

    if given in (None, [], ["all"]):
        return registry.ids()
    for name in given or ():
        named_source(name)
    return list(given or ())


def world_source(name: str) -> WorldSource:
    """Return the source of a world by name; any process can build it."""
    from offnominal.worlds import worlds as registry
    from offnominal.worlds.named_world import NamedWorld

    return name if name in registry and not _imported else NamedWorld(name, tuple(_imported))


def policy_named(name: str | None, world: str) -> Policy | Callable[[Array], Array] | None:
    """Return a policy by name; None for the expert of the world.

    Args:
        name: A file, ``"scripted"``, ``"random"`` or ``"package.module:attribute"``.
        world: Name of the world.
    """
    from offnominal.worlds import worlds as registry

    if name is None:
        if world not in registry:
            raise InvalidParameter(f"{world} has no shipped policy; give --policy: {POLICIES}.")
        return None
    return _given_policy(name, world)


def _given_policy(name: str, world: str) -> Policy | Callable[[Array], Array]:
    """Return a policy that is no shipped one."""
    from offnominal.studies.named_policy import named_policy

    found = named_policy(name, world, world_source(name=world))
    if found is None:
        raise InvalidParameter(f"--policy is {name!r}; expected {POLICIES}.")
    return found


def policies_named(names: Sequence[str] | None, world: str) -> list[Policy | Callable[[Array], Array]] | None:
    """Return policies by name, also shipped ones by their id; None for the expert of the world.

    Args:
        names: As for :func:`policy_named`, or ids such as ``"tqc-0"``; the expert if None or empty.
        world: Name of the world.
    """
    from offnominal.studies.named_policy import acting_policy
    from offnominal.worlds import worlds as registry

    if not names:
        policy_named(None, world)
        return None
    shipped = world in registry
    return [acting_policy(name, world) if shipped else _given_policy(name, world) for name in names]


def fault_named(given: str) -> FaultEntry:
    """Return a fault of the form ``anomaly=parameter``, or with a named strength ``anomaly=strong``."""
    from offnominal.kinds.faults.fault_entry import FaultEntry

    anomaly, _, value = given.partition("=")
    try:
        return FaultEntry(anomaly, parameter=float(value))
    except InvalidParameter:
        raise
    except ValueError:
        if not value:
            raise InvalidParameter(
                f"--fault is {given!r}; expected ANOMALY=PARAMETER, as in action/noise=0.3."
            ) from None
        return FaultEntry(anomaly, strength=value)


def load_named(registry: Registry[T], name: str) -> Callable[..., T]:
    """Import the class of an id, or a class by name.

    Raises:
        InvalidParameter: The class is of another kind, or its constructor has arguments without a default.
    """
    found = registry.load(name)
    try:
        inspect.signature(found).bind(**registry.find(name).options)
    except TypeError as error:
        raise InvalidParameter(
            f"{name} cannot be created without arguments ({error}); give every argument a default."
        ) from None
    return found


def allowed_modules(given: list[str] | None) -> tuple[str, ...]:
    """Return the packages whose classes a file may name: those that were allowed or imported."""
    return (*(given or ()), *_imported)
