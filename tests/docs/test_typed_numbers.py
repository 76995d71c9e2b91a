"""Every number that is typed in the findings has an entry in `docs/measured/typed_numbers.csv` with its source.

A source is a cell of a file of the repository, which must have the number; the smallest or largest cell of a column; a
point of a figure of the page, which is made from such files; a control of the experiments on differences; the numbers
of NovelCraft that are recomputed; or `definition`, such as a quantile. A number that is added, changed or moved fails,
and so does one that its source does not have. To add one, add its line.
"""

import csv
import re
from fnmatch import fnmatchcase
from functools import cache

import pytest

from offnominal.core.rounding import fixed
from offnominal.papers.controls import controls
from offnominal.papers.novelcraft.published import published_numbers
from offnominal.papers.novelcraft.recomputed import recompute

from .test_docs import script
from .test_study_pages import GENERATED, NO_PROSE, ROOT, STUDIES, TYPED, read, sections_of

pytestmark = pytest.mark.long

figures = script("published_values/finding_figures").FIGURES
PAGE = STUDIES / "findings.md"
LEDGER = ROOT / "docs" / "measured" / "typed_numbers.csv"
CONTEXT = 40
DEFINITION = "definition"
SOURCE = re.compile(r"(?P<file>[\w/.-]+\.csv): (?P<where>[^>]*) -> (?:(?P<of>min|max) )?(?P<column>.+)")
FIGURE = re.compile(
    r"figure (?P<name>[\w-]+): (?P<group>.*?); (?P<label>.*?); (?P<series>.+?)(?: -> (?P<of>min|max|largest))?"
)
CONTROL = re.compile(r"control (?P<experiment>[\w-]+) -> count")
RECOMPUTED = "recomputed novelcraft -> largest"


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


@cache
def figure(name):
    return figures[name]()


def point_of(source):
    """Return the value of a point of a figure, of a difference of two, or of the smallest or largest of several."""
    found = FIGURE.fullmatch(source)
    series, _, less = found["series"].partition(" - ")
    values = []
    for group, rows in figure(found["name"]).rows.items():
        for label, points in rows.items():
            if is_one_of(group, found["group"]) and is_one_of(label, found["label"]):
                (minus,) = [point.value for point in points if point.series == less] if less else [0.0]
                values += [point.value - minus for point in points if point.series == series]
    if found["of"]:
        return {"min": min, "max": max, "largest": lambda each: max(map(abs, each))}[found["of"]](values)
    assert len(values) == 1, f"{len(values)} points are {source!r}"
    return values[0]


def is_one_of(name, patterns):
    return any(fnmatchcase(name, pattern) for pattern in patterns.split("|"))


def value_of(source):
    """Return the number of a source, or its words."""
    if FIGURE.fullmatch(source):
        return point_of(source)
    if found := CONTROL.fullmatch(source):
        control = known_controls()[found["experiment"]]
        return f"{control.explained} of {control.differing}"
    if source == RECOMPUTED:
        numbers = [number for table in ("3", "4", "E1") for number in published_numbers(table)]
        units = [1.0 if number.is_delay else 100.0 for number in numbers]
        found = [recompute(number).as_published - number.value for number in numbers]
        return max(abs(unit * each) for unit, each in zip(units, found, strict=True))
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
        if source != DEFINITION and not agrees(number, value_of(source))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("source", "number", "false"),
    [
        (
            "figure public-code: errors and strengths of the public code; URR-Reach; with the change",
            "0.024",
            "0.042",
        ),
        ("figure heads: ; UR*; read by the printed heads -> max", "31 %", "28 %"),
        ("figure labels: ; if; all labels - none: drawn at random", "0.01", "0.02"),
        ("control public-code-strengths -> count", "22 of 403", "24 of 403"),
        (RECOMPUTED, "0.03", "0.02"),
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
    false = text.replace("0.091 to 0.028", "0.091 to 0.082", 1)
    assert false != text
    assert numbers_of(false) != [entry[:3] for entry in ledger()]
