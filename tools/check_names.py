"""Find local variables that have the name of a function or class of another module: `python tools/check_names.py`.

A rename of a function that also reaches variables leaves names that lie. Names of one word are nouns that a function
and a variable can share; a name of several words stands for one thing.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "offnominal"
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def main() -> int:
    """Print every such variable and return the exit status."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}
    found = [f"{path.relative_to(SOURCE.parents[1])}:{line}: {text}" for path, line, text in shared_names(trees)]
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


def shared_names(trees: Mapping[Path, ast.Module]) -> Iterator[tuple[Path, int, str]]:
    """Yield the path, line and description of each local variable with the name of another module's function."""
    defined: dict[str, set[Path]] = defaultdict(set)
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and "_" in node.name.strip("_"):
                defined[node.name].add(path)
    for path, tree in trees.items():
        for name, line in sorted(local_variables(tree), key=lambda each: each[1]):
            others = defined.get(name, set()) - {path}
            if others:
                yield path, line, f"variable {name} has the name of a function of {min(others).stem}.py; rename one"


def local_variables(tree: ast.Module) -> Set[tuple[str, int]]:
    """Return the names and lines of the variables that functions assign."""
    return {
        (node.id, node.lineno)
        for scope in ast.walk(tree)
        if isinstance(scope, Scope)
        for node in ast.walk(scope)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


if __name__ == "__main__":
    sys.exit(main())
