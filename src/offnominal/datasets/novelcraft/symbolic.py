"""The symbolic vector of a frame: numbers of items, held item, and block in front."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.files import parse_json
from offnominal.core.types import IntArray
from offnominal.worlds.craft.blocks import AIR, BY_ID, BY_NAME
from offnominal.worlds.craft.symbols import COUNTED

UNKNOWN = -1
"""Number of a name that the world does not have."""
SYMBOLIC_NAMES = (*(BY_ID[id].name for id in COUNTED), "held item", "block in front")
"""Names of the 24 entries. The last two are ids of blocks and items, 0 for none."""
_PLACES = {name: place for place, name in enumerate(SYMBOLIC_NAMES[: len(COUNTED)])}


def symbolic_vector(sensed: Mapping[str, Any]) -> IntArray:
    """Return 22 inventory counts, the id of the held item and that of the block in front.

    Variants of a block, such as the logs of oaks and of jungle trees, have the same name and the same id.

    Args:
        sensed: Data of ``SENSE_ALL NONAV``.

    Example:
        >>> from offnominal.worlds.craft import execute, new_game
        >>> vector = symbolic_vector(execute(new_game("v2", seed=0), "SENSE_ALL NONAV"))
        >>> dict(zip(SYMBOLIC_NAMES, vector.tolist()))["minecraft:iron_pickaxe"]
        1
    """
    found = np.zeros(len(SYMBOLIC_NAMES), np.int64)
    inventory = sensed["inventory"]
    for slot, stack in inventory.items():
        place = _PLACES.get(stack["item"])
        if slot != "selectedItem" and place is not None:
            found[place] += stack["count"]
    found[-2:] = _id(inventory["selectedItem"]["item"]), _id(sensed["blockInFront"]["name"])
    return found


def _id(name: str) -> int:
    if not name:
        return AIR
    return BY_NAME[name].id if name in BY_NAME else UNKNOWN


def read_symbolic_vector(text: bytes, where: Path | str) -> IntArray:
    """Return the vector of the text of a frame. The map, which is nearly all of the text, is not parsed.

    Args:
        text: Data of ``SENSE_ALL NONAV`` as JSON.
        where: Its source, for the error message.
    """
    first, last = text.find(b'"map":'), text.rfind(b'"goal":')
    if 0 < first < last:
        short = parse_json(text[:first] + text[last:], where)
        if "inventory" in short and "blockInFront" in short:
            return symbolic_vector(short)
    return symbolic_vector(parse_json(text, where))
