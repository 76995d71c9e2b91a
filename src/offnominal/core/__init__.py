"""Shared basics: episodes, events, random streams, registries, errors, configuration, progress."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "config": ("Config",),
        "episode": ("Episode", "Event"),
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
        "registry": ("Registry", "Spec"),
        "streams": ("Stream", "stream_keys"),
    },
)
