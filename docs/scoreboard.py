"""Published values and ours on one page: `python docs/scoreboard.py --store runs/store` renews it.

Writes for every published table with results in the stores a file `docs/measured/published/PAPER-TABLE[-PART].csv`;
values without results of a run that is as powerful stay, and get the verdict of the protocol of today. The page
`docs/studies/scoreboard.md` and its figures are made from these files. `--check` fails if they differ from what the
files say; `tests/docs` does the same. The values of the files are also written to the package, as the results of
`offnominal reproduce` for those who have none, and so are the data of the figures of papers that a store has.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from published_values.figure import MODES, difference_figure, outcome_figure
from published_values.measured_table import measured_tables
from published_values.measuring import measure, published_tables, stale_facts
from published_values.page import page
from published_values.rows import read
from published_values.shipped_figures import write_figures
from published_values.shipping import shipped_rows, write_shipped

from offnominal.papers.scoreboard import TableScore
from offnominal.papers.shipped_results import FOLDER, shipped_table

DOCS = Path(__file__).parent
MEASURED = Path("measured", "published")
"""Folder of the files in the documentation."""
PACKAGE = DOCS.parent / "src" / "offnominal" / "papers"


def main(words: list[str], docs: Path = DOCS, package: Path = PACKAGE) -> int:
    """Write the files, the page and the figures, or check them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, nargs="+", default=[], metavar="DIR", help="stores with results")
    parser.add_argument("--check", action="store_true", help="fail if the page is not what the files say")
    options = parser.parse_args(words)
    scores = published_tables()
    if options.check:
        stale = [str(file.relative_to(docs.parent)) for file, text in made(scores, docs).items() if read(file) != text]
        stale += [str(file.relative_to(docs.parent)) for file in stale_facts(scores, docs / MEASURED)]
        if (
            shipped_table(package / FOLDER).to_pylist()
            != shipped_rows(measured_tables(scores, docs / MEASURED)).to_pylist()
        ):
            stale.append(str(package / FOLDER))
        print(*stale or ["up to date"], sep="\n")
        return int(bool(stale))
    measure(scores, options.store, docs / MEASURED)
    for file, text in made(scores, docs).items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    write_shipped(measured_tables(scores, docs / MEASURED), package / FOLDER)
    write_figures(options.store, package / FOLDER)
    return 0


def made(scores: Iterable[TableScore], docs: Path) -> dict[Path, str]:
    """Return the text of the page and of its figures."""
    studies, tables = docs / "studies", measured_tables(scores, docs / MEASURED)
    figures = {
        f"{name}-{mode}.svg": draw(tables, *colours)
        for name, draw in (("differences", difference_figure), ("outcomes", outcome_figure))
        for mode, colours in MODES.items()
    }
    texts = {studies / "scoreboard" / name: text for name, text in figures.items()}
    return {studies / "scoreboard.md": page(tables), **texts}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
