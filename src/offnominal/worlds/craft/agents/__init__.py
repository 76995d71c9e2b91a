"""Agents of recorded sets: several planners, an explorer, and seeded mixtures of them.

They differ in the order of what they do, in detours, in mistakes and in what they do about a novelty. What an agent
does depends only on its own random numbers and on what it has perceived: see
:mod:`offnominal.worlds.craft.agents.played_frames`.
"""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "craft_agent": ("CraftAgent",),
        "agent_mixture": ("MIXTURES", "Mixture", "mixture"),
        "played_frames": ("PlayedFrame", "play"),
        "style": ("STYLES", "Reactions", "Style"),
    },
)
