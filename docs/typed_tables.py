"""The tables of appendices that are typed by hand: `python docs/typed_tables.py` renews their list, `--check` compares.

`docs/measured/typed_tables.csv` has a line for each: its page, its first line, how many numbers it has, a digest of its
content, and its source. A new or changed table has the source `record`: a run of an earlier version, whose results are
in no file, so that its numbers cannot be recomputed without a new run; its page says so. To give a table a source, make
it from a file (`docs/published_values/pivots.py`), and it leaves the list.
"""

import csv
import re
import sys
from hashlib import sha256
from io import StringIO
from pathlib import Path

DOCS = Path(__file__).parent
LEDGER = DOCS / "measured" / "typed_tables.csv"
COLUMNS = ("page", "table", "numbers", "digest", "source")
RECORD = "record"
MARK = "Tables with no file below them are records of runs by earlier versions: their numbers are in no file."
"""What a page with a record says."""
GENERATED = re.compile(r"<!-- table: .*?<!-- end -->|```.*?```", re.DOTALL)
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
NUMBER = re.compile(r"\d+\.\d+|\d+ ?%")


def appendices(docs: Path = DOCS) -> list[Path]:
    """Return the pages whose tables are listed."""
    return sorted((docs / "studies").glob("*-appendix.md"))


def typed_tables(page: Path) -> list[tuple[str, str, str, str]]:
    """Return page, first line, count of numbers and digest of each typed table with decimals or percentages."""
    found = []
    for table in TABLE.findall(GENERATED.sub("", page.read_text(encoding="utf-8"))):
        if count := len(NUMBER.findall(table)):
            content = "\n".join("|".join(cell.strip() for cell in line.split("|")) for line in table.splitlines())
            first = table.partition("\n")[0].strip("| ")
            found.append((page.name, first, str(count), sha256(content.encode()).hexdigest()[:12]))
    return found


def ledger(file: Path = LEDGER) -> list[tuple[str, ...]]:
    """Return the lines of the list."""
    with file.open(encoding="utf-8") as lines:
        return [tuple(row.values()) for row in csv.DictReader(lines)]


def listed(docs: Path = DOCS) -> str:
    """Return the list of all typed tables; those that did not change keep their source."""
    known = {line[:4]: line[4] for line in ledger()} if LEDGER.exists() else {}
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for page in appendices(docs):
        writer.writerows((*table, known.get(table, RECORD)) for table in typed_tables(page))
    return text.getvalue()


def main(words: list[str]) -> int:
    """Write the list, or check it."""
    if words == ["--check"]:
        stale = LEDGER.read_text(encoding="utf-8") != listed()
        print("stale; run `python docs/typed_tables.py`" if stale else "up to date")
        return int(stale)
    LEDGER.write_text(listed(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
