"""The lock of declared versions: which code the version of each registered object stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from offnominal.core.errors import DamagedFile
from offnominal.core.files import file_errors, sha256_of
from offnominal.core.registry import Registry
from offnominal.studies.code import Sources

LOCK = Path(__file__).parents[1] / "versions.lock"
HEADER = "# kind/id, declared version, hash of the code. `make relock` writes this file; do not edit it.\n"


@dataclass(frozen=True, slots=True)
class Pin:
    """A line of the lock.

    Args:
        version: Declared version of an object.
        code: Hash of the code that this version stands for.
    """

    version: int
    code: str


def object_name(registry: Registry[Any], id: str) -> str:
    """Return the name of a registered object in the lock.

    Example:
        >>> from offnominal.detectors.catalogue import detectors
        >>> object_name(detectors, "KNN")
        'detector/KNN'
    """
    return f"{registry.kind}/{id}"


def pin_of(sources: Sources, registry: Registry[Any], id: str) -> Pin:
    """Return the declared version of a registered object, and the hash of its present code.

    The hash covers the options of the object and the classes that it is built from. It covers neither where its class
    is, nor the registered objects that it is built from, which have versions of their own.

    Args:
        sources: Reads source code.
        registry: Its registry.
        id: Its id.

    Example:
        >>> from offnominal.alarms.catalogue import alarms
        >>> pin_of(Sources(), alarms, "Maximum").version
        1
    """
    spec = registry.spec(id)
    # Study kinds declare the code of their cells; their class also leads to the code of reports.
    declared = getattr(spec.load(), "code_targets", ()) if hasattr(registry.contract, "code_targets") else ()
    targets = declared or (spec.target, *unregistered_parts(registry, id))
    text = json.dumps([sources.version(*targets), spec.options], sort_keys=True, default=str)
    return Pin(spec.version, sha256_of(text)[:16])


def unregistered_parts(registry: Registry[Any], id: str) -> list[str]:
    """Return the classes, as ``"package.module:Class"``, from which a registered object is built by default.

    Registered parts and the classes from which these are built do not count.
    """
    spec = registry.spec(id)
    given = spec.options.get(spec.parts, ())
    names = [part if isinstance(part, str) else part[0] for part in ([given] if isinstance(given, str) else given)]
    return [name for name in names if name not in registry]


def read_lock(path: Path = LOCK) -> dict[str, Pin]:
    """Return the pins by the name of their object.

    Args:
        path: File of the lock.

    Raises:
        DamagedFile: A line is not a name, a version and a hash.

    Example:
        >>> "detector/KNN" in read_lock()
        True
    """
    with file_errors(path):
        lines = path.read_text(encoding="utf-8").splitlines()
    pins: dict[str, Pin] = {}
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.startswith("#"):
            match line.split():
                case [name, version, code] if version.isdigit() and name not in pins:
                    pins[name] = Pin(int(version), code)
                case _:
                    raise DamagedFile(
                        f"line {number} of {path} is {line!r}; expected kind/id, version and hash, each object once. "
                        "`make relock` writes the file again."
                    )
    return pins


def write_lock(pins: Mapping[str, Pin], path: Path = LOCK) -> None:
    """Write the lock, sorted by name."""
    lines = (f"{name} {pin.version} {pin.code}\n" for name, pin in sorted(pins.items()))
    path.write_text(HEADER + "".join(lines), encoding="utf-8")
