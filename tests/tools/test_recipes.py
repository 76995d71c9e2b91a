"""The recipes of CONTRIBUTING.md work: in a copy of the project, with the files and lines that they name and no others.

All recipes are applied to one copy, which is links to this checkout but for the files that are written.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
COPIED = ("conftest.py", "docs", "pyproject.toml", "src", "tests", "tools")
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^## Add something to this repository\n(.*?)^## ", re.MULTILINE | re.DOTALL)
RUNNER = """
import json, sys
from typer.testing import CliRunner
from offnominal.cli.program import program
print(json.dumps([(done.exit_code, done.output) for done in
                  (CliRunner().invoke(program, words) for words in json.loads(sys.argv[1]))]))
"""
EVERY_OBJECT = (
    "tests/alarms/test_alarm.py",
    "tests/alarms/test_files.py",
    "tests/anomalies/test_catalogue.py",
    "tests/anomalies/test_injection.py",
    "tests/consumers/test_gymnasium_wrappers.py",
    "tests/consumers/test_stable_baselines3.py",
    "tests/detectors/export/test_catalogue.py",
    "tests/detectors/test_names.py",
    "tests/detectors/test_threads.py",
    "tests/kinds/faults/test_gpu_use.py",
    "tests/laws",
    "tests/rollouts/test_frame_recorder.py",
    "tests/rollouts/test_twin_rollouts.py",
    "tests/worlds/test_pixel_observations.py",
)
"""Tests with a case for every registered object."""
NEW = "Tank or backlash or Spread or Restless or Flicker or PairMean"


@dataclass(frozen=True)
class Recipe:
    """A recipe: files with their texts, lines with the line above them, and commands."""

    title: str
    files: list[tuple[str, str]]
    lines: list[tuple[str, str, str]]
    commands: list[list[str]]


def recipes():
    section = SECTION.search((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))[1]
    for part in re.split(r"^### ", section, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        blocks = BLOCK.findall(text)
        yield Recipe(
            title,
            [(path, body) for kind, path, body in blocks if path and kind != "diff"],
            [(path, *added_line(body)) for kind, path, body in blocks if kind == "diff"],
            [
                shlex.split(line)[2:]
                for kind, _, body in blocks
                if kind == "console"
                for line in body.splitlines()
                if line.startswith("$ offnominal ")
            ],
        )


def added_line(body):
    """Return the line above, and the line that a block adds."""
    above, added = body.splitlines()
    assert above.startswith(" ")
    assert added.startswith("+")
    return above[1:], added[1:]


RECIPES = [recipe for recipe in recipes() if recipe.files]
COMMANDS = [command for recipe in RECIPES for command in recipe.commands]


class Copy:
    """A copy of the project, whose files are links until they are written."""

    def __init__(self, folder):
        self.folder = folder
        for name in COPIED:
            (folder / name).symlink_to(ROOT / name)

    def write(self, path, text):
        """Write a file; its folders become real ones, with links to their other files."""
        file = self.folder / path
        for folder in reversed(file.relative_to(self.folder).parents):
            place = self.folder / folder
            if place.is_symlink():
                original = place.resolve()
                place.unlink()
                place.mkdir()
                for each in original.iterdir():
                    (place / each.name).symlink_to(each)
        file.parent.mkdir(exist_ok=True)
        file.unlink(missing_ok=True)
        file.write_text(text, encoding="utf-8")

    def add(self, path, above, line):
        """Add a line below another one, which the file has once."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert text.count(f"{above}\n") == 1, f"{path} has {above!r} {text.count(above)} times"
        self.write(path, text.replace(f"{above}\n", f"{above}\n{line}\n"))

    def run(self, *arguments):
        """Run Python in the copy, with the package of the copy."""
        # The links share compiled bytecode with this checkout, which must stay that of its own files.
        paths = [str(self.folder / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The copy with all recipes and with the files that are written from the code."""
    made = Copy(tmp_path_factory.mktemp("project"))
    for recipe in RECIPES:
        for path, text in recipe.files:
            assert not (made.folder / path).exists(), path
            made.write(path, text)
        for path, above, line in recipe.lines:
            made.add(path, above, line)
    for stub in (ROOT / "src").rglob("__init__.pyi"):
        made.write(stub.relative_to(ROOT), stub.read_text(encoding="utf-8"))
    written = made.run("tools/check_stubs.py", "--write")
    assert written.returncode == 0, written.stderr
    return made


@pytest.fixture(scope="module")
def results(copy):
    """Exit status and output of every command, run in one process."""
    done = copy.run("-c", RUNNER, json.dumps(COMMANDS))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_there_is_a_recipe_for_each_thing():
    things = ("world", "anomaly", "row detector", "transition detector", "image detector", "alarm")
    other = ("paper", "study kind", "section of reports", "page of the server")
    titles = {recipe.title.removeprefix("A ").removeprefix("An ") for recipe in RECIPES}
    assert titles == {*things, *other}


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_is_a_folder_or_a_file_and_a_line(recipe):
    folders = {str(Path(path).parent) for path, _ in recipe.files}
    assert len(recipe.lines) <= (2 if recipe.title == "A page of the server" else 1)
    assert len(folders) == 1 or recipe.title == "A page of the server"


@pytest.mark.parametrize("number", range(len(COMMANDS)), ids=lambda number: " ".join(COMMANDS[number]))
def test_a_command_of_a_recipe_succeeds(number, results):
    status, output = results[number]
    assert status == 0, output
    assert "breaks" not in output


def test_the_new_names_are_public_and_the_page_and_the_section_are_there(copy):
    program = """
import offnominal as off
from offnominal.reports.sections import page_sections
from offnominal.web.app import make_app
from offnominal.web.settings import Settings
from starlette.testclient import TestClient
print(off.detectors.Spread.__name__, off.detectors.Restless.__name__, off.detectors.Flicker.__name__)
print(off.alarms.PairMean.__name__, off.anomalies.Backlash.__name__, "size" in page_sections.ids())
print("runs.</p>" in TestClient(make_app(Settings()), base_url="http://127.0.0.1:8000").get("/about").text)
"""
    pytest.importorskip("httpx", reason="httpx is not installed")
    done = copy.run("-c", program)
    assert done.stdout == "Spread Restless Flicker\nPairMean Backlash True\nTrue\n", done.stdout + done.stderr


@pytest.mark.slow
def test_the_tests_for_every_object_pass_with_the_new_ones(copy):
    done = copy.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-k", NEW, *EVERY_OBJECT)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 40


def test_a_recipe_with_a_wrong_tag_fails(copy):
    path = "src/offnominal/detectors/catalogue.py"
    right = (copy.folder / path).read_text(encoding="utf-8")
    copy.write(path, right.replace('interquartile ranges", tags=())', 'interquartile ranges", tags=("gpu",))'))
    try:
        done = copy.run("-m", "offnominal", "check", "detector", "Spread")
    finally:
        copy.write(path, right)
    assert done.returncode != 0
    assert "the entry of Spread has the tag 'gpu'" in " ".join(done.stdout.split())
