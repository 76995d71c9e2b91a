# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.datasets import anomaly_gym as anomaly_gym
from offnominal.datasets import image_sets as image_sets
from offnominal.datasets import logs as logs
from offnominal.datasets import novelcraft as novelcraft
from offnominal.datasets import public_logs as public_logs
from offnominal.datasets import scenes as scenes
from offnominal.datasets import tables as tables
from offnominal.datasets.anomaly_gym import import_anomaly_gym as import_anomaly_gym
from offnominal.datasets.anomaly_gym import open_anomaly_gym as open_anomaly_gym
from offnominal.datasets.dataset import Dataset as Dataset
from offnominal.datasets.generation import generate as generate
from offnominal.datasets.hashing import content_hash as content_hash
from offnominal.datasets.loading import dataset_folders as dataset_folders
from offnominal.datasets.loading import load_dataset as load_dataset
from offnominal.datasets.log_injection import InjectedLog as InjectedLog
from offnominal.datasets.log_injection import OpenLoopFault as OpenLoopFault
from offnominal.datasets.log_injection import inject_log as inject_log
from offnominal.datasets.logs import LogEpisodes as LogEpisodes
from offnominal.datasets.logs import episodes_from as episodes_from
from offnominal.datasets.logs import import_log as import_log
from offnominal.datasets.logs import read_bag as read_bag
from offnominal.datasets.logs import read_hdf5 as read_hdf5
from offnominal.datasets.logs import read_mcap as read_mcap
from offnominal.datasets.logs import split_log as split_log
from offnominal.datasets.manifest import FramesEntry as FramesEntry
from offnominal.datasets.manifest import Manifest as Manifest
from offnominal.datasets.manifest import SplitEntry as SplitEntry
from offnominal.datasets.minari import from_minari as from_minari
from offnominal.datasets.minari import import_minari as import_minari
from offnominal.datasets.minari import to_minari as to_minari
from offnominal.datasets.public_logs import load_public_log as load_public_log
from offnominal.datasets.public_logs import public_log_entry as public_log_entry
from offnominal.datasets.public_logs import public_log_names as public_log_names
from offnominal.datasets.recipe import FaultCell as FaultCell
from offnominal.datasets.recipe import Recipe as Recipe
from offnominal.datasets.saving import save_dataset as save_dataset
from offnominal.datasets.split import FrameSplit as FrameSplit
from offnominal.datasets.split import Split as Split
from offnominal.datasets.verification import verify_dataset as verify_dataset

__all__ = [
    "Dataset",
    "FaultCell",
    "FrameSplit",
    "FramesEntry",
    "InjectedLog",
    "LogEpisodes",
    "Manifest",
    "OpenLoopFault",
    "Recipe",
    "Split",
    "SplitEntry",
    "content_hash",
    "dataset_folders",
    "episodes_from",
    "from_minari",
    "generate",
    "import_anomaly_gym",
    "import_log",
    "import_minari",
    "inject_log",
    "load_dataset",
    "load_public_log",
    "open_anomaly_gym",
    "public_log_entry",
    "public_log_names",
    "read_bag",
    "read_hdf5",
    "read_mcap",
    "save_dataset",
    "split_log",
    "to_minari",
    "verify_dataset",
]
