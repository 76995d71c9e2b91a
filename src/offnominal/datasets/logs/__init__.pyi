# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.datasets.logs.bags import read_bag as read_bag
from offnominal.datasets.logs.bags import read_mcap as read_mcap
from offnominal.datasets.logs.boundary import QuestionableLog as QuestionableLog
from offnominal.datasets.logs.hdf5_log import read_hdf5 as read_hdf5
from offnominal.datasets.logs.log_episodes import LogEpisodes as LogEpisodes
from offnominal.datasets.logs.log_import import audited_columns as audited_columns
from offnominal.datasets.logs.log_import import describe_log as describe_log
from offnominal.datasets.logs.log_import import import_log as import_log
from offnominal.datasets.logs.log_import import preview_log as preview_log
from offnominal.datasets.logs.log_import import split_log as split_log
from offnominal.datasets.logs.opening import open_log as open_log
from offnominal.datasets.logs.reading import episodes_from as episodes_from

__all__ = [
    "LogEpisodes",
    "QuestionableLog",
    "audited_columns",
    "describe_log",
    "episodes_from",
    "import_log",
    "open_log",
    "preview_log",
    "read_bag",
    "read_hdf5",
    "read_mcap",
    "split_log",
]
