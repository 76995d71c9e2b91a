"""Who acts in a dataset, and by what name its recipe knows it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from offnominal.agents.experts import expert, expert_card
from offnominal.agents.files import TrainedPolicy, load_policy, serialised
from offnominal.agents.policy import Policy, as_policy
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array
from offnominal.datasets.recipe import Recipe

PolicySource = Policy | Callable[[Array], Array] | Path | str | None
"""A policy, a function, the file of a trained policy, or None for the shipped expert."""


class NamedPolicy(NamedTuple):
    """A policy with its name and the hash of its weights, which is empty if it has none."""

    policy: Policy
    name: str
    sha256: str


def resolve_policy(
    world: str, policy: PolicySource, *, algorithm: str | None = None, name: str | None = None
) -> NamedPolicy:
    """Return who acts.

    Args:
        world: Id of the world.
        policy: Who; see :data:`PolicySource`.
        algorithm: Which shipped expert; the world's own if None.
        name: What to call the policy; needed for one without weights, whose behaviour no hash can tell.
    """
    if policy is None:
        card = expert_card(world, algorithm)
        return NamedPolicy(expert(world, algorithm), card.algorithm, card.sha256)
    if isinstance(policy, Path | str):
        loaded, card = load_policy(Path(policy))
        return NamedPolicy(loaded, name or card.algorithm, card.sha256)
    if isinstance(policy, TrainedPolicy):
        return NamedPolicy(policy, name or "network", hashlib.sha256(serialised(policy)).hexdigest())
    if not name:
        raise InvalidParameter(
            "the policy has no weights to tell it from another; give it a name with policy_name, and another one "
            "whenever it changes."
        )
    return NamedPolicy(as_policy(policy), name, "")


def policy_of_recipe(recipe: Recipe, policy: PolicySource) -> NamedPolicy:
    """Return who acts in a recipe; a policy with other weights than the recipe's is refused."""
    acting = resolve_policy(recipe.world, policy, algorithm=recipe.policy, name=recipe.policy)
    if acting.sha256 != recipe.policy_sha256:
        raise InvalidParameter(
            f"the policy's weights have SHA-256 {acting.sha256[:12]}…, the recipe says {recipe.policy_sha256[:12]}…; "
            "give the policy of the recipe."
        )
    return acting
