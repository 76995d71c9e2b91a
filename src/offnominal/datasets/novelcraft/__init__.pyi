# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.datasets.novelcraft.classes import CLASSES as CLASSES
from offnominal.datasets.novelcraft.classes import CraftClass as CraftClass
from offnominal.datasets.novelcraft.classes import craft_class as craft_class
from offnominal.datasets.novelcraft.craft_episode import CraftEpisode as CraftEpisode
from offnominal.datasets.novelcraft.craft_tables import read_splits as read_splits
from offnominal.datasets.novelcraft.craft_tables import read_summary as read_summary
from offnominal.datasets.novelcraft.craft_tables import read_targets as read_targets
from offnominal.datasets.novelcraft.lazy_images import LabelledImages as LabelledImages
from offnominal.datasets.novelcraft.lazy_images import LazyImages as LazyImages
from offnominal.datasets.novelcraft.making import make_novelcraft as make_novelcraft
from offnominal.datasets.novelcraft.novelcraft import NovelCraft as NovelCraft
from offnominal.datasets.novelcraft.novelcraft import open_novelcraft as open_novelcraft
from offnominal.datasets.novelcraft.novelcraft_manifest import NovelCraftManifest as NovelCraftManifest
from offnominal.datasets.novelcraft.novelcraft_manifest import read_novelcraft_manifest as read_novelcraft_manifest
from offnominal.datasets.novelcraft.novelcraft_recipe import NovelCraftRecipe as NovelCraftRecipe
from offnominal.datasets.novelcraft.novelcraft_verification import verify_novelcraft as verify_novelcraft
from offnominal.datasets.novelcraft.published_export import export_published as export_published
from offnominal.datasets.novelcraft.set_sizes import SetSize as SetSize
from offnominal.datasets.novelcraft.set_sizes import class_sizes as class_sizes
from offnominal.datasets.novelcraft.set_sizes import split_sizes as split_sizes
from offnominal.datasets.novelcraft.split_rule import choose_splits as choose_splits
from offnominal.datasets.novelcraft.symbolic import SYMBOLIC_NAMES as SYMBOLIC_NAMES
from offnominal.datasets.novelcraft.symbolic import symbolic_vector as symbolic_vector

__all__ = [
    "CLASSES",
    "CraftClass",
    "CraftEpisode",
    "LabelledImages",
    "LazyImages",
    "NovelCraft",
    "NovelCraftManifest",
    "NovelCraftRecipe",
    "SYMBOLIC_NAMES",
    "SetSize",
    "choose_splits",
    "class_sizes",
    "craft_class",
    "export_published",
    "make_novelcraft",
    "open_novelcraft",
    "read_novelcraft_manifest",
    "read_splits",
    "read_summary",
    "read_targets",
    "split_sizes",
    "symbolic_vector",
    "verify_novelcraft",
]
