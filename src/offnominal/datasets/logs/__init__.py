"""Your own logs as episodes: data frames, tables, arrays and files."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "boundary": ("QuestionableLog",),
        "hdf5_log": ("read_hdf5",),
        "log_episodes": ("LogEpisodes", "episodes_from"),
        "log_import": ("describe_log", "import_log", "preview_log", "split_log"),
        "mcap_log": ("read_mcap",),
        "opening": ("open_log",),
    },
)
