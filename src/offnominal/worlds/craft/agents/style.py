"""How an agent plays: the order of its goals, detours, mistakes, and what it does about a novelty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Order: TypeAlias = Literal["fixed", "gathering first", "random"]


@dataclass(frozen=True)
class Reactions:
    """What agents do about a novelty after they have perceived it. Each is drawn once per episode, before it begins.

    Args:
        gives_up: Probability of an agent who gives up before it makes planks if it knows of an inserted item.
        explores: Probability of an agent who does something at random for a while when it knows of an inserted item.
        shortest: Least number of commands of that while.
        longest: Largest number; in between, the logarithm of the number is uniform.
        leaves_after_theft: Probability of giving up, at each theft.
        leaves_unknown_trees: Whether it gives up before it makes anything if it knows of an unknown kind of tree.
        hasty: Probability of an agent who gives up before it makes or trades anything, and not only before the planks.
    """

    gives_up: float = 0.0
    explores: float = 0.0
    shortest: int = 1
    longest: int = 1
    leaves_after_theft: float = 0.0
    leaves_unknown_trees: bool = False
    hasty: float = 0.0


@dataclass(frozen=True)
class Style:
    """One kind of agent.

    Args:
        name: Short name.
        summary: What it does.
        order: Order of its goals, and of trees and ores: always the same and nearest first, or drawn per episode.
            ``"gathering first"`` gathers everything before it makes anything.
        logs: Fewest and most logs that it takes before it crafts.
        detours: Most detours of an episode; their number, moment and kind are drawn.
        mistake: Probability that it does something useless instead of its next command.
        explores: Whether it does something at random all the time, and never reaches the goal but by chance.
        asks: Whether it asks actors of unknown kinds for something.
        patience: Fewest and most commands after which it gives up.
    """

    name: str
    summary: str
    order: Order = "gathering first"
    logs: tuple[int, int] = (2, 3)
    detours: int = 0
    mistake: float = 0.0
    explores: bool = False
    asks: bool = False
    patience: tuple[int, int] = (363, 363)


_ALL = (
    Style(
        "planner",
        "always the same order, nearest first: the expert of the world",
        order="fixed",
        logs=(3, 3),
        patience=(400, 400),
    ),
    Style("gatherer", "gathers in a random order, then makes in a random order"),
    Style("shuffled", "all goals in a random order", order="random"),
    Style("detours", "a gatherer with one or two detours", detours=2),
    Style("clumsy", "a gatherer of whose commands 4 % are mistakes", mistake=0.04),
    Style("asking", "asks actors that it does not know, such as a supplier", order="fixed", logs=(3, 3), asks=True),
    Style("impatient", "a gatherer who gives up after 30 to 60 commands", patience=(30, 60)),
    Style("explorer", "random commands, and it gives up after 30 to 60 of them", explores=True, patience=(30, 60)),
)
STYLES: dict[str, Style] = {style.name: style for style in _ALL}
"""Kinds of agents by name."""
