"""Scripted experts by world."""

from __future__ import annotations

from offnominal.core.errors import UnknownName
from offnominal.core.policy import Policy
from offnominal.core.registry import Spec
from offnominal.worlds.catalogue import worlds


def scripted_experts() -> list[Spec]:
    """Return the entries of the scripted experts that the cards of the shipped worlds name."""
    named = (worlds.card(id).scripted_expert for id in worlds.ids())
    return [spec for spec in named if spec is not None]


def scripted_expert(world: str) -> Policy:
    """Return the scripted expert of a world: a hand-written controller.

    Args:
        world: Id of a world whose card names a scripted expert.

    Raises:
        UnknownName: There is no such world, or its card names none.

    Example:
        >>> from offnominal.rollouts import evaluate_policy
        >>> evaluate_policy("MJC-Reacher3D-v0", scripted_expert("MJC-Reacher3D-v0"), 20).mean_return > -60
        True
    """
    spec = worlds.card(world).scripted_expert
    if spec is None:
        raise UnknownName(f"{world} has no scripted expert; its card names none.")
    policy: Policy = spec.load()(**spec.options)
    return policy
