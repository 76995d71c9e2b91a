"""Study pages show their result first, its numbers come from files, and no two pages count differently.

These tests see: typed decimals, percentages and counts (*3 of 30*) in what a study page, the README or the first page
says about results; shares of reproduced values typed on any page; counts of a table that differ between its study page
and the scoreboard; a summary of all papers that is not the same on all pages. That generated parts are those of the
files is what `test_docs` and `test_scoreboard` check.

They cannot see: numbers in words, single whole numbers, numbers in images and commands, those under *Differences from
the paper* (definitions, typed by hand), those of appendices and findings (`test_typed_tables` and
`test_typed_numbers` list them), and
whether a sentence says what its number means.
"""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
STUDIES = ROOT / "docs" / "studies"
APPENDIX = "-appendix"
SCOREBOARD = STUDIES / "scoreboard.md"
PAGES = [
    page
    for page in sorted(STUDIES.glob("*.md"))
    if page.stem not in ("scoreboard", "findings") and not page.stem.endswith(APPENDIX)
]
OWN = {"streams"}
"""Pages of studies that are in no paper: they say what was not measured, instead of differences."""
WITHOUT_OUTCOMES = {"robot-transfer", "anomaly-gym-policies", *OWN}
"""Pages without values of the scoreboard: no paper has such a study, or the values are returns of training."""
SECTIONS = ["Result", "Differences from the paper", "More"]
SECTIONS_OF_OWN = ["Result", "Not measured", "More"]
COMMANDED = "Its command is that of the results here, unless a section names another."
WITH_SUMMARY = [ROOT / "README.md", ROOT / "docs" / "index.md", STUDIES / "findings.md"]

GENERATED = re.compile(r"<!-- table: .*?<!-- end -->", re.DOTALL)
NO_PROSE = re.compile(r"```.*?```|`[^`\n]*`|<!--.*?-->|\]\([^)]*\)", re.DOTALL)
TYPED = re.compile(r"\d+\.\d+|\d+ ?%|\d[\d,]* of (?:the )?\d[\d,]*")
SHARE = re.compile(r"\d+ % \[\d+ %, \d+ %\]")
SUMMARY = re.compile(r"^All tables and figures with numbers of .*$", re.MULTILINE)
OF_FILE = re.compile(r"\[[^\]]*\]\(\.\./measured/published/([^)]+\.csv)\)")


def read(page):
    return page.read_text(encoding="utf-8")


def name_of(page):
    return page.stem


def sections_of(text):
    """Return the sections of a page by title; what stands before them has the title ''."""
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def typed_numbers(text):
    """Return the numbers in prose that no table template made."""
    return TYPED.findall(NO_PROSE.sub("", GENERATED.sub("", text)))


def counts_by_file(text):
    """Return the outcomes of each published table with a file: one mapping for every row of a page that has them."""
    found, header, before = [], [], ""
    for line in map(str.strip, text.splitlines()):
        if re.match(r"\| -", line):
            header = [name.strip() for name in before.strip("|").split("|")]
        elif (file := OF_FILE.match(line.removeprefix("| "))) and "values" in header:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            row = dict(zip(header, cells, strict=True))
            first = header.index("values")
            found.append((file[1], {name: row[name] for name in header[first:] if row[name] != "–"}))
        before = line
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_study_page_begins_with_its_result(page):
    text = read(page)
    sections = sections_of(text)
    assert [title for title in sections if title] == (SECTIONS_OF_OWN if page.stem in OWN else SECTIONS)
    assert "```console" in sections[""], "the command is missing"
    assert f"({page.stem}{APPENDIX}.md)" in sections["More"]
    assert f"studies/{page.stem}{APPENDIX}.md" in read(ROOT / "mkdocs.yml")
    assert f"({page.stem}.md)" in read(page.with_stem(page.stem + APPENDIX))
    made = f"<!-- table: study_outcomes {page.stem} -->" in sections["Result"]
    assert made == (page.stem not in WITHOUT_OUTCOMES)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_an_appendix_says_which_command_its_results_are_of(page):
    appendix = read(page.with_stem(page.stem + APPENDIX))
    assert COMMANDED in appendix.partition("\n## ")[0]


def test_every_finding_has_a_figure_with_its_file_and_a_command():
    found = re.split(r"^### (.*)$", read(STUDIES / "findings.md"), flags=re.MULTILINE)
    findings = dict(zip(found[1::2], found[2::2], strict=True))
    assert len(findings) > 20
    assert not [title for title, text in findings.items() if missing(text)]


def missing(finding):
    """Return what a finding does not have."""
    parts = {
        "figure": r"\(findings/([\w-]+)-light\.svg#only-light\)",
        "file": r"^\*.*(\.csv|from the package|released scores|shipped policies).*\*$",
        "command": r"^```console$",
    }
    return [name for name, pattern in parts.items() if not re.search(pattern, finding, re.MULTILINE)]


def test_a_finding_without_a_figure_is_found():
    whole = "![a](findings/a-light.svg#only-light)\n\n*From a.csv.*\n\n```console\n"
    assert not missing(whole)
    assert missing(whole.replace("light.svg", "light.png")) == ["figure"]
    assert missing(whole.replace("a.csv", "a run")) == ["file"]
    assert missing(whole.replace("console", "python")) == ["command"]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_numbers_of_a_result_are_those_of_a_table(page):
    sections = sections_of(read(page))
    assert not typed_numbers(sections[""] + sections["Result"])


@pytest.mark.parametrize(
    ("page", "title"), [("README.md", "Results"), ("docs/index.md", "Published values beside ours")]
)
def test_numbers_of_results_on_first_pages_are_those_of_a_table(page, title):
    assert not typed_numbers(sections_of(read(ROOT / page))[title])


def test_study_pages_and_the_scoreboard_have_the_same_counts():
    of_studies = [row for page in PAGES for row in counts_by_file(read(page))]
    measured = dict(of_studies)
    assert len(measured) == len(of_studies) > 40, "a table is on two study pages"
    scored = dict(counts_by_file(read(SCOREBOARD)))
    assert {file: scored[file] for file in measured} == measured


def test_all_pages_have_the_same_summary():
    summaries = {SUMMARY.search(read(page))[0] for page in [SCOREBOARD, *WITH_SUMMARY]}
    assert len(summaries) == 1
    for page in WITH_SUMMARY:
        assert not SUMMARY.search(GENERATED.sub("", read(page))), f"typed summary in {page.name}"


def test_no_page_has_a_typed_share_of_reproduced_values():
    pages = {ROOT / "README.md", *(ROOT / "docs").rglob("*.md")} - {SCOREBOARD}
    found = {page.name: SHARE.findall(NO_PROSE.sub("", GENERATED.sub("", read(page)))) for page in pages}
    assert not {name: shares for name, shares in found.items() if shares}


@pytest.mark.parametrize(
    "text", ["has 0.86", "is 12 % worse", "11 of 30 are reproduced", "of 1,283 of the 6,592", "- **0.5** [0.4, 0.6]"]
)
def test_a_typed_number_is_found(text):
    assert typed_numbers(text)
    assert not typed_numbers(f"<!-- table: study_outcomes anovox -->\n\n{text}\n\n<!-- end -->")


def test_a_changed_count_is_found():
    page = STUDIES / "anovox.md"
    ((file, counts),) = counts_by_file(read(page))
    changed = read(page).replace(f"| {counts['differs']} |", "| 7 |")
    assert dict(counts_by_file(changed))[file] == counts | {"differs": "7"}
