"""Worlds and policies that a study names: ids, datasets, files, and functions of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import gymnasium

from offnominal.agents.weights import shipped_names
from offnominal.core.directories import find_data_home
from offnominal.core.errors import MissingFile, UnknownName, did_you_mean
from offnominal.core.files import file_errors
from offnominal.core.registry import Registry
from offnominal.datasets.manifest import MANIFEST
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.named_world import is_factory, is_id

RANDOM = "random"
"""Policy with uniformly random actions."""
WEIGHTS, SB3 = ".safetensors", ".zip"
"""Suffixes of policy files: of this package, and of Stable-Baselines3."""

factories: Registry[Any] = Registry("factory")
"""Functions of modules that make environments or are policies; they are named by ``"package.module:function"``."""


def importable_names(names: Iterable[str]) -> Iterator[tuple[Registry[Any], str]]:
    """Yield those names that are functions of modules, with the registry that checks whether a file may name them."""
    yield from ((factories, name) for name in names if is_factory(name))


def dataset_folder(name: str) -> Path | None:
    """Return the folder of a dataset by its path or its name in the data home; None if there is none."""
    home = find_data_home()
    for folder in (Path(name), *([home / name] if home is not None else [])):
        with file_errors(folder):
            if (folder / MANIFEST).is_file():
                return folder
    return None


def is_dataset(name: str) -> bool:
    """Whether a world of a study is a dataset. An id of a world or of a Gymnasium environment is none."""
    return not is_factory(name) and not is_id(name) and dataset_folder(name) is not None


def check_world(name: str) -> None:
    """Raise an error if a name is no world of a study; nothing is imported.

    Raises:
        UnknownName: It is neither an id nor a dataset.
        InvalidParameter: It cannot be the name of a function.
    """
    if is_factory(name):
        factories.find(name)
    elif not is_id(name) and not is_dataset(name):
        known = [*worlds.ids(), *gymnasium.registry]
        raise UnknownName(
            f"no world named {name!r}.{did_you_mean(name, known)} It is neither the id of a world or of a Gymnasium "
            "environment, nor the folder of a dataset or its name in the data home, nor 'package.module:function'. "
            "`offnominal worlds` lists all worlds."
        )


def check_policy(name: str) -> None:
    """Raise an error if a policy is a file that does not exist, or cannot be the name of a function."""
    if is_factory(name):
        factories.find(name)
    elif is_policy_file(name) and not Path(name).is_file():
        raise MissingFile(f"the policy {name} does not exist; paths begin in the working directory.")


def matching_policies(names: Iterable[str], world: str) -> tuple[str, ...]:
    """Return the policies of a study in a world: patterns stand for the shipped policies that they match, if any.

    Args:
        names: Policies of a study; a name with ``*``, ``?`` or ``[`` that is no file is a pattern.
        world: Id of the world.

    Example:
        >>> matching_policies(["tqc-[0-2]", "ppo-[0-2]", "random"], "URM-Reach-v0")[:3]
        ('tqc-0', 'tqc-1', 'tqc-2')
    """
    shipped = [name.removeprefix(f"{world}--") for name in shipped_names() if name.startswith(f"{world}--")]
    found = ([each for each in shipped if fnmatchcase(each, name)] if _is_pattern(name) else [name] for name in names)
    return tuple(dict.fromkeys(policy for each in found for policy in each))


def _is_pattern(name: str) -> bool:
    return not is_factory(name) and not is_policy_file(name) and any(sign in name for sign in "*?[")


def is_policy_file(name: str) -> bool:
    """Whether a policy is a file."""
    return name.endswith((WEIGHTS, SB3))
