# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.core.config import Config as Config
from offnominal.core.episode import Episode as Episode
from offnominal.core.episode import Event as Event
from offnominal.core.errors import AlreadyExists as AlreadyExists
from offnominal.core.errors import DamagedFile as DamagedFile
from offnominal.core.errors import InaccessibleFile as InaccessibleFile
from offnominal.core.errors import InvalidAction as InvalidAction
from offnominal.core.errors import InvalidChannels as InvalidChannels
from offnominal.core.errors import InvalidEpisode as InvalidEpisode
from offnominal.core.errors import InvalidLog as InvalidLog
from offnominal.core.errors import InvalidParameter as InvalidParameter
from offnominal.core.errors import InvalidSchedule as InvalidSchedule
from offnominal.core.errors import InvalidScores as InvalidScores
from offnominal.core.errors import InvalidState as InvalidState
from offnominal.core.errors import LawBroken as LawBroken
from offnominal.core.errors import MissingDependency as MissingDependency
from offnominal.core.errors import MissingFile as MissingFile
from offnominal.core.errors import ModuleFailed as ModuleFailed
from offnominal.core.errors import NotFitted as NotFitted
from offnominal.core.errors import OffnominalError as OffnominalError
from offnominal.core.errors import SimulationDiverged as SimulationDiverged
from offnominal.core.errors import UnknownName as UnknownName
from offnominal.core.errors import UnsupportedEnvironment as UnsupportedEnvironment
from offnominal.core.errors import UnsupportedEstimator as UnsupportedEstimator
from offnominal.core.errors import UnsupportedFormat as UnsupportedFormat
from offnominal.core.progress_bar import progress as progress
from offnominal.core.registry import Registry as Registry
from offnominal.core.registry import Spec as Spec
from offnominal.core.streams import Stream as Stream
from offnominal.core.streams import stream_keys as stream_keys

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
