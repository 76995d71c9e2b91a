"""The choice of a world, a policy, detectors and an alarm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from offnominal.agents.experts import EXPERT
from offnominal.agents.weights import shipped_names
from offnominal.alarms.catalogue import alarms
from offnominal.core.capabilities import Need
from offnominal.core.checks import one_of
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy
from offnominal.datasets.policy_source import SCRIPTED
from offnominal.detectors.catalogue import detectors
from offnominal.reports.colours import UNTRAINED
from offnominal.studies.named_policy import acting_policy
from offnominal.studies.source_names import RANDOM
from offnominal.worlds.catalogue import worlds
from offnominal.worlds.world_card import WorldCard

DEFAULT_WORLD = "MJC-HalfCheetah-v0"
MOST_DETECTORS = 8
MOST_CHANNELS = 64
OF_CERTAIN_WORLDS: set[Need] = {"policy", "symbols"}
"""What detectors need that only certain worlds have."""
QUICK = ("KNN", "Mahalanobis", "IsolationForest", "HBOS")
"""Detectors that are chosen unless others are: they are fitted in seconds."""


@dataclass(frozen=True)
class MonitorChoice(Config):
    """A world, the policy that acts in it, the detectors that watch, and the alarm of each of them.

    Args:
        world: Id of the world.
        policy: ``"expert"``, ``"scripted"``, ``"random"``, or the id of a shipped policy, such as ``"tqc-0"``.
        detectors: Ids of the detectors.
        alarm: Id of the alarm.

    Example:
        >>> MonitorChoice("SAP-Goal1-v0", detectors=("KNN",)).uses_images
        False
        >>> MonitorChoice("SAP-Goal1-v0", policy="asleep")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: policy is 'asleep'; expected one of 'expert', 'scripted', 'random', ...
    """

    world: str
    policy: str = EXPERT
    detectors: tuple[str, ...] = QUICK
    alarm: str = "EpisodeMaximum"

    def __post_init__(self) -> None:
        worlds.spec(self.world)
        if not is_offered(worlds.card(self.world)):
            raise InvalidParameter(
                f"{self.world} has no vector of at most {MOST_CHANNELS} observation channels; choose from "
                f"{', '.join(offered_worlds())}."
            )
        one_of("policy", self.policy, policies_of(self.world))
        alarms.spec(self.alarm)
        if not 1 <= len(self.detectors) <= MOST_DETECTORS or len(set(self.detectors)) < len(self.detectors):
            raise InvalidParameter(
                f"{len(self.detectors)} detectors were given; expected 1 to {MOST_DETECTORS} different ones."
            )
        for detector in self.detectors:
            detectors.spec(detector)

    @property
    def uses_images(self) -> bool:
        """Whether a detector scores images."""
        return any("images" in detectors.spec(id).needs for id in self.detectors)

    def make_policy(self) -> Policy:
        """Return a new policy."""
        return acting_policy(self.policy, self.world)


def policies_of(world: str) -> list[str]:
    """Return the names of the policies of a world: the best one first, then the algorithms of all trained ones.

    Example:
        >>> policies_of("SAP-Goal0-v0")[:7]
        ['expert', 'scripted', 'random', 'ppo-0', 'ppo-1', 'ppo-2', 'sac']
    """
    trained = [name.removeprefix(f"{world}--") for name in shipped_names() if name.startswith(f"{world}--")]
    scripted = worlds.card(world).scripted_expert is not None
    return [*([EXPERT] if trained else []), *([SCRIPTED] if scripted else []), RANDOM, *trained]


def is_offered(card: WorldCard) -> bool:
    """Whether a world has a vector observation with few enough channels to be shown."""
    return 0 < len(card.observation) <= MOST_CHANNELS


def offered_worlds() -> list[str]:
    """Return the ids of the worlds that can be chosen."""
    return [id for id in worlds.ids() if is_offered(worlds.card(id))]


def detector_choices() -> list[dict[str, Any]]:
    """Return the detectors that can be chosen, with what they score and whether they train a network.

    Example:
        >>> [entry["cost"] for entry in detector_choices() if entry["id"] in ("KNN", "PE-DM")]
        ['seconds', 'minutes']
    """
    return [
        {
            "id": spec.id,
            "summary": spec.summary,
            "cost": "minutes" if "gpu" in spec.tags else "seconds",
            "images": "images" in spec.needs,
        }
        for spec in detectors
        if not spec.id.endswith(UNTRAINED) and not {*spec.needs} & OF_CERTAIN_WORLDS
    ]
