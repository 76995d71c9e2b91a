"""Policies that a study names: shipped experts, files, and functions or classes of modules."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from offnominal.agents.experts import expert, scripted_expert
from offnominal.agents.files import load_policy
from offnominal.agents.sb3_files import import_sb3
from offnominal.core.errors import InvalidParameter
from offnominal.core.imported_modules import attribute_of
from offnominal.core.policy import Policy, RandomPolicy
from offnominal.core.types import Array
from offnominal.datasets.policy_source import SCRIPTED
from offnominal.studies.source_names import RANDOM, SB3, WEIGHTS
from offnominal.worlds.named_world import is_factory
from offnominal.worlds.world_source import WorldSource, spaces_of


def named_policy(name: str, world: str, source: WorldSource) -> Policy | Callable[[Array], Array] | None:
    """Return a policy by name, or None if it is the id of a shipped one.

    Args:
        name: ``"scripted"``, ``"random"``, a ``.safetensors`` file of this package, a ``.zip`` file of
            Stable-Baselines3, ``"package.module:attribute"`` (a policy, a class of policies without arguments, or a
            function from a batch of observations to a batch of actions), or the id of a shipped policy, such as
            ``"expert"`` or ``"tqc-0"``.
        world: Name of the world.
        source: Builds the world.
    """
    if name == SCRIPTED:
        return scripted_expert(world)
    if name == RANDOM:
        return RandomPolicy(spaces_of(source).action)
    if name.endswith(WEIGHTS):
        return load_policy(Path(name))[0]
    if name.endswith(SB3):
        return import_sb3(name, source)
    return _of_module(name) if is_factory(name) else None


def acting_policy(name: str, world: str) -> Policy:
    """Return a policy of a world by name; raise :class:`UnknownName` if there is none.

    Args:
        name: As for :func:`named_policy`; ``"expert"`` is the expert of the world.
        world: Id of the world.
    """
    named: Any = named_policy(name, world, world)
    return expert(world, name) if named is None else named


def _of_module(name: str) -> Policy | Callable[[Array], Array]:
    found: Any = attribute_of(name)
    if isinstance(found, type):
        if not issubclass(found, Policy):
            raise InvalidParameter(f"{name!r} is the class {found.__name__}; expected a subclass of Policy.")
        found = found()
    if not callable(found):
        raise InvalidParameter(
            f"{name!r} is a {type(found).__name__}; expected a Policy, or a function from observations to actions."
        )
    return found  # type: ignore[no-any-return]
