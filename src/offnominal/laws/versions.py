"""The law of versions: code of a registered object does not change under the same declared version unnoticed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from offnominal.alarms.catalogue import alarms
from offnominal.anomalies.catalogue import anomalies
from offnominal.core.imported_modules import OURS
from offnominal.core.registry import Registry
from offnominal.datasets.recording_changes import recording_changes
from offnominal.detectors.catalogue import detectors
from offnominal.detectors.classifiers.catalogue import class_detectors
from offnominal.detectors.scenes.catalogue import scene_detectors
from offnominal.papers.novelcraft.detector_registries import encoders
from offnominal.studies.code import Sources
from offnominal.studies.kinds import study_kinds
from offnominal.studies.version_lock import Pin, object_name, pin_of
from offnominal.worlds.catalogue import worlds

VERSIONED: tuple[Registry[Any], ...] = (
    worlds,
    anomalies,
    recording_changes,
    detectors,
    class_detectors,
    scene_detectors,
    encoders,
    alarms,
    study_kinds,
)
"""Registries whose objects the results of studies depend on."""


def present_pins(sources: Sources) -> dict[str, Pin]:
    """Return the declared version and the hash of the present code of every registered object of this package.

    Args:
        sources: Reads source code.
    """
    return {
        object_name(registry, spec.id): pin_of(sources, registry, spec.id)
        for registry in VERSIONED
        for spec in registry
        if spec.target.partition(".")[0] == OURS
    }


def differences(present: Mapping[str, Pin], lock: Mapping[str, Pin]) -> list[str]:
    """Return how the present objects differ from the lock, one sentence each; none if the lock is up to date.

    Args:
        present: As :func:`present_pins` returns it.
        lock: As :func:`~offnominal.studies.version_lock.read_lock` returns it.

    Example:
        >>> differences({"alarm/Maximum": Pin(1, "b")}, {"alarm/Maximum": Pin(1, "a")})
        ['alarm/Maximum: the code of version 1 changed; run `make relock`, and raise the version if numbers changed']
        >>> differences({"alarm/Maximum": Pin(2, "b")}, {"alarm/Maximum": Pin(2, "b")})
        []
    """
    return [
        f"{name}: {_difference(present.get(name), lock.get(name))}"
        for name in sorted({*present, *lock})
        if present.get(name) != lock.get(name)
    ]


def _difference(present: Pin | None, locked: Pin | None) -> str:
    if locked is None:
        return "is not in the lock; run `make relock`"
    if present is None:
        return "is in the lock, but not registered; run `make relock`"
    if present.version < locked.version:
        return f"has version {present.version}, below {locked.version} in the lock; a version is never lowered"
    if present.version > locked.version:
        return f"has version {present.version}, {locked.version} in the lock; run `make relock`"
    return f"the code of version {present.version} changed; run `make relock`, and raise the version if numbers changed"
