"""Every number that is typed in the findings has an entry in `docs/measured/typed_numbers.csv` with its source.

A source is a cell of a file of the repository, which must have the number; the smallest or largest cell of a column;
what an experiment on differences changed, from its file; a control of these experiments; `definition`, such as a
quantile; or `record`: an experiment whose results are in no file, as the page says. A number that is added, changed or
moved fails, and so does one that its source does not have. To add one, add its line. Records cannot be checked; there
may only be fewer of them.
"""

import csv
import re
from functools import cache
from statistics import fmean

import pytest

from offnominal.core.rounding import fixed
from offnominal.papers.controls import controls

from .test_docs import script
from .test_study_pages import GENERATED, NO_PROSE, ROOT, STUDIES, TYPED, read, sections_of

pytestmark = pytest.mark.long

pivots = script("published_values/pivots")
PAGE = STUDIES / "findings.md"
LEDGER = ROOT / "docs" / "measured" / "typed_numbers.csv"
CONTEXT = 40
RECORD = "record"
MOST_RECORDS = 65
DEFINITION = "definition"
SOURCE = re.compile(r"(?P<file>[\w/.-]+\.csv): (?P<where>[^>]*) -> (?:(?P<of>min|max) )?(?P<column>.+)")
DISTANCE = re.compile(
    r"distance (?P<alone>of AUROC, )?(?P<experiment>[\w-]+): (?P<world>[\w-]+) -> (?P<column>before|after)"
)
CONTROL = re.compile(r"control (?P<experiment>[\w-]+) -> (?P<what>count|share|chance)")
SAID = "are records of runs by earlier versions"


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
    wanted = {name: values.split("|") for name, values in (each.split("=", 1) for each in named["where"].split("; "))}
    lines = [line for line in (ROOT / named["file"]).read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    rows = [row for row in csv.DictReader(lines) if all(row[name] in values for name, values in wanted.items())]
    assert rows, f"no row of {named['file']} has {wanted}"
    if named["of"]:
        return {"min": min, "max": max}[named["of"]](float(row[named["column"]]) for row in rows)
    assert len(rows) == 1, f"{len(rows)} rows of {named['file']} have {wanted}"
    if named["column"] == "gain":
        return float(rows[0]["after"]) - float(rows[0]["before"])
    return float(rows[0][named["column"]].split()[0])


@cache
def known_controls():
    return {each.cause: each for each in controls("anomaly-gym")}


def value_of(source):
    """Return the number of a source, or its words."""
    if found := DISTANCE.fullmatch(source):
        metrics = {"auroc": "AUROC"} if found["alone"] else pivots.METRICS
        by_world = pivots.distances(found["experiment"], found["column"], metrics)
        return fmean(each for world, every in by_world.items() if world.startswith(found["world"]) for each in every)
    if found := CONTROL.fullmatch(source):
        control = known_controls()[found["experiment"]]
        shares = {"share": control.share, "chance": fmean(control.by_chance)}
        return f"{control.explained} of {control.differing}" if found["what"] == "count" else shares[found["what"]]
    return cell_of(source)


def agrees(number, value):
    """Whether a number as it is typed is a value, which may be a share in per cent."""
    if isinstance(value, str):
        return number == value
    plain = number.removesuffix("%").strip()
    digits = len(plain.partition(".")[2])
    return plain in {fixed(abs(scale * value), digits) for scale in ((1, 100) if abs(value) <= 1 else (1,))}


def test_every_typed_number_of_the_findings_has_an_entry():
    assert numbers_of(read(PAGE)) == [entry[:3] for entry in ledger()]


def test_numbers_of_the_findings_are_those_of_their_sources():
    wrong = [
        f"…{before}{number} is not {value_of(source)} of {source}"
        for _, before, number, source in ledger()
        if source not in (RECORD, DEFINITION) and not agrees(number, value_of(source))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_page_says_what_its_other_numbers_are():
    assert SAID in read(PAGE)


def test_no_more_numbers_than_before_are_without_a_file():
    assert sum(source == RECORD for *_, source in ledger()) == MOST_RECORDS


@pytest.mark.parametrize(
    ("source", "number", "false"),
    [
        ("distance public-code-strengths: URR-Reach-v0 -> after", "0.024", "0.042"),
        ("control public-code-strengths -> count", "22 of 403", "24 of 403"),
        ("control policy-sac -> share", "26 %", "24 %"),
        ("docs/measured/published/anomaly-gym-4.csv: alarm=3 sigma; number=EDR -> max published", "41 %", "34 %"),
    ],
)
def test_a_false_number_is_not_that_of_its_source(source, number, false):
    assert agrees(number, value_of(source))
    assert not agrees(false, value_of(source))


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
