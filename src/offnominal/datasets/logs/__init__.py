"""Your own logs as episodes: data frames, tables, arrays and files."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.datasets.logs.boundary import QuestionableLog
from offnominal.datasets.logs.hdf5_log import read_hdf5
from offnominal.datasets.logs.log_episodes import LogEpisodes, episodes_from
from offnominal.datasets.logs.log_import import describe_log, import_log, preview_log, split_log
from offnominal.datasets.logs.mcap_log import read_mcap
from offnominal.datasets.logs.opening import open_log

__all__ = [
    "LogEpisodes",
    "QuestionableLog",
    "describe_log",
    "episodes_from",
    "import_log",
    "open_log",
    "preview_log",
    "read_hdf5",
    "read_mcap",
    "split_log",
]

name_wrong_arguments(__name__)
