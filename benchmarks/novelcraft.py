"""NovelCraft sets: what a frame costs to play, render and write, and its files beside Pillow and json."""

from __future__ import annotations

import json
import time
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.measure import rates
from offnominal.datasets.novelcraft import NovelCraftRecipe, make_novelcraft, read_novelcraft_manifest
from offnominal.datasets.novelcraft.episode_recorder import LEVEL, play_frames, sensed_text
from offnominal.datasets.png import decode_png, encode_png
from offnominal.worlds.craft import sense

Row = dict[str, Any]
CLASSES = ("normal", "fence", "item_tnt", "tree_easy", "supplier")


def recording() -> list[Row]:
    """Play episodes of five classes and write all files, without the first episode, which loads the compiled code."""
    with TemporaryDirectory() as folder:
        make_novelcraft(NovelCraftRecipe(share=0.01, classes=("normal",), max_frames=3), Path(folder) / "first")
        start = time.process_time()
        data = make_novelcraft(NovelCraftRecipe(share=0.01, classes=CLASSES), Path(folder) / "set")
        spent = time.process_time() - start
        manifest = read_novelcraft_manifest(data.folder)
    return [
        {
            "frames": manifest.frames,
            "frames/CPU-s": round(manifest.frames / spent, 1),
            "kB/frame": round(manifest.size / manifest.frames / 1e3, 1),
            "bar": ">= 120",
        }
    ]


def files() -> list[Row]:
    """Encode and decode the image and the sensed data of a frame, beside Pillow at its fastest level and json."""
    (plan, *_) = NovelCraftRecipe().plans()
    state, image, result = next(play_frames(plan))
    rgb = image.rgb
    ours, theirs = encode_png(rgb, level=LEVEL, differences=False), _pillow(rgb)
    assert (np.asarray(Image.open(BytesIO(ours))) == rgb).all()
    encoded = rates(
        {
            "image": lambda: len([encode_png(rgb, level=LEVEL, differences=False)]),
            "peer: image, Pillow": lambda: len([_pillow(rgb)]),
            "sensed data": lambda: len([sensed_text(state, result)]),
            "peer: sensed data, json": lambda: len([json.dumps(sense.everything(state))]),
        }
    )
    decoded = rates(
        {
            "image": lambda: len([decode_png(ours)]),
            "peer: image, Pillow": lambda: len([np.asarray(Image.open(BytesIO(theirs)))]),
        }
    )
    sizes = {"image": len(ours), "peer: image, Pillow": len(theirs)}
    return [
        {
            "part": name,
            "encoded/CPU-s": round(rate.per_cpu_second),
            "decoded/CPU-s": round(decoded[name].per_cpu_second) if name in decoded else "",
            "kB": round(sizes[name] / 1e3, 1) if name in sizes else "",
        }
        for name, rate in encoded.items()
    ]


def _pillow(image: Any) -> bytes:
    content = BytesIO()
    Image.fromarray(image).save(content, "PNG", compress_level=1)
    return content.getvalue()


SECTIONS = {"NovelCraft sets: recording": recording, "NovelCraft sets: files": files}
