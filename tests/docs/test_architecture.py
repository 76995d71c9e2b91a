"""The map of the project agrees with the code: layers, places of nouns, every path that it and the decisions name."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "offnominal"
MAP = ROOT / "docs" / "architecture.md"
DECISIONS = ROOT / "docs" / "decisions"
PAGES = [MAP, *sorted(DECISIONS.glob("*.md"))]
PLACE = re.compile(r"^\| ([^|`]+) \| `([\w/]+\.py)` \| `(\w+)` \|$", re.MULTILINE)
PATH = re.compile(r"`((?:\w+/)+(?:\w+\.\w+)?|[\w/]+\.(?:py|csv|toml|md|json))`")
HEADINGS = ["Context", "Decision", "Consequences", "What would change our mind"]


def text(page):
    return page.read_text(encoding="utf-8")


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text(MAP), re.MULTILINE | re.DOTALL)[1]


def named_in(file):
    """Return the names that the statements of a file define."""
    for statement in ast.parse(text(file)).body:
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            yield statement.name
        for node in ast.walk(statement) if isinstance(statement, ast.Assign | ast.AnnAssign) else ():
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def test_packages_are_listed_in_the_order_of_the_contract():
    contract = tomllib.loads(text(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"][0]["layers"]
    listed = re.findall(r"^\| `(\w+)` \|", section("Packages"), re.MULTILINE)
    assert listed == [layer.strip("()") for layer in reversed(contract)]


def test_every_noun_is_where_the_map_says():
    places = PLACE.findall(text(MAP))
    assert len(places) > 80
    assert not [
        (noun, file)
        for noun, file, name in places
        if not (SOURCE / file).is_file() or name not in named_in(SOURCE / file)
    ]


def test_every_term_of_the_glossary_has_a_place():
    terms = re.findall(r"^\| (\*\*.+?) \| ", text(ROOT / "docs" / "glossary.md"), re.MULTILINE)
    single = {term for entry in terms for term in re.findall(r"\*\*(.+?)\*\*", entry)}
    assert len(single) > 50
    placed = {noun.strip() for nouns, *_ in PLACE.findall(text(MAP)) for noun in nouns.split(",")}
    placed |= set(re.findall(r"\*\*(.+?)\*\*", section("Where is what")))
    assert not single - placed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_path_exists(page):
    named = PATH.findall(text(page))
    missing = [path for path in named if not ((SOURCE / path).exists() or (ROOT / path).exists())]
    assert not missing


@pytest.mark.parametrize("page", [page for page in PAGES[1:] if page.stem != "index"], ids=lambda page: page.stem)
def test_every_decision_is_in_the_list_and_has_its_parts(page):
    assert f"]({page.name})" in text(DECISIONS / "index.md")
    assert re.findall(r"^## (.+)$", text(page), re.MULTILINE) == HEADINGS
