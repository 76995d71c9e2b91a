"""Measure which faults are visible, and after how many steps: `python examples/visibility.py [world] [episodes]`.

The dataset is recorded on the first run and reused later.
"""

import sys

import numpy as np

import offnominal as off
from offnominal.reports.tables import markdown


def main(world: str, episodes: int) -> None:
    """Print a table with one row per fault."""
    data = off.load_dataset(off.Recipe.for_world(world, episodes=episodes, twins=True))
    nominal = list(data["twins"])
    rows = []
    for name in data.faults.values():
        pairs = [off.Twin(*pair) for pair in zip(nominal, data[name], strict=True)]
        visible = [pair for pair in pairs if pair.effective_onset is not None]
        waits = [pair.effective_onset - pair.faulty.onset for pair in visible if pair.faulty.onset is not None]
        rows.append(
            {
                "fault": name,
                "faulty": f"{np.mean([pair.faulty.onset is not None for pair in pairs]):.0%}",
                "visible": f"{len(visible) / len(pairs):.0%}",
                "steps until visible": f"{np.mean(waits):.1f}" if waits else "–",
                "return lost": f"{np.mean([pair.damage for pair in pairs]):.2f}",
            }
        )
    print(markdown(rows))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "SAP-Goal0-v0", int(sys.argv[2]) if len(sys.argv) > 2 else 100)
