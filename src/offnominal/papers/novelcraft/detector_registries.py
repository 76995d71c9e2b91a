"""The registries of the detectors of a study of novelty."""

from __future__ import annotations

from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.detectors.catalogue import detectors
from offnominal.detectors.classifiers.catalogue import class_detectors
from offnominal.studies.detector_study import DetectorEntry

encoders: Registry[Any] = Registry("encoder")
"""Encoders for category discovery, which learn from labelled and unlabelled images."""
encoders.register(
    Spec("ContrastiveEncoder", "offnominal.detectors.discovery:ContrastiveEncoder", "contrastive training")
)


def registry_of(id: str) -> Registry[Any]:
    """Return the registry that has a detector: that of images with classes, of encoders, or of episodes.

    Example:
        >>> [registry_of(id).kind for id in ("NDCC", "ContrastiveEncoder", "Symbolic-AR")]
        ['class_detector', 'encoder', 'detector']
    """
    registries: tuple[Registry[Any], ...] = (class_detectors, encoders)
    return next((registry for registry in registries if id in registry), detectors)


def detector_specs(entry: DetectorEntry) -> list[Spec]:
    """Return the registry entries of a detector and of the detectors that it is built from."""
    registry = registry_of(entry.id)
    parts = registry.parts(entry.id, entry.parameters) if entry.id in registry else []
    return [registry.find(entry.id), *parts]
