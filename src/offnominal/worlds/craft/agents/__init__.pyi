# Written by `python tools/check_stubs.py --write` from the public names of the package.
from offnominal.worlds.craft.agents.agent_mixture import MIXTURES as MIXTURES
from offnominal.worlds.craft.agents.agent_mixture import Mixture as Mixture
from offnominal.worlds.craft.agents.agent_mixture import mixture as mixture
from offnominal.worlds.craft.agents.craft_agent import CraftAgent as CraftAgent
from offnominal.worlds.craft.agents.played_frames import PlayedFrame as PlayedFrame
from offnominal.worlds.craft.agents.played_frames import play as play
from offnominal.worlds.craft.agents.style import STYLES as STYLES
from offnominal.worlds.craft.agents.style import Reactions as Reactions
from offnominal.worlds.craft.agents.style import Style as Style

__all__ = [
    "CraftAgent",
    "MIXTURES",
    "Mixture",
    "PlayedFrame",
    "Reactions",
    "STYLES",
    "Style",
    "mixture",
    "play",
]
