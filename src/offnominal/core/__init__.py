"""Shared basics: episodes, events, random streams, registries, errors, configuration, progress."""

from typing import TYPE_CHECKING

from offnominal.core.lazy_imports import lazy_attributes

if TYPE_CHECKING:
    from offnominal.core.config import Config
    from offnominal.core.episode import Episode, Event
    from offnominal.core.errors import (
        AlreadyExists,
        DamagedFile,
        InaccessibleFile,
        InvalidAction,
        InvalidChannels,
        InvalidEpisode,
        InvalidLog,
        InvalidParameter,
        InvalidSchedule,
        InvalidScores,
        InvalidState,
        LawBroken,
        MissingDependency,
        MissingFile,
        ModuleFailed,
        NotFitted,
        OffnominalError,
        SimulationDiverged,
        UnknownName,
        UnsupportedEnvironment,
        UnsupportedEstimator,
        UnsupportedFormat,
    )
    from offnominal.core.progress_bar import progress
    from offnominal.core.registry import Registry, Spec
    from offnominal.core.streams import Stream, stream_keys

_NAMES = {
    "config": ("Config",),
    "episode": (
        "Episode",
        "Event",
    ),
    "errors": (
        "AlreadyExists",
        "DamagedFile",
        "InaccessibleFile",
        "InvalidAction",
        "InvalidChannels",
        "InvalidEpisode",
        "InvalidLog",
        "InvalidParameter",
        "InvalidSchedule",
        "InvalidScores",
        "InvalidState",
        "LawBroken",
        "MissingDependency",
        "MissingFile",
        "ModuleFailed",
        "NotFitted",
        "OffnominalError",
        "SimulationDiverged",
        "UnknownName",
        "UnsupportedEnvironment",
        "UnsupportedEstimator",
        "UnsupportedFormat",
    ),
    "progress_bar": ("progress",),
    "registry": (
        "Registry",
        "Spec",
    ),
    "streams": (
        "Stream",
        "stream_keys",
    ),
}
__getattr__, __dir__ = lazy_attributes(__name__, _NAMES)

__all__ = [
    "AlreadyExists",
    "Config",
    "DamagedFile",
    "Episode",
    "Event",
    "InaccessibleFile",
    "InvalidAction",
    "InvalidChannels",
    "InvalidEpisode",
    "InvalidLog",
    "InvalidParameter",
    "InvalidSchedule",
    "InvalidScores",
    "InvalidState",
    "LawBroken",
    "MissingDependency",
    "MissingFile",
    "ModuleFailed",
    "NotFitted",
    "OffnominalError",
    "Registry",
    "SimulationDiverged",
    "Spec",
    "Stream",
    "UnknownName",
    "UnsupportedEnvironment",
    "UnsupportedEstimator",
    "UnsupportedFormat",
    "progress",
    "stream_keys",
]
