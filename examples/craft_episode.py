"""Play the pogo-stick task and draw it: `python examples/craft_episode.py [folder]`.

The planner plays one episode. The first image shows moments of it. The second shows the same level with novelties. The
clip shows the episode without and with a thief; the right half has a red border while the thief is there.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from offnominal.worlds.craft import PogoPlanner, new_game, run_command, set_novelty
from offnominal.worlds.craft.blocks import FENCE, JUNGLE_LEAVES, JUNGLE_LOG, NOVEL_ITEMS, inserted_item
from offnominal.worlds.craft.first_person import first_person
from offnominal.worlds.craft.layout import yaw_towards
from offnominal.worlds.craft.movement import beside
from offnominal.worlds.craft.state import GameState

SIDE, GAP, EDGE = 256, 8, 4
SEED, ONSET, FRAMES, MILLISECONDS = 2, 10, 60, 250
MOMENTS = (0, 3, 10, 25, 37)
RED, GREY = (214, 73, 51), (201, 204, 209)


def frame(state: GameState) -> Image.Image:
    """Return the image of the player's view, half as large as it is drawn, so that edges are smooth."""
    image = Image.fromarray(first_person(state, size=2 * SIDE).rgb)
    return image.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def states(novelty: str = "", level: int = 1, *, onset: int = 0) -> list[GameState]:
    """Return the states of an episode of the planner, with a novelty from some step on."""
    state, planner, success = new_game("v2", seed=SEED), PogoPlanner(), True
    found = [state.copy()]
    while not state.over and len(found) < FRAMES:
        if novelty and len(found) - 1 == onset:
            set_novelty(state, novelty, level)
        success = run_command(state, planner.next_command(state, success)).success
        found.append(state.copy())
    return found


def visible(novelty: str, level: int, blocks: Sequence[int]) -> Image.Image:
    """Return the frame of an episode in which the blocks of a novelty cover about a sixth of the image."""
    shares = [(first_person(state, size=64).fraction(blocks), state) for state in states(novelty, level)]
    return frame(min(shares, key=lambda pair: abs(pair[0] - 0.16))[1])


def portrait(novelty: str) -> Image.Image:
    """Return an image of the actor of a novelty, who faces the player from two cells away."""
    state = new_game("v2", seed=SEED)
    set_novelty(state, novelty, 1)
    actor = state.actors[-1]
    state.cell, state.yaw = beside(state, actor.cell, 2)[0], 0
    state.yaw, actor.yaw = yaw_towards(state.cell, actor.cell), yaw_towards(actor.cell, state.cell)
    return frame(state)


def write(path: Path, images: Sequence[Image.Image]) -> None:
    """Write images next to each other into one."""
    sheet = Image.new("RGB", (len(images) * (SIDE + GAP) - GAP, SIDE), "white")
    for index, image in enumerate(images):
        sheet.paste(image, (index * (SIDE + GAP), 0))
    sheet.save(path, optimize=True)
    print(f"Written: {path}")


def clip(path: Path, nominal: Sequence[Image.Image], faulty: Sequence[Image.Image]) -> None:
    """Write two episodes beside each other."""
    images = []
    for number in range(max(len(nominal), len(faulty))):
        image = Image.new("RGB", (2 * SIDE + GAP, SIDE), "white")
        for index, frames in enumerate((nominal, faulty)):
            left = index * (SIDE + GAP)
            image.paste(frames[min(number, len(frames) - 1)], (left, 0))
            colour = RED if index and number > ONSET else GREY
            ImageDraw.Draw(image).rectangle((left, 0, left + SIDE - 1, SIDE - 1), outline=colour, width=EDGE)
        images.append(image)
    first, *others = images
    first.save(path, save_all=True, append_images=others, duration=MILLISECONDS, loop=0, quality=60, method=4)
    print(f"Written: {path} ({path.stat().st_size / 1000:.0f} kB)")


def main(folder: Path) -> None:
    """Write two images and a clip."""
    folder.mkdir(parents=True, exist_ok=True)
    nominal = states()
    write(folder / "craft-pogo.png", [frame(nominal[k]) for k in MOMENTS])
    novel = [
        visible("fence", 2, [FENCE]),
        visible("jungle_trees", 1, [JUNGLE_LOG, JUNGLE_LEAVES]),
        visible("inserted_item", 1 + NOVEL_ITEMS.index("pumpkin"), [inserted_item("pumpkin").id]),
        portrait("thief"),
        portrait("supplier"),
    ]
    write(folder / "craft-novelties.png", novel)
    faulty = states("thief", 1, onset=ONSET)
    clip(folder / "craft-pogo.webp", [frame(state) for state in nominal], [frame(state) for state in faulty])


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets"]))
