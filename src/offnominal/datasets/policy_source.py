"""Policies of datasets, with the name and the hash by which a recipe identifies them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from offnominal.agents.experts import EXPERT, expert, expert_card, is_scripted
from offnominal.agents.files import TrainedPolicy, load_policy, policy_hash
from offnominal.core.errors import InvalidParameter
from offnominal.core.policy import Policy, as_policy
from offnominal.core.types import Array

PolicySource = Policy | Callable[[Array], Array] | Path | str | None
"""A policy, a function, the file of a trained policy, or None for the shipped expert."""

SCRIPTED = "scripted"
"""Name of the scripted expert of a world where no policy was trained."""


class NamedPolicy(NamedTuple):
    """A policy with its name and the SHA-256 of its weights, which is empty for a policy without weights."""

    policy: Policy
    name: str
    sha256: str


def resolve_policy(
    world: str, policy: PolicySource, *, algorithm: str | None = None, name: str | None = None
) -> NamedPolicy:
    """Return a policy with its name and hash.

    Args:
        world: Id of the world.
        policy: See :data:`PolicySource`.
        algorithm: Id of a shipped policy; the expert of the world if None.
        name: Name of the policy; required for a policy without weights, which no hash identifies.
    """
    if policy is None and algorithm in (None, EXPERT, SCRIPTED) and is_scripted(world):
        return NamedPolicy(expert(world), SCRIPTED, "")
    if policy is None:
        card = expert_card(world, algorithm)
        return NamedPolicy(expert(world, algorithm), card.algorithm, card.sha256)
    if isinstance(policy, Path | str):
        loaded, card = load_policy(Path(policy))
        return NamedPolicy(loaded, name or card.algorithm, card.sha256)
    if isinstance(policy, TrainedPolicy):
        return NamedPolicy(policy, name or "network", policy_hash(policy))
    if not name:
        raise InvalidParameter(
            "the policy has no weights that identify it; give it a name with policy_name, and a new name whenever it "
            "changes."
        )
    return NamedPolicy(as_policy(policy), name, "")
