"""Errors of towns and their traffic."""

from __future__ import annotations

from offnominal.core.errors import InvalidParameter


class NoRoute(InvalidParameter):
    """No route leads from a place to another one."""


class InvalidSpawn(InvalidParameter):
    """A position where nothing can be placed: inside a building, off the road, or too near to another actor."""


class InvalidTown(InvalidParameter):
    """The description of a town is inconsistent: a lane without an exit, roads that are too short, unknown nodes."""


class AnomalyNotPossible(InvalidParameter):
    """A simulation has no actor and no place for an anomaly."""
