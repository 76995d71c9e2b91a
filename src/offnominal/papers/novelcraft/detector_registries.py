"""The registries of the detectors of a study of novelty."""

from __future__ import annotations

from typing import Any

from offnominal.core.registry import Registry, Spec
from offnominal.detectors.catalogue import detectors
from offnominal.detectors.classifiers.catalogue import class_detectors

encoders: Registry[Any] = Registry("encoder")
"""Encoders for category discovery, which learn from labelled and unlabelled images."""
encoders.register(
    Spec(
        "ContrastiveEncoder",
        "offnominal.detectors.discovery.contrastive_encoder:ContrastiveEncoder",
        "contrastive training",
        tags=("gpu",),
    )
)


def registry_of(id: str) -> Registry[Any]:
    """Return the registry that has a detector: that of images with classes, of encoders, or of episodes.

    Example:
        >>> [registry_of(id).kind for id in ("NDCC", "ContrastiveEncoder", "Symbolic-AR")]
        ['class_detector', 'encoder', 'detector']
    """
    registries: tuple[Registry[Any], ...] = (class_detectors, encoders)
    return next((registry for registry in registries if id in registry), detectors)
