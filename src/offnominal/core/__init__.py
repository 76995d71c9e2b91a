"""The words every room shares: episodes, events, streams, registries, errors, configuration, progress."""

from offnominal.core.config import Config
from offnominal.core.episode import Episode, Event
from offnominal.core.errors import (
    InvalidAction,
    InvalidChannels,
    InvalidParameter,
    InvalidSchedule,
    InvalidState,
    LawBroken,
    MissingDependency,
    OffnominalError,
    SimulationDiverged,
    UnknownName,
    UnsupportedEnvironment,
)
from offnominal.core.progress import progress
from offnominal.core.registry import Registry, Spec
from offnominal.core.streams import Stream, stream_keys

__all__ = [
    "Config",
    "Episode",
    "Event",
    "InvalidAction",
    "InvalidChannels",
    "InvalidParameter",
    "InvalidSchedule",
    "InvalidState",
    "LawBroken",
    "MissingDependency",
    "OffnominalError",
    "Registry",
    "SimulationDiverged",
    "Spec",
    "Stream",
    "UnknownName",
    "UnsupportedEnvironment",
    "progress",
    "stream_keys",
]
