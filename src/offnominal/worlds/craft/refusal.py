"""Why a command is not carried out."""

from __future__ import annotations

from offnominal.worlds.craft.blocks import BY_ID, BY_NAME
from offnominal.worlds.craft.state import GameState


class Refusal(Exception):
    """A command is not possible. It is raised before anything changes.

    Args:
        message: The reason.
        cost: Step cost of the attempt.
    """

    def __init__(self, message: str, cost: float = 0.0) -> None:
        super().__init__(message)
        self.cost = cost


def name_of(state: GameState, id: int) -> str:
    """Return the name of a block or item in the interface of an episode."""
    for renamed, name in state.rules.renamed:
        if renamed == id:
            return name
    return BY_ID[id].name


def item_named(state: GameState, name: str) -> int:
    """Return the id of a name in the interface of an episode, or raise :class:`Refusal`."""
    for id, renamed in state.rules.renamed:
        if renamed == name:
            return id
    block = BY_NAME.get(name)
    if block is None or any(id == block.id for id, _ in state.rules.renamed):
        raise Refusal(f"unknown item {name[:60]!r}")
    return block.id


def whole_number(word: str, what: str) -> int:
    """Return a word as an integer, or raise :class:`Refusal`."""
    try:
        return int(word)
    except ValueError:
        raise Refusal(f"{what} is {word[:60]!r}; expected an integer") from None


def expect(words: list[str], least: int, most: int, usage: str) -> None:
    """Raise :class:`Refusal` unless a command has the right number of arguments."""
    if not least <= len(words) <= most:
        raise Refusal(f"expected {usage}")
