"""Blocks and items of the voxel world: ids, published names and properties.

Blocks and items share one space of ids, so that a block in the inventory has the id of the placed block. Ids below
`FIRST_ITEM` are blocks. The others are items that cannot be placed.
"""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.errors import UnknownName, did_you_mean

FIRST_ITEM = 128
"""Smallest id of an item that is no block."""


@dataclass(frozen=True, slots=True)
class Block:
    """One kind of block, or of item that is no block.

    Args:
        id: Number in the voxel grid and in the inventory. It never changes.
        name: Published name, such as ``minecraft:log``. Variants share it.
        texture: Name of the texture; unique.
        solid: Whether nothing can stand in its cell.
        opaque: Whether it fills its cell and hides everything behind it.
        variant: Variant, such as ``jungle``; empty without variants.
        breakable: Whether `BREAK_BLOCK` removes it.
    """

    id: int
    name: str
    texture: str
    solid: bool = True
    opaque: bool = True
    variant: str = ""
    breakable: bool = True

    @property
    def is_block(self) -> bool:
        """Whether it can be in the voxel grid."""
        return self.id < FIRST_ITEM

    @property
    def label(self) -> str:
        """The name without its namespace, with the variant if it has one: ``log_var_jungle``."""
        short = self.name.partition(":")[2]
        return f"{short}_var_{self.variant}" if self.variant else short


AIR, BEDROCK, GRASS, DIRT = 0, 1, 2, 3
LOG, JUNGLE_LOG, LEAVES, JUNGLE_LEAVES = 4, 5, 6, 7
PLANKS, CRAFTING_TABLE, PLASTIC_CHEST = 8, 9, 10
DIAMOND_ORE, PLATINUM, TITANIUM, DIAMOND_BLOCK = 11, 12, 13, 14
TREE_TAP, SAFE, UNLOCKED_SAFE = 15, 16, 17
DOOR, OPEN_DOOR, FENCE = 18, 19, 20
SAPLING, JUNGLE_SAPLING = 21, 22
ROTTEN_LOG, LOCKED_DOOR = 23, 24
FIRST_NOVELTY = 32
STICK, DIAMOND, IRON_PICKAXE, RUBBER, POGO_STICK, KEY = 128, 129, 130, 131, 132, 133
WHEAT_SEEDS, APPLE, IRON_AXE = 134, 135, 136

_TASK_BLOCKS = (
    Block(AIR, "minecraft:air", "air", solid=False, opaque=False, breakable=False),
    Block(BEDROCK, "minecraft:bedrock", "bedrock", breakable=False),
    Block(GRASS, "minecraft:grass", "grass"),
    Block(DIRT, "minecraft:dirt", "dirt"),
    Block(LOG, "minecraft:log", "log_oak", variant="oak"),
    Block(JUNGLE_LOG, "minecraft:log", "log_jungle", variant="jungle"),
    Block(LEAVES, "minecraft:leaves", "leaves_oak", opaque=False, variant="oak"),
    Block(JUNGLE_LEAVES, "minecraft:leaves", "leaves_jungle", opaque=False, variant="jungle"),
    Block(PLANKS, "minecraft:planks", "planks", variant="oak"),
    Block(CRAFTING_TABLE, "minecraft:crafting_table", "crafting_table"),
    Block(PLASTIC_CHEST, "polycraft:plastic_chest", "plastic_chest", breakable=False),
    Block(DIAMOND_ORE, "minecraft:diamond_ore", "diamond_ore"),
    Block(PLATINUM, "polycraft:block_of_platinum", "block_of_platinum"),
    Block(TITANIUM, "polycraft:block_of_titanium", "block_of_titanium"),
    Block(DIAMOND_BLOCK, "minecraft:diamond_block", "diamond_block"),
    Block(TREE_TAP, "polycraft:tree_tap", "tree_tap", opaque=False),
    Block(SAFE, "polycraft:safe", "safe", breakable=False),
    Block(UNLOCKED_SAFE, "polycraft:unlocked_safe", "unlocked_safe", breakable=False),
    Block(DOOR, "minecraft:wooden_door", "wooden_door", opaque=False, breakable=False),
    Block(OPEN_DOOR, "minecraft:wooden_door", "wooden_door_open", solid=False, opaque=False, breakable=False),
    Block(FENCE, "minecraft:fence", "fence", opaque=False),
    Block(SAPLING, "minecraft:sapling", "sapling_oak", solid=False, opaque=False, variant="oak"),
    Block(JUNGLE_SAPLING, "minecraft:sapling", "sapling_jungle", solid=False, opaque=False, variant="jungle"),
    Block(ROTTEN_LOG, "minecraft:log", "log_rotten", variant="rotten"),
    Block(LOCKED_DOOR, "minecraft:wooden_door", "wooden_door_locked", opaque=False, breakable=False),
)

