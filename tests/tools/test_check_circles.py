"""The check of circles finds files that import each other, also through types and in functions."""

import ast

import pytest

from check_circles import circles, import_graph, stale, without

USES_B = "from room.b import B"


def graph(**files):
    return import_graph({f"room.{name}": ast.parse(text) for name, text in files.items()} | {"room": ast.parse("")})


@pytest.mark.parametrize(
    "back",
    [
        "import room.a",
        "from room import a",
        "from room.a import A",
        "if TYPE_CHECKING:\n    from room.a import A",
        "def draw():\n    from room.a import A",
    ],
)
def test_two_files_that_import_each_other_are_a_circle_wherever_the_import_stands(back):
    assert circles(graph(a=USES_B, b=back)) == [["room.a", "room.b"]]


def test_the_shortest_circle_is_shown_once():
    found = circles(graph(a=USES_B, b="import room.c", c="import room.a\nimport room.d", d="import room.c"))
    assert found == [["room.a", "room.b", "room.c"], ["room.c", "room.d"]]


def test_files_that_import_in_one_direction_and_other_packages_are_no_circle():
    assert circles(graph(a="import numpy\nfrom room.b import B", b="import room.c", c="import room")) == []


def test_a_named_call_opens_a_circle_and_is_reported_when_it_is_not_needed():
    files, edge = graph(a=USES_B, b="import room.a"), ("room.b", "room.a")
    assert circles(without(files, {edge})) == []
    assert stale(files, {edge}) == []
    assert stale(graph(a=USES_B, b=""), {edge}) == [edge]
    assert stale(graph(a="", b="import room.a"), {edge}) == [edge]
