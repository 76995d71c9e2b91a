"""The version of the code of a result: a hash of the definitions that it uses, and of no others."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from offnominal.core.errors import UnknownName

OURS = "offnominal"
Dotted = tuple[str, ...]
SOURCES = (".py", ".pyi")
LONGEST = 40
"""Largest number of names in a dotted path that is followed."""


class Sources:
    """Reads and follows the source code of definitions; each file is read once.

    From a class or function it goes on to every name in its body that is defined in the same package or in this one,
    through imports, those inside functions included, and through what a package's ``__init__`` passes on. Statements
    that run when a module is imported count with every definition of that module. Comments, docstrings, layout and the
    annotations of functions do not count. Names that are only found at run time, such as ``getattr(module, text)``,
    and the versions of other packages cannot be seen; the laws of detectors and alarms check that none of their code is
    hidden like this.

    Example:
        >>> sources = Sources()
        >>> sources.version("offnominal.detectors:KNN") == sources.version("offnominal.detectors:Mahalanobis")
        False
        >>> [name for name in sources.used("offnominal.detectors:KNN") if ".knn:" in name]
        ['offnominal.detectors.rows.knn:ALGORITHMS', 'offnominal.detectors.rows.knn:Algorithm', ...]
    """

    def __init__(self) -> None:
        self._modules: dict[str, Module | None] = {}
        self._used: dict[str, dict[str, str]] = {}
        self._versions: dict[tuple[str, ...], str] = {}

    def edited(self, module: str, text: str) -> Sources:
        """Return the same with another text of a module; nothing is written.

        Args:
            module: Full name.
            text: Its source.

        Example:
            >>> sources = Sources()
            >>> lof = "offnominal.detectors.rows:LOF"
            >>> shorter = sources.edited("offnominal.detectors.rows.lof", "class LOF: ...")
            >>> shorter.version(lof) == sources.version(lof)
            False
        """
        known = self._module(module)
        if known is None:
            raise UnknownName(f"there is no source of {module!r}; give 'package.module' of a module on the path.")
        other = Sources()
        other._modules = self._modules | {module: Module.parse(module, text.encode(), is_package=known.is_package)}
        return other

    def version(self, *targets: str) -> str:
        """Return a hash over everything that some targets use.

        Args:
            *targets: ``"package.module:attribute"`` each.
        """
        if targets not in self._versions:
            texts = {name: text for target in targets for name, text in self._reached(target).items()}
            text = "\n".join(f"{name}\n{texts[name]}" for name in sorted(texts))
            self._versions[targets] = hashlib.sha256(text.encode()).hexdigest()
        return self._versions[targets]

    def used(self, target: str) -> list[str]:
        """Return the definitions that a target uses, as ``"module:name"``."""
        return sorted(name for name in self._reached(target) if not name.endswith(":"))

    def _reached(self, target: str) -> dict[str, str]:
        """Return the text of each definition that a target uses; what a module does when imported has no name."""
        if target not in self._used:
            self._used[target] = self._follow(target)
        return self._used[target]

    def _follow(self, target: str) -> dict[str, str]:
        module, _, attribute = target.partition(":")
        tops = {OURS, module.split(".")[0]}
        texts: dict[str, str] = {}
        open_ends = list(self._find((*module.split("."), attribute), tops))
        if not open_ends:
            raise UnknownName(f"there is no source of {target!r}; give 'package.module:Class' of a module on the path.")
        while open_ends:
            home, name = open_ends.pop()
            for part in (name, ""):
                if f"{home.name}:{part}" not in texts:
                    texts[f"{home.name}:{part}"] = home.text(part)
                    for dotted in home.names(part):
                        open_ends += self._resolve(home, dotted, tops)
        return texts

    def _resolve(
        self, home: Module, dotted: Dotted, tops: set[str], seen: set[Dotted] | None = None
    ) -> Iterator[tuple[Module, str]]:
        """Yield the definitions that a dotted name in a module stands for.

        Args:
            home: The module.
            dotted: The name.
            tops: Packages whose code counts.
            seen: Absolute paths that were followed for this name; modules can import it from each other.
        """
        seen = set() if seen is None else seen
        if dotted[0] in home.definitions:
            yield home, dotted[0]
        for target in home.imports.get(dotted[0], ()):
            yield from self._find(target + dotted[1:], tops, seen)
        if dotted[0] not in home.definitions and dotted[0] not in home.imports:
            for star in home.stars:
                yield from self._find(star + dotted, tops, seen)

    def _find(self, path: Dotted, tops: set[str], seen: set[Dotted] | None = None) -> Iterator[tuple[Module, str]]:
        """Yield the definitions behind an absolute path: the longest module on it, and what it means by the rest."""
        seen = set() if seen is None else seen
        # A package without source grows a path at each step: `from .x import x`.
        if path[0] not in tops or path in seen or len(path) > LONGEST:
            return
        seen.add(path)
        for length in range(len(path), 0, -1):
            home = self._module(".".join(path[:length]))
            if home is not None:
                rest = path[length:]
                if rest:
                    yield from self._resolve(home, rest, tops, seen)
                elif not home.is_package:
                    yield from ((home, name) for name in home.definitions)
                return

    def _module(self, name: str) -> Module | None:
        if name not in self._modules:
            path = _file_of(name)
            self._modules[name] = None if path is None else Module.read(name, path)
        return self._modules[name]


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """The definitions and imports of a module.

    Args:
        name: Its full name.
        is_package: Whether it is an ``__init__``.
        definitions: Statements by the name that they define.
        imports: Absolute paths by the name that they are bound to, wherever in the module.
        stars: Modules of which everything is imported.
        body: Statements that run on import and define nothing by name.
        texts: Cache of :meth:`text`.
        dotted: Cache of :meth:`names`.
    """

    name: str
    is_package: bool
    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, list[Dotted]] = field(default_factory=dict)
    stars: list[Dotted] = field(default_factory=list)
    body: list[ast.stmt] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    dotted: dict[str, set[Dotted]] = field(default_factory=dict)

    @classmethod
    def read(cls, name: str, path: Path) -> Module:
        """Read a module; of a compiled one all that is known is the hash of its file."""
        content = path.read_bytes()
        if path.suffix not in SOURCES:
            module = cls(name, is_package=False)
            module.body.append(ast.Expr(ast.Constant(hashlib.sha256(content).hexdigest())))
            return module
        return cls.parse(name, content, is_package=path.stem == "__init__")

    @classmethod
    def parse(cls, name: str, content: bytes, *, is_package: bool) -> Module:
        """Read a module from its source, once for each content."""
        return _parsed(name, content, is_package)

    def _bind(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                path = tuple(alias.name.split("."))
                self.imports.setdefault(alias.asname or path[0], []).append(path if alias.asname else path[:1])
            return
        above = self.name.split(".")
        above = above[: len(above) - node.level + self.is_package] if node.level else []
        source = (*above, *(node.module.split(".") if node.module else ()))
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(source)
            else:
                self.imports.setdefault(alias.asname or alias.name, []).append((*source, alias.name))

    def _file(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom) or _only_for_types(statement):
            return
        names = _defined(statement)
        for name in names:
            self.definitions.setdefault(name, []).append(statement)
        if not names:
            self.body.append(statement)

    def text(self, name: str) -> str:
        """Return what a definition says, without layout, or what runs on import if the name is empty."""
        if name not in self.texts:
            self.texts[name] = "\n".join(_written(statement) for statement in self._statements(name))
        return self.texts[name]

    def names(self, name: str) -> set[Dotted]:
        """Return the dotted names that a definition uses, or what runs on import if the name is empty."""
        if name not in self.dotted:
            self.dotted[name] = {each for statement in self._statements(name) for each in _dotted_names(statement)}
        return self.dotted[name]

    def _statements(self, name: str) -> list[ast.stmt]:
        if name:
            return self.definitions[name]
        # A package passes names on; those that are used are followed.
        return [] if self.is_package else self.body


@lru_cache(maxsize=2048)
def _parsed(name: str, content: bytes, is_package: bool) -> Module:
    module = Module(name, is_package)
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module._bind(node)
        else:
            _drop_notes(node)
    for statement in tree.body:
        module._file(statement)
    return module


def _file_of(module: str) -> Path | None:
    """Return the file of a module without importing anything."""
    top, *rest = module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin and Path(spec.origin).is_file() else None
    for root in spec.submodule_search_locations or ():
        place = Path(root, *rest)
        beside = [place.with_name(place.name + ending) for ending in (".py", *EXTENSION_SUFFIXES)]
        # Packages of ours list the names that they import on first use in a stub.
        stubs = [place / "__init__.pyi"] if top == OURS else []
        for path in (*stubs, place / "__init__.py", *beside):
            if path.is_file():
                return path
    return None


def _drop_notes(node: ast.AST) -> None:
    """Remove the docstring and the annotations of a node, which do not affect results."""
    if isinstance(node, ast.arg):
        node.annotation = None
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node.returns = None
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        kept = node.body[_has_docstring(node.body) :]
        node.body = kept or ([] if isinstance(node, ast.Module) else [ast.Pass()])


def _written(value: Any) -> str:
    """Return a syntax tree as text that is the same in every version of Python.

    Empty fields are left out, because newer versions have fields that older ones lack, and some put empty texts into
    f-strings; how a name is used follows from where it is.
    """
    if isinstance(value, list):
        return f"[{','.join(map(_written, value))}]"
    if isinstance(value, ast.JoinedStr):
        filled = [part for part in value.values if not (isinstance(part, ast.Constant) and part.value == "")]
        return f"JoinedStr({_written(filled)})"
    if not isinstance(value, ast.AST):
        return repr(value)
    fields = ((name, part) for name, part in ast.iter_fields(value) if name not in ("ctx", "kind"))
    parts = (f"{name}={_written(part)}" for name, part in fields if part is not None and part != [])
    return f"{type(value).__name__}({','.join(parts)})"


def _has_docstring(body: list[ast.stmt]) -> bool:
    first = body[0] if body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def _only_for_types(statement: ast.stmt) -> bool:
    test = statement.test if isinstance(statement, ast.If) else None
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _defined(statement: ast.stmt) -> list[str]:
    """Return the names that a statement defines and that others could use."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        targets = [node for target in statement.targets for node in ast.walk(target)]
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    else:
        return []
    return [node.id for node in targets if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _dotted_names(statement: ast.stmt) -> Iterator[Dotted]:
    """Yield each name that is read, together with the attributes that are taken of it."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name):
            yield (node.id,)
        owner, parts = node, list[str]()
        while isinstance(owner, ast.Attribute):
            parts.append(owner.attr)
            owner = owner.value
        if parts and isinstance(owner, ast.Name):
            yield (owner.id, *reversed(parts))
