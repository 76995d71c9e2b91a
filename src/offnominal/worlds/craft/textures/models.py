"""Models of all blocks, by the name of their texture."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from offnominal.sensing import Model, ModelPart, PackedModels, Texture, pack_models
from offnominal.worlds.craft.blocks import AIR, BLOCKS
from offnominal.worlds.craft.textures import crafted, furniture, natural
from offnominal.worlds.craft.textures.painting import clouded

OAK = ("4B3A22", "5E4A2C", "6F5936", "83693F"), ("B08F58", "8A6C3E")
JUNGLE = ("4F3F1B", "5C4A20", "6E5A29", "8A7434"), ("C08F63", "9A6B44")


def cube(texture: Texture, glowing: bool = False) -> Model:
    """Return a block with one texture."""
    return (ModelPart((texture,) * 6, glowing=glowing),)


def layered(top: Texture, side: Texture, bottom: Texture) -> Model:
    """Return a block with different ends."""
    return (ModelPart((side, side, bottom, top, side, side)),)


def fronted(top: Texture, front: Texture, side: Texture, bottom: Texture | None = None) -> Model:
    """Return a block whose faces towards -z and +z show its front."""
    return (ModelPart((side, side, top if bottom is None else bottom, top, front, front)),)


def crossed(texture: Texture) -> Model:
    """Return a plant."""
    return (ModelPart((texture,) * 6, crossed=True),)


def _column(end: Texture, side: Texture) -> Model:
    return layered(end, side, end)


_MODELS: dict[str, Callable[[], Model]] = {
    "bedrock": lambda: cube(natural.bedrock()),
    "grass": lambda: layered(*natural.grass()),
    "dirt": lambda: cube(natural.DIRT),
    "log_oak": lambda: _column(*natural.log("oak", *OAK)),
    "log_jungle": lambda: _column(*natural.log("jungle", *JUNGLE)),
    "log_rotten": lambda: _column(*natural.rotten_log()),
    "leaves_oak": lambda: cube(natural.leaves("oak leaves", "23541A", "2E6B22", "3B812C", "4B9838")),
    "leaves_jungle": lambda: cube(natural.leaves("jungle leaves", "3B7A12", "4F9A1A", "66B526", "86D03A")),
    "planks": lambda: cube(crafted.PLANKS),
    "crafting_table": lambda: fronted(*crafted.crafting_table(), crafted.PLANKS),
    "plastic_chest": lambda: fronted(*crafted.plastic_chest()),
    "diamond_ore": lambda: cube(natural.ore("diamond ore", "2A9D97", "4FDFD6", "C9FBF7")),
    "block_of_platinum": lambda: cube(crafted.metal("platinum", "F3F6FB", "C9D3E3", "A4B2C9", "6F7E98")),
    "block_of_titanium": lambda: cube(crafted.metal("titanium", "9AA0A8", "767C85", "5A6069", "34383E")),
    "diamond_block": lambda: cube(crafted.gem_block("diamond block", "B8F7F2", "6FE3DC", "3DBDB5", "1F8E88")),
    "emerald_block": lambda: cube(crafted.gem_block("emerald block", "8CF5B0", "3FD873", "1FA852", "0F7436")),
    "iron_block": lambda: cube(crafted.iron()),
    "lapis_block": lambda: cube(crafted.lapis()),
    "coal_block": lambda: cube(crafted.coal()),
    "quartz_block": lambda: cube(crafted.quartz()),
    "tree_tap": furniture.tree_tap,
    "anvil": furniture.anvil,
    "safe": lambda: fronted(crafted.safe("2F6BFF", False)[1], *crafted.safe("2F6BFF", False)),
    "unlocked_safe": lambda: fronted(crafted.safe("3BE05A", True)[1], *crafted.safe("3BE05A", True)),
    "wooden_door": lambda: furniture.door(crafted.door()),
    "wooden_door_locked": lambda: furniture.door(crafted.door(locked=True)),
    "wooden_door_open": lambda: furniture.open_door(crafted.door()),
    "fence": furniture.fence,
    "sapling_oak": lambda: crossed(furniture.sapling("2E6B22", "4B9838", "6B4A2A")),
    "sapling_jungle": lambda: crossed(furniture.sapling("4F9A1A", "86D03A", "8A7434")),
    "sand": lambda: cube(clouded("sand", "CFC08C", "D8CA97", "E0D4A3", "E8DDB2", grain=3)),
    "obsidian": lambda: cube(natural.obsidian()),
    "prismarine": lambda: cube(natural.prismarine()),
    "tnt": lambda: layered(*crafted.tnt()),
    "sea_lantern": lambda: cube(crafted.sea_lantern(), glowing=True),
    "bookshelf": lambda: fronted(crafted.PLANKS, crafted.bookshelf(), crafted.bookshelf()),
    "deadbush": lambda: crossed(furniture.deadbush()),
    "cauldron": furniture.cauldron,
    "netherrack": lambda: cube(clouded("netherrack", "4A1717", "5F2222", "732D2D", "8A3A3A", "A04C4C", cells=8)),
    "enchanting_table": furniture.enchanting_table,
    "jukebox": lambda: fronted(crafted.jukebox()[0], crafted.jukebox()[1], crafted.jukebox()[1]),
    "snow": lambda: cube(natural.snow()),
    "stonebrick": lambda: cube(natural.stonebrick()),
    "cake": furniture.cake,
    "noteblock": lambda: cube(crafted.noteblock()),
    "wheat": lambda: furniture.rows_of(natural.wheat()),
    "mycelium": lambda: layered(*natural.mycelium()),
    "waterlily": furniture.waterlily,
    "dropper": lambda: fronted(*crafted.machine("dropper")),
    "dispenser": lambda: fronted(*crafted.machine("dispenser")),
    "reeds": lambda: crossed(natural.reeds()),
    "bed": furniture.bed,
    "glowstone": lambda: cube(natural.glowstone(), glowing=True),
    "lever": furniture.lever,
    "torch": furniture.torch,
    "cobblestone": lambda: cube(natural.cobblestone()),
    "slime": furniture.slime,
    "beacon": furniture.beacon,
    "clay": lambda: cube(clouded("clay", "959BA8", "9DA3B0", "A5ABB8", "ADB3C0", cells=4, grain=1)),
    "ice": lambda: cube(natural.ice()),
    "sponge": lambda: cube(natural.sponge()),
    "sandstone": lambda: layered(*natural.sandstone()),
    "tallgrass": lambda: crossed(natural.tallgrass()),
    "cactus": furniture.cactus,
    "gravel": lambda: cube(clouded("gravel", "5E5A58", "736F6C", "857F7C", "98928E", "ADA7A2", cells=8, grain=4)),
    "piston": lambda: layered(*crafted.piston()),
    "web": lambda: crossed(crafted.web()),
    "hopper": furniture.hopper,
    "stone": lambda: cube(natural.STONE),
    "soul_sand": lambda: cube(natural.soul_sand()),
    "brewing_stand": furniture.brewing_stand,
    "pumpkin": lambda: fronted(crafted.pumpkin()[0], crafted.pumpkin_face(), crafted.pumpkin()[1]),
    "wool": lambda: cube(crafted.wool()),
    "vine": furniture.vine,
}


def block_model(texture: str) -> Model:
    """Return the model of the block with a texture's name."""
    return _MODELS[texture]()


@cache
def block_models() -> PackedModels:
    """Return the models of all blocks by id, for :func:`offnominal.sensing.render_blocks`."""
    return pack_models({block.id: block_model(block.texture) for block in BLOCKS if block.id != AIR})
