"""Ids of policies say how they were trained: only what learned without demonstrations has the name of an algorithm."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from offnominal.agents.files import PolicyCard
from offnominal.core.errors import InvalidParameter

BEHAVIOUR_CLONE = "bc"
"""Id of a policy that copies another one and was not trained any further."""
FINE_TUNED = "rl-finetuned"
"""Id of a policy that was shown demonstrations and then trained by reinforcement learning."""
UNTRAINED = "untrained"
"""Id of a policy that has neither learned nor copied."""
DEFAULT_ALGORITHM = "tqc"
SEED = re.compile(r"-(\d+)")


def honest_id(name: str, settings: Mapping[str, Any], steps: int) -> str:
    """Return the id that a policy may have.

    Args:
        name: The name of its algorithm, possibly with more behind it, such as ``"tqc-0"`` or ``"dqn-ensemble"``.
        settings: Settings of its training.
        steps: Number of training transitions until the saved policy.

    Returns:
        The name, if the policy learned without demonstrations; ``"bc"`` if it only copies; ``"rl-finetuned"`` if it was
        trained after demonstrations, with the name behind it unless that is TQC; else ``"untrained"``.

    Example:
        >>> honest_id("tqc", {"demonstrator": "scripted"}, 0), honest_id("sac", {"demonstrator": "scripted"}, 900)
        ('bc', 'rl-finetuned-sac')
        >>> honest_id("tqc-0", {"demonstrator": "none"}, 900)
        'tqc-0'
    """
    if not was_shown(settings):
        return name if steps > 0 else UNTRAINED
    if steps == 0:
        return BEHAVIOUR_CLONE
    name = name.removeprefix(FINE_TUNED).removeprefix("-")
    return FINE_TUNED if name in ("", DEFAULT_ALGORITHM, BEHAVIOUR_CLONE) else f"{FINE_TUNED}-{name}"


def was_shown(settings: Mapping[str, Any]) -> bool:
    """Whether a policy saw more than its own episodes: demonstrations, or gradients of the simulator."""
    return (
        settings.get("demonstrator", "none") != "none"
        or "teacher_sha256" in settings
        or bool(settings.get("fine_tuning"))
    )


def check_policy_id(card: PolicyCard) -> None:
    """Check that the id of a policy says how it was trained.

    Args:
        card: The card of the policy.

    Raises:
        InvalidParameter: A clone or a policy with demonstrations has the id of an algorithm, a policy that learned has
            another id, or the id has another algorithm or seed than the settings.

    Example:
        >>> from offnominal.agents import expert_card
        >>> check_policy_id(expert_card("SAP-Goal0-v0", "tqc-0"))
        >>> check_policy_id(expert_card("CAR-LaneKeep-v0", "bc").replace(algorithm="tqc"))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: the policy 'tqc' of CAR-LaneKeep-v0 was shown demonstrations ...
    """
    named, trained = f"the policy {card.algorithm!r} of {card.world}", str(card.settings.get("algorithm", ""))
    expected = honest_id(trained, card.settings, card.steps)
    if expected == trained:
        if card.algorithm != trained and not card.algorithm.startswith(f"{trained}-"):
            raise InvalidParameter(f"{named} learned by {trained}; its id must begin with {trained!r}.")
        seed = SEED.search(card.algorithm)
        if seed and int(seed[1]) != card.settings.get("seed"):
            raise InvalidParameter(
                f"{named} was trained with seed {card.settings.get('seed')}; its id has another one."
            )
    elif card.algorithm != expected and not card.algorithm.startswith(f"{expected}-"):
        shown = "was shown demonstrations" if was_shown(card.settings) else "has no step of learning"
        raise InvalidParameter(f"{named} {shown} ({card.steps} steps of learning); its id must be {expected!r}.")
