"""Measure the return of uniformly random actions in every world: `python examples/random_returns.py [episodes]`."""

import sys

import numpy as np

import offnominal as off
from offnominal.reports.tables import markdown


def main(episodes: int) -> None:
    """Print a table of mean returns with their 95 % intervals."""
    rows = []
    for id in off.worlds.worlds.ids():
        world = off.worlds.make_world(id, 1)
        collected = off.collect(id, off.agents.RandomPolicy(world.action_space), episodes)
        returns = np.array([episode.total_reward for episode in collected])
        rows.append(
            {
                "world": id,
                "published": world.card.random_return,
                "measured": f"{returns.mean():.2f}",
                "±95%": f"{1.96 * returns.std(ddof=1) / np.sqrt(episodes):.2f}",
                "mean length": f"{np.mean([len(episode) for episode in collected]):.1f}",
                "success": f"{np.mean([episode.success for episode in collected]):.1%}",
            }
        )
    print(markdown(rows))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
