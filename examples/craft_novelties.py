"""Draw the recipe tree and novelties of the pogo-stick task: `python examples/craft_novelties.py [folder]`.

The first image is the recipe tree of version 2. The second is an episode in which fences appear, with the fraction of
novel pixels. The third shows one frame of eight novelties.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from offnominal.worlds.craft import PogoPlanner, new_game, run_command, set_novelty
from offnominal.worlds.craft import blocks as b
from offnominal.worlds.craft.first_person import first_person
from offnominal.worlds.craft.layout import yaw_towards
from offnominal.worlds.craft.movement import beside, distance
from offnominal.worlds.craft.novelty_truth import novel_fraction
from offnominal.worlds.craft.state import GameState
from offnominal.worlds.craft.textures.icons import icon

SIDE, GAP, EDGE, LABEL = 232, 8, 4, 22
SEED, STRIP_SEED, ONSET = 4, 7, 20
MOMENTS = (0, 10, 22, 23, 30)
RED, GREY, INK, LINE = (214, 73, 51), (201, 204, 209), (40, 42, 46), (150, 154, 160)
FONT = ImageFont.load_default(14)

Node = tuple[int, str, float, int]
NODES: dict[str, Node] = {
    "pogo": (b.POGO_STICK, "pogo stick", 3.0, 0),
    "stick": (b.STICK, "2 sticks", 0.9, 1),
    "rubber": (b.RUBBER, "1 rubber", 2.3, 1),
    "titanium": (b.TITANIUM, "2 titanium", 3.7, 1),
    "block": (b.DIAMOND_BLOCK, "2 diamond blocks", 5.1, 1),
    "planks": (b.PLANKS, "planks", 0.9, 2),
    "tap": (b.TREE_TAP, "tree tap", 2.3, 2),
    "platinum": (b.PLATINUM, "2 platinum", 3.7, 2),
    "diamond": (b.DIAMOND, "18 diamonds", 5.1, 2),
    "log": (b.LOG, "2 logs of trees", 0.9, 3),
    "pickaxe": (b.IRON_PICKAXE, "iron pickaxe", 3.7, 3),
    "ore": (b.DIAMOND_ORE, "2 diamond ore", 5.1, 3),
}
LINKS = (
    ("pogo", "stick", ""),
    ("pogo", "rubber", ""),
    ("pogo", "titanium", ""),
    ("pogo", "block", ""),
    ("stick", "planks", "2 planks"),
    ("rubber", "tap", "at a tree"),
    ("titanium", "platinum", "trader"),
    ("block", "diamond", "9 each"),
    ("planks", "log", "4 per log"),
    ("tap", "planks", "5 planks"),
    ("tap", "stick", "1 stick"),
    ("platinum", "pickaxe", "mined"),
    ("diamond", "ore", "9 per ore"),
    ("ore", "pickaxe", "mined"),
)


def recipe_tree() -> Image.Image:
    """Return the recipe tree with the icons of the items."""
    page = Image.new("RGB", (860, 560), "white")
    draw = ImageDraw.Draw(page)

    def place(name: str) -> tuple[float, float]:
        _, _, x, y = NODES[name]
        return 140.0 * x + 10.0, 145.0 * y + 45.0

    for upper, lower, label in LINKS:
        (x0, y0), (x1, y1) = place(upper), place(lower)
        draw.line((x0, y0, x1, y1), LINE, 2)
        if label:
            middle = ((x0 + x1) / 2.0, (y0 + y1) / 2.0 + (14.0 if x0 == x1 else 0.0))
            box = draw.textbbox(middle, label, FONT, "mm")
            draw.rectangle((box[0] - 3, box[1] - 2, box[2] + 3, box[3] + 2), "white")
            draw.text(middle, label, INK, FONT, "mm")
    for name, (item, title, _, _) in NODES.items():
        x, y = place(name)
        draw.rounded_rectangle((x - 32, y - 34, x + 32, y + 30), 8, (244, 245, 247), GREY, 2)
        enlarged = Image.fromarray(icon(item)).resize((48, 48), Image.Resampling.NEAREST)
        page.paste(enlarged, (int(x) - 24, int(y) - 26), enlarged)
        box = draw.textbbox((x, y + 42), title, FONT, "mm")
        draw.rectangle((box[0] - 3, box[1] - 1, box[2] + 3, box[3] + 1), "white")
        draw.text((x, y + 42), title, INK, FONT, "mm")
    return page


def frame(state: GameState) -> Image.Image:
    """Return the image of the player's view, twice as large as it is drawn, so that edges are smooth."""
    image = Image.fromarray(first_person(state, size=2 * SIDE).rgb)
    return image.resize((SIDE, SIDE), Image.Resampling.LANCZOS)


