"""Find circles of files, each of which imports the next: `python tools/check_circles.py`.

All imports count, wherever they stand: one below ``if TYPE_CHECKING`` or in a function also needs the other file to be
understood, though it does not fail. Only the calls in :data:`FACADES` do not count, and an entry that no file needs any
more is reported. ``from package import name`` is an import of the file ``package/name.py`` if there is one, and of
``package/__init__.py`` otherwise.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "offnominal"
FACADES = {
    ("offnominal.alarms.online_monitor", "offnominal.alarms.monitor_files"),
    ("offnominal.detectors.detector", "offnominal.detectors.export"),
    ("offnominal.detectors.detector", "offnominal.detectors.files"),
}
"""Methods that pass their own object on, and import when they are called: `Detector.export`, `Detector.save`,
`OnlineMonitor.save` and `load`."""
Graph = Mapping[str, Set[str]]
"""The modules that each module imports."""


def main() -> int:
    """Print every circle and every facade that is not needed, and return the exit status."""
    graph = import_graph(read_modules(SOURCE))
    found = [f"circle of files: {' -> '.join([*circle, circle[0]])}" for circle in circles(without(graph, FACADES))]
    found += [f"FACADES: nothing depends on {' -> '.join(edge)} any more; remove it" for edge in stale(graph, FACADES)]
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


def read_modules(folder: Path) -> dict[str, ast.Module]:
    """Return the syntax trees of all files of a package by the names of their modules.

    A package that imports its names on first use lists its imports in a stub.
    """
    paths = sorted([*folder.rglob("*.py"), *folder.rglob("__init__.pyi")])
    return {module_name(path.relative_to(folder.parent)): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def module_name(path: Path) -> str:
    """Return the name of the module in a file.

    Example:
        >>> module_name(Path("package/room/__init__.py")), module_name(Path("package/room/file.py"))
        ('package.room', 'package.room.file')
    """
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_graph(trees: Mapping[str, ast.Module]) -> Graph:
    """Return the modules of the package that each of them imports."""
    return {name: {each for each in imported(tree, trees) if each in trees} - {name} for name, tree in trees.items()}


def imported(tree: ast.Module, known: Set[str] | Mapping[str, object]) -> Iterator[str]:
    """Yield the names of all modules that a file imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                yield below if below in known else node.module


def without(graph: Graph, edges: Set[tuple[str, str]]) -> Graph:
    """Return the graph without some imports."""
    return {name: {each for each in others if (name, each) not in edges} for name, others in graph.items()}


def circles(graph: Graph) -> list[list[str]]:
    """Return a shortest circle through each module that is on one, every circle once.

    Example:
        >>> circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}})
        [['b', 'c']]
    """
    found: dict[frozenset[str], list[str]] = {}
    for name in sorted(graph):
        circle = shortest_path(graph, name, name)
        if circle is not None:
            found.setdefault(frozenset(circle), circle)
    return list(found.values())


def stale(graph: Graph, edges: Set[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the imports that are not in the graph, or are on no circle of it."""
    return sorted((one, other) for one, other in edges if not closes_circle(graph, one, other))


def closes_circle(graph: Graph, one: str, other: str) -> bool:
    """Return whether a module imports another that leads back to it."""
    return other in graph.get(one, ()) and shortest_path(graph, other, one) is not None


def shortest_path(graph: Graph, start: str, goal: str) -> list[str] | None:
    """Return the modules from a start until before the goal along imports, at least the start; None without a path."""
    paths, seen = [[start]], set[str]()
    while paths:
        longer = []
        for path in paths:
            for each in sorted(graph.get(path[-1], ())):
                if each == goal:
                    return path
                if each not in seen:
                    seen.add(each)
                    longer.append([*path, each])
        paths = longer
    return None


if __name__ == "__main__":
    sys.exit(main())
