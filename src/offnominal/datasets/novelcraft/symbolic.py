"""The symbolic vector of a frame: numbers of items, held item, and block in front."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.files import content_errors, parse_json
from offnominal.core.printable import shown
from offnominal.core.types import BoolArray, FloatArray, IntArray
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

    Raises:
        InvalidParameter: This is not such data.
    """
    try:
        return _vector(sensed)
    except (LookupError, TypeError, AttributeError) as error:
        raise InvalidParameter(
            f"sensed is {shown(sensed)}; expected the data of SENSE_ALL NONAV ({type(error).__name__}: {error})."
        ) from error


def _vector(sensed: Mapping[str, Any]) -> IntArray:
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


class SymbolicRecord(NamedTuple):
    """Symbols of an episode without its maps.

    Attributes:
        vectors: (T, 24): symbolic vector of each frame.
        commands: Command that led to each frame, with its argument.
        costs: (T,): step cost of that command.
        solved: (T,): whether the goal is achieved.
        over: (T,): whether the episode has ended.
    """

    vectors: IntArray
    commands: tuple[str, ...]
    costs: FloatArray
    solved: BoolArray
    over: BoolArray


def read_symbolic_record(texts: Iterable[tuple[bytes, Path | str]]) -> SymbolicRecord:
    """Return the symbols of an episode.

    Args:
        texts: Data of ``SENSE_ALL NONAV`` of each frame as JSON, and its source for error messages.

    Raises:
        DamagedFile: A text is not such data.
    """
    vectors, commands, costs, solved, over = [], [], [], [], []
    for text, where in texts:
        with content_errors(where, "data of SENSE_ALL"):
            sensed = _read(text, where)
            result = sensed["command_result"]
            vectors.append(_vector(sensed))
            commands.append(f"{result['command']} {result['argument']}".strip())
            costs.append(float(result["stepCost"]))
            solved.append(bool(sensed["goal"]["goalAchieved"]))
            over.append(bool(sensed["gameOver"]))
    return SymbolicRecord(
        np.array(vectors, np.int64).reshape(-1, len(SYMBOLIC_NAMES)),
        tuple(commands),
        np.array(costs, np.float64),
        np.array(solved, np.bool_),
        np.array(over, np.bool_),
    )


def _read(text: bytes, where: Path | str) -> dict[str, Any]:
    """Return the sensed data of a text. The map, which is nearly all of the text, is left out if possible."""
    first, last = text.find(b'"map":'), text.rfind(b'"goal":')
    if 0 < first < last:
        short: dict[str, Any] = parse_json(text[:first] + text[last:], where)
        if "inventory" in short and "blockInFront" in short:
            return short
    whole: dict[str, Any] = parse_json(text, where)
    return whole
