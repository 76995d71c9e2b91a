"""Reading the entries of a JSON object, with errors that name the entry."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from offnominal.core.errors import did_you_mean
from offnominal.core.printable import shown
from offnominal.worlds.road.scenarios.errors import InvalidScenario

_REQUIRED = object()
SIMILAR = 0.75
"""Similarity from which on an unknown name is a misspelled one."""


class Entries:
    """Entries of a JSON object. Those that are never taken are unknown.

    Args:
        data: The object.
        name: Its name, for error messages.

    Example:
        >>> entries = Entries({"distence": 3}, "anomaly_config")
        >>> entries.take("distance")
        Traceback (most recent call last):
            ...
        offnominal.worlds.road.scenarios.errors.InvalidScenario: anomaly_config has no entry 'distance'. It has ...
    """

    def __init__(self, data: Any, name: str) -> None:
        if not isinstance(data, Mapping):
            raise InvalidScenario(f"{name} is {shown(data)}; expected an object with names and values.")
        self.name = name
        self._data = data
        self._taken: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def take(self, key: str, default: Any = _REQUIRED) -> Any:
        """Return an entry, or the default if it is missing or null; without a default a missing entry is an error."""
        self._taken.add(key)
        found = self._data.get(key)
        if found is not None:
            return found
        if default is _REQUIRED:
            raise InvalidScenario(self._missing(key))
        return default

    def within(self, key: str) -> Entries:
        """Return the entries of an object inside this one; none if it is missing or null."""
        return Entries(self.take(key, {}), key)

    def unknown(self) -> dict[str, Any]:
        """Return the entries that were not taken, or raise an error if the name of one is a misspelled known one."""
        found = {key: value for key, value in self._data.items() if key not in self._taken}
        check_spelling(found, self._taken, self.name)
        return found

    def _missing(self, key: str) -> str:
        near = [other for other in self._data if isinstance(other, str) and other not in self._taken]
        similar = did_you_mean(key, near)
        if similar:
            return f"{self.name} has no entry {key!r}. It has {similar.split()[-1].rstrip('?')} instead: rename it."
        return f"{self.name} has no entry {key!r}; add it."


def check_spelling(names: Collection[str], known: Collection[str], where: str) -> None:
    """Raise :class:`InvalidScenario` if a name is a misspelled known one.

    A known name with something behind it, such as ``seed_of_traffic``, is another name.

    Example:
        >>> check_spelling(["author", "sead"], ["id", "seed"], "the scenario")
        Traceback (most recent call last):
            ...
        offnominal.worlds.road.scenarios.errors.InvalidScenario: the scenario has the unknown entry 'sead'. Did you mean
        'seed'? Rename or remove it.
    """
    lower = {name.lower(): name for name in known}
    for name in names:
        near = get_close_matches(name.lower(), lower, n=1, cutoff=SIMILAR)
        if near and not name.lower().startswith(f"{near[0]}_"):
            raise InvalidScenario(
                f"{where} has the unknown entry {name!r}. Did you mean {lower[near[0]]!r}? Rename or remove it."
            )


def merge(data: dict[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the unknown entries of the file that it was read from.

    Example:
        >>> merge({"a": {"b": 1}}, {"a": {"c": 2}, "d": 3})
        {'a': {'b': 1, 'c': 2}, 'd': 3}
    """
    result = dict(data)
    for key, value in extra.items():
        if key not in result:
            result[key] = value
        elif isinstance(result[key], dict) and isinstance(value, Mapping):
            result[key] = merge(result[key], value)
    return result


def paths(extra: Mapping[str, Any], known: Mapping[str, Any]) -> list[str]:
    """Return the names of unknown entries, joined by dots, each with the similar name of a known one.

    Example:
        >>> paths({"a": {"c": 2}, "sead": {"e": 3}}, {"a": {"b": 1}, "seed": 0})
        ['a.c', "sead (did you mean 'seed'?)"]
    """
    found = []
    for key, value in extra.items():
        inside = known.get(key)
        if isinstance(value, Mapping) and isinstance(inside, Mapping):
            found += [f"{key}.{each}" for each in paths(value, inside)]
        else:
            similar = did_you_mean(key, known).strip().replace("Did", "did")
            found.append(f"{key} ({similar})" if similar else key)
    return found
