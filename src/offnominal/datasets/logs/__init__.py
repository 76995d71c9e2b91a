"""Your own logs as episodes: data frames, tables, arrays and files."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "bags": ("read_bag", "read_mcap"),
        "boundary": ("QuestionableLog",),
        "hdf5_log": ("read_hdf5",),
        "log_episodes": ("LogEpisodes",),
        "log_import": ("audited_columns", "describe_log", "import_log", "preview_log", "split_log"),
        "opening": ("open_log",),
        "reading": ("episodes_from",),
    },
)
