"""Every number that is typed in the findings has an entry in `docs/measured/typed_numbers.csv` with its source.

A source is a cell of a file of the repository, which must have the number, or `record`: an experiment whose results
are in no file. A number that is added, changed or moved fails, and so does one that its source does not have. To add
one, add its line. Records cannot be checked; there may only be fewer of them.
"""

import csv
import re

import pytest

from offnominal.core.rounding import fixed

from .test_study_pages import GENERATED, NO_PROSE, ROOT, STUDIES, TYPED, read, sections_of

pytestmark = pytest.mark.long

PAGE = STUDIES / "findings.md"
LEDGER = ROOT / "docs" / "measured" / "typed_numbers.csv"
CONTEXT = 40
RECORD = "record"
MOST_RECORDS = 113
SOURCE = re.compile(r"(?P<file>[\w/.-]+\.csv): (?P<where>[^>]*) -> (?P<column>.+)")


def numbers_of(text):
    """Return section, the words before and each typed number of a page."""
    found = []
    for title, part in sections_of(text).items():
        prose = " ".join(NO_PROSE.sub("", GENERATED.sub("", part)).split())
        found += [(title, prose[max(0, m.start() - CONTEXT) : m.start()], m[0]) for m in TYPED.finditer(prose)]
    return found


def ledger():
    """Return section, words, number and source of each entry."""
    with LEDGER.open(encoding="utf-8") as file:
        return [tuple(row.values()) for row in csv.DictReader(file)]


def cell_of(source):
    """Return the number in a file that a source names."""
    named = SOURCE.fullmatch(source)
    assert named, f"{source!r} names no cell"
    wanted = dict(each.split("=", 1) for each in named["where"].split("; "))
    lines = [line for line in (ROOT / named["file"]).read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    rows = [row for row in csv.DictReader(lines) if wanted.items() <= row.items()]
    assert len(rows) == 1, f"{len(rows)} rows of {named['file']} have {wanted}"
    return float(rows[0][named["column"]].split()[0])


def agrees(number, value):
    """Whether a number as it is typed is a value, which may be a share in per cent."""
    plain = number.removesuffix("%").strip()
    digits = len(plain.partition(".")[2])
    return plain in {fixed(abs(scale * value), digits) for scale in ((1, 100) if abs(value) <= 1 else (1,))}


def test_every_typed_number_of_the_findings_has_an_entry():
    assert numbers_of(read(PAGE)) == [entry[:3] for entry in ledger()]


def test_numbers_of_the_findings_are_those_of_their_sources():
    wrong = [
        f"…{before}{number} is not {cell_of(source)} of {source}"
        for _, before, number, source in ledger()
        if source != RECORD and not agrees(number, cell_of(source))
    ]
    assert not wrong, "\n".join(wrong)


def test_no_more_numbers_than_before_are_without_a_file():
    assert sum(source == RECORD for *_, source in ledger()) == MOST_RECORDS


@pytest.mark.parametrize(
    ("number", "value"), [("0.39", 0.3901), ("42.33", 0.42329), ("26 %", 0.2604), ("6.62", 6.6204)]
)
def test_a_changed_number_does_not_agree(number, value):
    assert agrees(number, value)
    assert not agrees(number, 1.1 * value)


def test_a_changed_number_has_no_entry():
    text = read(PAGE)
    false = text.replace("0.822 to 0.857", "0.822 to 0.875", 1)
    assert false != text
    assert numbers_of(false) != [entry[:3] for entry in ledger()]
