"""Trees: a trunk of three logs and a canopy of leaves."""

from __future__ import annotations

from offnominal.worlds.craft.blocks import (
    AIR,
    JUNGLE_LEAVES,
    JUNGLE_LOG,
    JUNGLE_SAPLING,
    LEAVES,
    LOG,
    ROTTEN_LOG,
    SAPLING,
)
from offnominal.worlds.craft.layout import GROUND, BlockArray, Cell

TRUNK = 3
LOGS = frozenset({LOG, JUNGLE_LOG, ROTTEN_LOG})
_LEAVES = {LOG: LEAVES, JUNGLE_LOG: JUNGLE_LEAVES, ROTTEN_LOG: AIR}
SAPLING_OF = {LOG: SAPLING, JUNGLE_LOG: JUNGLE_SAPLING}
LOG_OF = {SAPLING: LOG, JUNGLE_SAPLING: JUNGLE_LOG}
# Layers of the canopy above the lowest log, with their radius.
_CANOPY = ((2, 2), (3, 2), (4, 1))


def grow(blocks: BlockArray, cell: Cell, log: int = LOG) -> None:
    """Put a tree on a cell. Leaves fill only air."""
    x, z = cell
    blocks[x, GROUND : GROUND + TRUNK, z] = log
    for rise, radius in _CANOPY:
        y = GROUND + rise
        part = blocks[max(0, x - radius) : x + radius + 1, y, max(0, z - radius) : z + radius + 1]
        part[part == AIR] = _LEAVES[log]
    if blocks[x, GROUND + TRUNK, z] == AIR:
        blocks[x, GROUND + TRUNK, z] = _LEAVES[log]


def fell(blocks: BlockArray, cell: Cell) -> None:
    """Remove the tree on a cell, trunk and leaves."""
    x, z = cell
    blocks[x, GROUND : GROUND + TRUNK, z] = AIR
    for rise, radius in _CANOPY:
        y = GROUND + rise
        part = blocks[max(0, x - radius) : x + radius + 1, y, max(0, z - radius) : z + radius + 1]
        part[(part == LEAVES) | (part == JUNGLE_LEAVES)] = AIR
