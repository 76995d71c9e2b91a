"""Description of the trained policies of a world."""

from __future__ import annotations

from typing import Any

from offnominal.agents.experts import expert_cards
from offnominal.core.rounding import fixed
from offnominal.reports.descriptions.description import Description, page
from offnominal.worlds.catalogue import worlds


def policy_rows() -> list[dict[str, Any]]:
    """Return one row per trained policy of the package, with its return."""
    return [
        {
            "world": card.world,
            "algorithm": card.algorithm,
            "return": float(fixed(card.mean_return, 3)),
            "±95%": float(fixed(card.return_interval, 3)),
            "published": worlds.card(card.world).expert_return,
            "success": card.success,
        }
        for card in expert_cards()
    ]


def describe_policies(world: str) -> Description:
    """Return the trained policies of a world: returns, training and command.

    Args:
        world: Id of the world.

    Example:
        >>> [row["algorithm"] for row in describe_policies("SAP-Goal0-v0").tables["policies"]][:4]
        ['ppo-0', 'ppo-1', 'ppo-2', 'sac']
    """
    card = worlds.card(worlds.spec(world).id)
    found = [each for each in expert_cards() if each.world == card.id]
    scripted = card.scripted_expert
    return Description(
        name=card.id,
        summary=card.summary,
        facts={
            "published return": card.expert_return,
            "return of random actions": card.random_return,
            "scripted policy": None if scripted is None else scripted.id,
        },
        tables={
            "policies": [
                {
                    "algorithm": each.algorithm,
                    "return": each.mean_return,
                    "±95%": each.return_interval,
                    "success": each.success,
                    "length": each.mean_length,
                    "episodes": each.episodes,
                    "training steps": each.steps,
                    "sha256": each.sha256[:12],
                }
                for each in found
            ],
            "commands": [{"algorithm": each.algorithm, "command": each.command} for each in found],
        },
        documentation=page("guide/agents.md"),
    )
