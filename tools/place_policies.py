"""Put the weights of every shipped policy where they belong: `python tools/place_policies.py`, `--check` only compares.

The expert of each world, chosen by the rule of `offnominal.agents.selection`, is part of the package; the others are in
the folder `weights`. The card of an expert says why it was chosen. To replace a policy, put its card into
`src/offnominal/agents/trained` and its weights into `weights`, and run the command.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from offnominal.agents.files import PolicyCard, read_card
from offnominal.agents.policy_ids import check_policy_id
from offnominal.agents.selection import select
from offnominal.core.files import write_json

ROOT = Path(__file__).parents[1]
LARGEST_PACKAGED = 4_000_000
"""Bytes; the weights of an expert that are larger stay outside of the package."""


@dataclass(frozen=True)
class Folders:
    """Where the files are.

    Args:
        packaged: Cards of all policies, and weights of the experts.
        others: Weights of the others.
    """

    packaged: Path = ROOT / "src/offnominal/agents/trained"
    others: Path = ROOT / "weights"

    def cards(self) -> dict[str, PolicyCard]:
        """Return all cards by name."""
        return {path.stem: read_card(path) for path in sorted(self.packaged.glob("*.json"))}

    def weights(self, name: str) -> Path:
        """Return the weights of a policy, wherever they are."""
        return next(path for path in (self._in(name, packaged=packaged) for packaged in (True, False)) if path.exists())

    def place(self, name: str, *, expert: bool) -> Path:
        """Return where the weights of a policy belong."""
        return self._in(name, packaged=expert and self.weights(name).stat().st_size <= LARGEST_PACKAGED)

    def _in(self, name: str, *, packaged: bool) -> Path:
        return (self.packaged if packaged else self.others) / f"{name}.safetensors"


def changes(folders: Folders) -> dict[str, tuple[Path, PolicyCard]]:
    """Return the place of the weights and the card of each policy whose files are not as they should be.

    Args:
        folders: Where the files are.
    """
    cards, found = folders.cards(), {}
    of_world: dict[str, dict[str, PolicyCard]] = {}
    for card in cards.values():
        check_policy_id(card)
        of_world.setdefault(card.world, {})[card.algorithm] = card
    chosen = {world: select(world, known) for world, known in of_world.items()}
    for name, card in cards.items():
        id, why = chosen[card.world] or ("", "")
        is_expert = card.algorithm == id
        place, right = (
            folders.place(name, expert=is_expert),
            card.replace(chosen=why if is_expert else "").with_sha256(),
        )
        if right != card or folders.weights(name) != place:
            found[name] = place, right
    return found


def main(arguments: Sequence[str] | None = None, folders: Folders | None = None) -> int:
    """Move the weights and write the cards, or name those that are wrong; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--check", action="store_true", help="only name what is not in its place")
    check = parser.parse_args(arguments).check
    folders = folders or Folders()
    found = changes(folders)
    for name, (place, card) in found.items():
        print(f"{name}: {card.chosen or 'not the expert'} ({place.parent.name})")
        if not check:
            folders.weights(name).rename(place)
            write_json(folders.packaged / f"{name}.json", card.to_dict())
    return int(check and bool(found))


if __name__ == "__main__":
    sys.exit(main())