NORMAL_ITEMS = ("anvil", "sand", "coal_block")
"""Inserted items of the normal classes."""
VALIDATION_ITEMS = ("quartz_block", "obsidian", "prismarine", "tnt", "sea_lantern")
"""Inserted items of the novel classes of validation."""
_TEST_NAMES = (
    "bookshelf deadbush cauldron netherrack enchanting_table jukebox snow lapis_block stonebrick cake noteblock wheat "
    "mycelium waterlily dropper reeds bed glowstone lever torch cobblestone planks slime beacon iron_block clay ice "
    "sponge sandstone dispenser tallgrass cactus gravel piston web hopper stone soul_sand brewing_stand pumpkin wool "
    "vine emerald_block"
)
TEST_ITEMS = tuple(_TEST_NAMES.split())
"""Inserted items of the novel classes of the test split, in the published order."""
NOVEL_ITEMS = (*NORMAL_ITEMS, *VALIDATION_ITEMS, *TEST_ITEMS)
"""The 51 inserted items, in the order of the published class numbers."""

_SEE_THROUGH = (
    "deadbush cauldron enchanting_table cake wheat waterlily reeds bed lever torch slime beacon ice tallgrass cactus "
    "web hopper brewing_stand vine anvil"
)
_VARIANTS = {"prismarine": "prismarine", "sand": "sand", "stone": "stone", "stonebrick": "stonebrick"}


def _inserted() -> tuple[Block, ...]:
    """Return the inserted items that are no blocks of the task. All are solid: one block stands in one cell."""
    names = [name for name in NOVEL_ITEMS if name != "planks"]
    return tuple(
        Block(
            FIRST_NOVELTY + index,
            f"minecraft:{name}",
            name,
            opaque=name not in _SEE_THROUGH.split(),
            variant=_VARIANTS.get(name, ""),
        )
        for index, name in enumerate(names)
    )


BLOCKS: tuple[Block, ...] = (*_TASK_BLOCKS, *_inserted())
"""All blocks. Use `BY_ID` to find one by its id: ids 25 to 31 are free."""

ITEMS: tuple[Block, ...] = (
    Block(STICK, "minecraft:stick", "stick"),
    Block(DIAMOND, "minecraft:diamond", "diamond"),
    Block(IRON_PICKAXE, "minecraft:iron_pickaxe", "iron_pickaxe"),
    Block(RUBBER, "polycraft:sack_polyisoprene_pellets", "sack_polyisoprene_pellets"),
    Block(POGO_STICK, "polycraft:wooden_pogo_stick", "wooden_pogo_stick"),
    Block(KEY, "polycraft:key", "key"),
    Block(WHEAT_SEEDS, "minecraft:wheat_seeds", "wheat_seeds"),
    Block(APPLE, "minecraft:apple", "apple"),
    Block(IRON_AXE, "minecraft:iron_axe", "iron_axe"),
)
"""Items that are no blocks."""

BY_ID: dict[int, Block] = {block.id: block for block in (*BLOCKS, *ITEMS)}
"""Blocks and items by id."""
BY_NAME: dict[str, Block] = {}
"""Blocks and items by published name; the first variant of a name stands for it."""
for _each in (*BLOCKS, *ITEMS):
    BY_NAME.setdefault(_each.name, _each)
TASK_ITEMS = frozenset(
    {LOG, JUNGLE_LOG, PLANKS, CRAFTING_TABLE, DIAMOND_ORE, PLATINUM, TITANIUM, DIAMOND_BLOCK, TREE_TAP, SAPLING}
    | {JUNGLE_SAPLING, STICK, DIAMOND, IRON_PICKAXE, RUBBER, POGO_STICK, KEY, WHEAT_SEEDS, APPLE}
)
"""Ids that a nominal episode can have in the inventory."""


def block_named(name: str) -> Block:
    """Return the block or item of a published name, or raise :class:`UnknownName`.

    Example:
        >>> block_named("polycraft:tree_tap").id
        15
    """
    try:
        return BY_NAME[name]
    except KeyError:
        raise UnknownName(f"no block or item is named {name!r}.{did_you_mean(name, BY_NAME)}") from None


def inserted_item(name: str) -> Block:
    """Return the block of an inserted item, such as ``anvil``, or raise :class:`UnknownName`."""
    if name not in NOVEL_ITEMS:
        raise UnknownName(f"no inserted item is named {name!r}.{did_you_mean(name, NOVEL_ITEMS)}")
    return BY_NAME[f"minecraft:{name}"]
