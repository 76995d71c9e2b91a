"""The figures of the page on what was learned: `python docs/findings.py` renews them, `--check` compares them.

They are made from the files of measured values, in `docs/measured` and in the packages of the papers.
"""

import sys
from pathlib import Path

from published_values.figure import MODES
from published_values.finding_figures import FIGURES
from published_values.rows import read

FOLDER = Path(__file__).parent / "studies" / "findings"


def main(words: list[str], folder: Path = FOLDER) -> int:
    """Write the figures, or check them; return the exit code."""
    made = {
        folder / f"{name}-{mode}.svg": figure().svg(*colours)
        for name, figure in FIGURES.items()
        for mode, colours in MODES.items()
    }
    stale = [file for file, text in made.items() if read(file) != text]
    if words == ["--check"]:
        print(*stale or ["up to date"], sep="\n")
        return int(bool(stale))
    for file in stale:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(made[file], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
