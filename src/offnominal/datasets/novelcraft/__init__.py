"""NovelCraft on the embedded world: an image and the sensed data of every frame, with classes and splits.

`make_novelcraft` records a set, `open_novelcraft` opens it. The same function opens a folder in the published layout,
``<class>/<episode>/<frame>.png`` and ``.json`` beside ``targets.csv`` and ``splits.csv``. Nothing is decoded before it
is used, and no call keeps more in memory than it returns::

    from offnominal.datasets.novelcraft import open_novelcraft

    data = open_novelcraft("novelcraft")

    # Labelled images: those with at least 1 % novel pixels, and all images of the class `normal`.
    train = data.images("train")  # the five normal classes; plus=True adds those of NovelCraft+
    valid = data.images("valid")  # normal and novel classes
    novel = data.images("test", novel=True)  # only the novel classes
    train[0]  # (256, 256, 3) uint8
    train[[5, 2, 9]]  # (3, 256, 256, 3) uint8; also slices and boolean arrays
    for batch in train.batches(64):
        ...  # (k, 256, 256, 3) uint8, in order
    train.shrunk(64)  # (n, 64, 64, 3) uint8, all images with fewer pixels
    train.labels, train.novel, train.fractions  # (n,): class number 0 .. 53, whether novel, fraction of novel pixels
    train.ids, train.classes  # "fence/14/3", and the class names by number
    train.select(rows)  # a subset

    # Episodes: frames and symbols aligned by frame id.
    data.episode_task("train")  # normal episodes; also "valid", and "test" with novel episodes
    data.episodes(classes=["thief"], novel=True)
    episode = data["fence/14"]
    episode.images[3], episode.symbols[3]  # image and SENSE_ALL data of the same frame
    episode.vectors  # (T, 24) int64: 22 inventory counts, held item, block in front
    episode.frame_ids, episode.fractions  # (T,)
    episode.novel, episode.split, episode.kind  # whether the novelty is there, split or None, class
    episode.to_episode()  # an Episode for detectors of transitions and images, frames on access
"""

from offnominal.core.public_calls import name_wrong_arguments
from offnominal.datasets.novelcraft.classes import CLASSES, CraftClass, craft_class
from offnominal.datasets.novelcraft.craft_episode import CraftEpisode
from offnominal.datasets.novelcraft.craft_tables import read_splits, read_summary, read_targets
from offnominal.datasets.novelcraft.lazy_images import LabelledImages, LazyImages
from offnominal.datasets.novelcraft.making import make_novelcraft
from offnominal.datasets.novelcraft.novelcraft import NovelCraft, open_novelcraft
from offnominal.datasets.novelcraft.novelcraft_manifest import NovelCraftManifest, read_novelcraft_manifest
from offnominal.datasets.novelcraft.novelcraft_recipe import NovelCraftRecipe
from offnominal.datasets.novelcraft.novelcraft_verification import verify_novelcraft
from offnominal.datasets.novelcraft.published_export import export_published
from offnominal.datasets.novelcraft.set_sizes import SetSize, class_sizes, split_sizes
from offnominal.datasets.novelcraft.split_rule import choose_splits
from offnominal.datasets.novelcraft.symbolic import SYMBOLIC_NAMES, symbolic_vector

__all__ = [
    "CLASSES",
    "SYMBOLIC_NAMES",
    "CraftClass",
    "CraftEpisode",
    "LabelledImages",
    "LazyImages",
    "NovelCraft",
    "NovelCraftManifest",
    "NovelCraftRecipe",
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

name_wrong_arguments(__name__)
