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

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "classes": ("CLASSES", "CraftClass", "craft_class"),
        "craft_episode": ("CraftEpisode",),
        "craft_tables": ("read_splits", "read_summary", "read_targets"),
        "lazy_images": ("LabelledImages", "LazyImages"),
        "making": ("make_novelcraft",),
        "novelcraft": ("NovelCraft", "open_novelcraft"),
        "novelcraft_manifest": ("NovelCraftManifest", "read_novelcraft_manifest"),
        "novelcraft_recipe": ("NovelCraftRecipe",),
        "novelcraft_verification": ("verify_novelcraft",),
        "published_export": ("export_published",),
        "set_sizes": ("SetSize", "class_sizes", "split_sizes"),
        "split_rule": ("choose_splits",),
        "symbolic": ("SYMBOLIC_NAMES", "symbolic_vector"),
    },
)
