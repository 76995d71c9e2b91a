"""The registered id of a detector."""

from __future__ import annotations

from typing import Any

from offnominal.core.registry import Registry, Spec


def registered_id(registry: Registry[Any], detector: Any, kind: type | None = None) -> str | None:
    """Return the id under which the class of a detector is registered, or None.

    Several ids can share a class; the id whose options agree best with the parameters of the detector is returned.

    Args:
        registry: Registry of the detectors of its kind.
        detector: The detector. If a single id has its class, it needs no `get_params`.
        kind: The class; that of the detector if None.

    Example:
        >>> from offnominal.detectors.catalogue import detectors
        >>> from offnominal.detectors.baselines import Time
        >>> registered_id(detectors, Time())
        'Time'
    """
    paths = class_paths(kind or type(detector))
    candidates = [spec for spec in registry if spec.implementation in paths]
    if len(candidates) < 2:
        return candidates[0].id if candidates else None

    given = detector.get_params()

    def agreement(spec: Spec) -> int:
        # Which implementation, given as a string, counts more than numbers.
        options = {name: value for name, value in spec.options.items() if name != spec.parts}
        weights = {name: 2 if isinstance(value, str) else 1 for name, value in options.items()}
        return sum(weights[name] * (1 if given.get(name) == value else -1) for name, value in options.items())

    return max(candidates, key=agreement).id


def class_paths(kind: type) -> set[str]:
    """Return the paths under which a class can be registered: of its module, and of the packages above it."""
    parts = kind.__module__.split(".")
    packages = (".".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return {f"{package}:{kind.__qualname__}" for package in packages}
