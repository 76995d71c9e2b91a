"""Contact sheet of the agents of NovelCraft sets: the same level, one row per kind of agent.

python examples/craft_agents.py docs/assets/craft/agents.png
"""

import sys

import numpy as np
from PIL import Image

from offnominal.worlds.craft import new_game
from offnominal.worlds.craft.agents import STYLES, CraftAgent, play
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.first_person import first_person

SHOWN, SIDE, SEED = 9, 96, 4


def row(style: str) -> np.ndarray:
    """Return frames of one episode at equal distances, beside each other."""
    agent = CraftAgent(STYLES[style], Draws.named(SEED, 0, "policy"))
    states = [frame.state.copy() for frame in play(new_game("v2", seed=SEED), agent, frames=401, images=False)]
    places = np.linspace(0, len(states) - 1, SHOWN).round().astype(int)
    images = [Image.fromarray(first_person(states[place]).rgb).resize((SIDE, SIDE)) for place in places.tolist()]
    print(f"{style}: {len(states)} frames, solved {states[-1].solved}")
    return np.hstack([np.pad(np.asarray(image), ((1, 1), (1, 1), (0, 0)), constant_values=255) for image in images])


sheet = Image.fromarray(np.vstack([row(style) for style in STYLES]))
sheet.quantize(128).save(sys.argv[1], optimize=True)
