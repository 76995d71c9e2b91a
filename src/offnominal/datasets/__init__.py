"""What was recorded: datasets of episodes, their recipes and their store."""

from offnominal.datasets.content import content_of
from offnominal.datasets.dataset import Dataset
from offnominal.datasets.generate import follow, generate
from offnominal.datasets.load import dataset_folders, load
from offnominal.datasets.manifest import FramesEntry, Manifest, SplitEntry
from offnominal.datasets.minari import from_minari, import_minari, to_minari
from offnominal.datasets.recipe import Cell, Recipe
from offnominal.datasets.save import save
from offnominal.datasets.split import Images, Split
from offnominal.datasets.verify import verify

__all__ = [
    "Cell",
    "Dataset",
    "FramesEntry",
    "Images",
    "Manifest",
    "Recipe",
    "Split",
    "SplitEntry",
    "content_of",
    "dataset_folders",
    "follow",
    "from_minari",
    "generate",
    "import_minari",
    "load",
    "save",
    "to_minari",
    "verify",
]
