"""Datasets of episodes: recipes, files, checks, and conversion from and to Minari."""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.generation import generate
from offnominal.datasets.hashing import content_hash
from offnominal.datasets.loading import dataset_folders, load_dataset
from offnominal.datasets.logs import LogEpisodes, episodes_from, import_log, read_hdf5, read_mcap, split_log
from offnominal.datasets.manifest import FramesEntry, Manifest, SplitEntry
from offnominal.datasets.minari import from_minari, import_minari, to_minari
from offnominal.datasets.recipe import FaultCell, Recipe
from offnominal.datasets.saving import save_dataset
from offnominal.datasets.split import FrameSplit, Split
from offnominal.datasets.verification import verify_dataset

__all__ = [
    "Dataset",
    "FaultCell",
    "FrameSplit",
    "FramesEntry",
    "LogEpisodes",
    "Manifest",
    "Recipe",
    "Split",
    "SplitEntry",
    "content_hash",
    "dataset_folders",
    "episodes_from",
    "from_minari",
    "generate",
    "import_log",
    "import_minari",
    "load_dataset",
    "read_hdf5",
    "read_mcap",
    "save_dataset",
    "split_log",
    "to_minari",
    "verify_dataset",
]

name_wrong_arguments(__name__)