def sheet(titles: Sequence[str], images: Sequence[Image.Image], columns: int) -> Image.Image:
    """Return images in a grid, each above its title."""
    rows = -(-len(images) // columns)
    wide, high = SIDE + GAP, SIDE + LABEL + GAP
    page = Image.new("RGB", (columns * wide - GAP, rows * high - GAP), "white")
    for number, (title, image) in enumerate(zip(titles, images, strict=True)):
        left, top = number % columns * wide, number // columns * high
        page.paste(image, (left, top))
        place = (left + SIDE / 2.0, top + SIDE + LABEL / 2.0 + 2.0)
        ImageDraw.Draw(page).text(place, title, INK, FONT, "mm")
    return page


def strip() -> Image.Image:
    """Return moments of an episode in which fences appear around trees."""
    state, planner, success = new_game("v2", seed=STRIP_SEED), PogoPlanner(), True
    titles, images = [], []
    for number in range(max(MOMENTS) + 1):
        if number == ONSET:
            set_novelty(state, "fence", 3)
        if number in MOMENTS:
            image, share = frame(state), novel_fraction(state, first_person(state))
            colour = RED if state.levels else GREY
            ImageDraw.Draw(image).rectangle((0, 0, SIDE - 1, SIDE - 1), outline=colour, width=EDGE)
            titles.append(f"frame {number}: {100.0 * share:.1f} % novel")
            images.append(image)
        success = run_command(state, planner.next_command(state, success)).success
    return sheet(titles, images, len(images))


def view_of(name: str, level: int, target: int = 0) -> Image.Image:
    """Return a view of a novelty: of its first actor or item on the ground, or of a block two cells ahead."""
    state = new_game("v2", seed=SEED)
    set_novelty(state, name, level)
    if target:
        cells = [(int(x), int(z)) for x, z in zip(*(state.layer == target).nonzero(), strict=True)]
    elif name in ("axe", "only_saplings"):
        cells = list(state.drops)
    elif name == "merchants":
        cells = [actor.cell for actor in state.actors if actor.kind == "Merchant"]
    else:
        cells = [actor.cell for actor in state.actors[-1:]]
    best = next((cell, place) for away in (3, 2, 1) for cell in cells for place in beside(state, cell, away))
    state.cell, state.yaw = best[1], yaw_towards(best[1], best[0])
    for actor in state.actors:
        if distance(actor.cell, best[0]) <= 1:
            actor.yaw = yaw_towards(actor.cell, state.cell)
    return frame(state)


def walls() -> Image.Image:
    """Return a view of walls of which more than half are grass."""
    state = new_game("v2", seed=SEED)
    set_novelty(state, "walls", 2)
    state.yaw = 45
    return frame(state)


def main(folder: Path) -> None:
    """Write three images."""
    folder.mkdir(parents=True, exist_ok=True)
    gallery = {
        "distributor": view_of("distributor", 1),
        "merchants": view_of("merchants", 1),
        "chest_thief": view_of("chest_thief", 1),
        "axe": view_of("axe", 2),
        "only_saplings": view_of("only_saplings", 3),
        "rotten_trees": view_of("rotten_trees", 2, b.ROTTEN_LOG),
        "locked_doors": view_of("locked_doors", 1, b.LOCKED_DOOR),
        "walls": walls(),
    }
    images = {
        "recipes": recipe_tree(),
        "novelty-strip": strip(),
        "novelty-gallery": sheet([f"dynamics/{name}" for name in gallery], list(gallery.values()), 4),
    }
    for name, image in images.items():
        path = folder / f"{name}.png"
        image.save(path, optimize=True)
        print(f"Written: {path} ({path.stat().st_size / 1000:.0f} kB)")


if __name__ == "__main__":
    main(Path(*sys.argv[1:] or ["docs/assets/craft"]))
