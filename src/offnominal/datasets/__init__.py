"""Datasets of episodes: recipes, files, checks, and conversion from and to Minari."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "anomaly_gym": ("import_anomaly_gym", "open_anomaly_gym"),
        "dataset": ("Dataset",),
        "generation": ("generate",),
        "hashing": ("content_hash",),
        "loading": ("dataset_folders", "load_dataset"),
        "log_injection": ("InjectedLog", "OpenLoopFault", "inject_log"),
        "logs": ("LogEpisodes", "episodes_from", "import_log", "read_bag", "read_hdf5", "read_mcap", "split_log"),
        "manifest": ("FramesEntry", "Manifest", "SplitEntry"),
        "minari": ("from_minari", "import_minari", "to_minari"),
        "public_logs": ("load_public_log", "public_log_entry", "public_log_names"),
        "recipe": ("FaultCell", "Recipe"),
        "saving": ("save_dataset",),
        "split": ("FrameSplit", "Split"),
        "verification": ("verify_dataset",),
    },
)
