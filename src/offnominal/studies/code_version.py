"""The code part of the key of a result: declared versions of the objects that a cell uses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from offnominal.core.files import sha256_of
from offnominal.core.registry import Registry
from offnominal.studies.code import Sources
from offnominal.studies.version_lock import Pin, object_name, pin_of, read_lock, unregistered_parts

Used = tuple[Registry[Any], str, Mapping[str, Any]]
"""A registry, an id of it or ``"package.module:Class"``, and parameters that may name parts."""
Entry = list[str | int]


def code_version(sources: Sources, used: Iterable[Used], *details: Any) -> str:
    """Return a hash of the versions of objects and of the objects that they are built from.

    An object of this package counts by its declared version, if its code is that of ``versions.lock``. Any other
    object counts by the hash of its source code: one of another package, a class that is not registered, and one whose
    code was edited since the lock was renewed.

    Args:
        sources: Reads and follows source code.
        used: The objects.
        *details: Other plain data on which the result depends.
    """
    entries = {json.dumps(entry) for each in used for entry in _entries(sources, *each)}
    return sha256_of(json.dumps([sorted(entries), *details], sort_keys=True, default=str))


def _entries(sources: Sources, registry: Registry[Any], name: str, parameters: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the version, or the hash of the source code, of an object and of its parts."""
    names = registry.names(name, parameters)
    covered = {part for each in names if each in registry for part in unregistered_parts(registry, each)}
    for each in names:
        if each in registry:
            pin, pinned = pin_of(sources, registry, each), _lock().get(object_name(registry, each))
            yield [object_name(registry, each), pin.version, *([] if pin == pinned else [pin.code])]
        elif each not in covered:
            yield [each, sources.version(registry.find(each).target)]


@cache
def _lock() -> dict[str, Pin]:
    return read_lock()
