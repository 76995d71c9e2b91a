"""What experiments explain, and what they explain by chance: ``python tools/permutation_control.py [PAPER ...]``.

Where several experiments were done on one number, one of them may come near the published value by chance. So places
exchange their published values, such as worlds or methods, and the differences are explained again with the same
experiments. An experiment shows something only if it explains a larger share of the differences from the true values.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from offnominal.papers.catalogue import papers
from offnominal.papers.controls import controls


def main(arguments: Sequence[str]) -> None:
    """Print the controls of the given papers, or of all."""
    for id in arguments or papers.ids():
        found = [str(each) for each in controls(id)]
        print(f"{id}:", *(found or ["no experiments, and nothing to control"]), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
