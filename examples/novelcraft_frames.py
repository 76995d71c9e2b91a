"""Draw frames of a NovelCraft set, one per class: `python examples/novelcraft_frames.py set [image]`.

Each frame is the one of its class whose fraction of novel pixels is closest to a twelfth, or to a fiftieth for actors.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from offnominal.datasets.novelcraft import NovelCraft, open_novelcraft

CLASSES = (
    *("normal", "fence", "item_anvil", "item_sand", "item_coal_block", "supplier"),
    *("item_quartz_block", "item_tnt", "tree_easy", "item_bookshelf", "item_cactus", "thief"),
)
COLUMNS, SIDE, GAP, CAPTION = 6, 192, 8, 16
TARGET, TARGET_OF_ACTORS = 1 / 12, 1 / 50


def frame(data: NovelCraft, name: str) -> tuple[Image.Image, str]:
    """Return a frame of a class and its caption."""
    episodes = [each for each in data.episodes(classes=[name]) if each.novel or name == "normal"]
    target = TARGET_OF_ACTORS if name in ("supplier", "thief") else TARGET
    found = [(abs(float(value) - target), each, row) for each in episodes for row, value in enumerate(each.fractions)]
    _, episode, row = min(found, key=lambda item: item[0])
    image = Image.fromarray(np.asarray(episode.images[row]))
    return image.resize((SIDE, SIDE), Image.Resampling.LANCZOS), f"{name}  {episode.fractions[row]:.1%}"


def main(folder: str, path: str = "docs/assets/craft/novelcraft-frames.png") -> None:
    """Write the image."""
    data = open_novelcraft(folder)
    names = [name for name in CLASSES if name in data.classes]
    rows = -(-len(names) // COLUMNS)
    size = (COLUMNS * (SIDE + GAP) - GAP, rows * (SIDE + GAP + CAPTION) - GAP)
    sheet = Image.new("RGB", size, "white")
    for place, name in enumerate(names):
        image, caption = frame(data, name)
        left, top = place % COLUMNS * (SIDE + GAP), place // COLUMNS * (SIDE + GAP + CAPTION)
        sheet.paste(image, (left, top))
        ImageDraw.Draw(sheet).text((left, top + SIDE + 2), caption, fill="black")
    sheet.save(Path(path), optimize=True)
    print(f"Written: {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
