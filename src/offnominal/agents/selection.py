"""The rule by which one of the trained policies of a world is its expert."""

from __future__ import annotations

import re
from collections.abc import Mapping

from offnominal.agents.files import PolicyCard
from offnominal.agents.policy_ids import BEHAVIOUR_CLONE, FINE_TUNED
from offnominal.core.rounding import fixed
from offnominal.worlds.catalogue import worlds

EXPERTS_VERSION = 3
"""Raised when the expert of a world changes; results of studies say which one they are of. 1 had clones; 2 had
earlier policies in HalfCheetah and pick-and-place."""
TRAINING_SEED = re.compile(r"tqc-\d+")
"""Ids of policies among which the expert is chosen: TQC without demonstrations."""
LEARNED = re.compile(r"(tqc|sac|td3|ppo)-\d+")
"""Ids of all policies of `train-seeds`: they learned without demonstrations."""
ENSEMBLES = ("dqn-ensemble", "ddpg-ensemble", f"{FINE_TUNED}-dqn-ensemble")
SUBSTITUTES = (FINE_TUNED, BEHAVIOUR_CLONE)
"""Ids of the expert where no policy learned, in the order of preference."""
LEAST_LEARNED = 0.5
"""Share of the published return, above that of random actions, from which a policy counts as one that learned."""


def select(world: str, cards: Mapping[str, PolicyCard]) -> tuple[str, str] | None:
    """Return the id of the expert of a world and why it is this one; None if no policy was trained there.

    The expert is the training seed with the median mean return over the evaluation episodes of the cards (of an even
    number of seeds, the lower one in the middle). If that seed earns less than half of the published return, above
    random actions, learning has failed; then the policy that was shown demonstrations is the expert. The worlds of the
    OOD-RL paper have an ensemble.

    Args:
        world: Id of the world.
        cards: Cards of its trained policies by id.

    Example:
        >>> from offnominal.agents import expert_card
        >>> select("URM-Reach-v0", {f"tqc-{seed}": expert_card("URM-Reach-v0", f"tqc-{seed}") for seed in (0, 1, 4)})
        ('tqc-0', 'median of 3 training seeds by mean return over 1000 evaluation episodes')
    """
    seeds = sorted(
        (card.mean_return, id) for id, card in cards.items() if TRAINING_SEED.fullmatch(id) and card.world == world
    )
    if not seeds:
        named = next((id for id in (*ENSEMBLES, *SUBSTITUTES) if id in cards), None)
        return None if named is None else (named, "the ensemble" if named in ENSEMBLES else "the only trained one")
    value, median = seeds[(len(seeds) - 1) // 2]
    share = score_of(world, value)
    substitute = next((id for id in SUBSTITUTES if id in cards), None)
    if share is None or share >= LEAST_LEARNED or substitute is None:
        episodes = cards[median].episodes
        return median, f"median of {len(seeds)} training seeds by mean return over {episodes} evaluation episodes"
    return substitute, (
        f"learning without demonstrations failed: the median of {len(seeds)} training seeds, {median}, has "
        f"{fixed(share, 2)} of the published return above random actions, less than {LEAST_LEARNED:g}; "
        "this one was shown demonstrations"
    )


def score_of(world: str, mean_return: float) -> float | None:
    """Return a mean return as a share of the published one above random actions; None if none was published."""
    card = worlds.card(world)
    if card.expert_return is None or card.random_return is None:
        return None
    return (mean_return - card.random_return) / (card.expert_return - card.random_return)
