"""Your own logs as episodes: data frames, tables, arrays and files."""

from offnominal.datasets.logs.log_episodes import LogEpisodes, episodes_from
from offnominal.datasets.logs.opening import open_log

__all__ = ["LogEpisodes", "episodes_from", "open_log"]
