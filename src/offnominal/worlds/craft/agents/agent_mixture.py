"""Seeded mixtures of agents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from offnominal.core.checks import number_in, one_of
from offnominal.core.errors import InvalidParameter
from offnominal.worlds.craft.agents.craft_agent import CraftAgent
from offnominal.worlds.craft.agents.style import STYLES, Reactions
from offnominal.worlds.craft.draws import Draws, Sequential

STYLE_LANE = 20_003


@dataclass(frozen=True)
class Mixture:
    """Kinds of agents with their shares. Which one plays an episode depends on its seed and number only.

    Args:
        name: Short name.
        summary: What it is for.
        shares: Share of each kind.
        reactions: What all of them do about a novelty.
        reads_map: Whether they read the map from the first frame on, and know of a novelty before they perceive it.

    Example:
        >>> agents = [MIXTURES["diverse"].agent(seed=0, episode=number) for number in range(50)]
        >>> sorted({agent.style.name for agent in agents})
        ['asking', 'clumsy', 'detours', 'explorer', 'gatherer', 'impatient', 'planner', 'shuffled']
    """

    name: str
    summary: str
    shares: Mapping[str, float]
    reactions: Reactions = field(default_factory=Reactions)
    reads_map: bool = False

    def __post_init__(self) -> None:
        for kind, share in self.shares.items():
            number_in(f"the share of {one_of('a kind of agent', kind, tuple(STYLES))}", share, 0.0)
        if not sum(self.shares.values()) > 0.0:
            raise InvalidParameter(f"no share of the mixture {self.name!r} is above 0; expected at least one.")

    def agent(self, *, seed: int, episode: int, walks: bool = False) -> CraftAgent:
        """Return the agent of an episode.

        Args:
            seed: Root seed.
            episode: Number of earlier episodes with this seed.
            walks: Whether it uses unit moves and not TP_TO.
        """
        draws = Draws.named(seed, episode, "policy")
        chosen = Sequential(draws, STYLE_LANE).weighted(tuple(self.shares), tuple(self.shares.values()))
        return CraftAgent(STYLES[chosen], draws, reactions=self.reactions, walks=walks)


_ALL = (
    Mixture(
        "published",
        "episodes as long as the published ones, class by class",
        {"planner": 0.1, "gatherer": 0.6, "shuffled": 0.1, "detours": 0.1, "clumsy": 0.1},
        Reactions(
            gives_up=0.059,
            explores=0.051,
            shortest=10,
            longest=315,
            leaves_after_theft=0.9,
            leaves_unknown_trees=True,
            hasty=0.6,
        ),
    ),
    Mixture(
        "former", "the only agent of earlier versions: the expert, who reads the map", {"planner": 1.0}, reads_map=True
    ),
    Mixture("planner", "the expert of the world in every episode", {"planner": 1.0}),
    Mixture("diverse", "all kinds of agents in equal shares", dict.fromkeys(STYLES, 1.0)),
)
MIXTURES: dict[str, Mixture] = {each.name: each for each in _ALL}
"""Mixtures by name."""


def mixture(name: str) -> Mixture:
    """Return a mixture by its name."""
    return MIXTURES[one_of("agents", name, tuple(MIXTURES))]
