"""Text, parameters and references from docstrings in Google style."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from typing import Any

ROLE = re.compile(r":\w+:`~?(?:[\w.]*\.)?(\w+)`")
SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example|Examples|Guarantee|Note):$")
PARAMETER = re.compile(r"^    \*{0,2}(\w+)(?: \([^)]*\))?: (.*)$")
REFERENCE = re.compile(r"\(((?:[A-Z][\w'’-]+)(?: et al\.| and [A-Z][\w'’-]+)?,? (?:19|20)\d\d)\)")


def plain(text: str) -> str:
    """Return a text without the markup of Sphinx.

    Example:
        >>> plain("A :class:`~offnominal.detectors.KNN` with ``view`` and `k`.")
        'A KNN with view and k.'
    """
    return ROLE.sub(r"\1", text).replace("``", "").replace("`", "")


def opening(documented: Any) -> str:
    """Return the paragraphs of a docstring before its first section, each on one line."""
    lines: list[str] = []
    for line in (inspect.getdoc(documented) or "").splitlines():
        if SECTION.match(line):
            break
        lines.append(line)
    paragraphs = "\n".join(lines).strip().split("\n\n")
    return plain("\n\n".join(" ".join(each.split()).replace(" * ", "\n* ") for each in paragraphs))


def meanings(documented: type) -> dict[str, str]:
    """Return the meaning of every parameter of a class, from its docstring and those of its bases.

    Example:
        >>> from offnominal.detectors.rows import LOF
        >>> meanings(LOF)["n_neighbors"]
        'Number of neighbours.'
    """
    found: dict[str, str] = {}
    for base in reversed(documented.__mro__):
        found |= _arguments(inspect.cleandoc(base.__doc__ or "")) if base is not object else {}
    return found


def _arguments(text: str) -> dict[str, str]:
    """Return the section ``Args`` of a docstring."""
    found: dict[str, str] = {}
    name, inside = "", False
    for line in text.splitlines():
        if SECTION.match(line):
            inside = line == "Args:"
        elif inside and (match := PARAMETER.match(line)):
            name = match[1]
            found[name] = match[2]
        elif inside and name and line.startswith("        "):
            found[name] += f" {line.strip()}"
    return {name: plain(meaning) for name, meaning in found.items()}


def parameter_rows(
    documented: type, values: Mapping[str, Any], more: Mapping[str, str] | None = None
) -> list[dict[str, Any]]:
    """Return one row per parameter: its name, its value and its meaning.

    Args:
        documented: Class with a docstring.
        values: Values by name; those of the signature that are not in it have their defaults.
        more: Meanings of other parameters in `values`.
    """
    known = meanings(documented) | dict(more or {})
    signature = inspect.signature(documented).parameters.values()
    defaults = {each.name: each.default for each in signature if each.default is not inspect.Parameter.empty}
    return [
        {"parameter": name, "default": shown(value), "meaning": known.get(name, "")}
        for name, value in {**defaults, **values}.items()
    ]


def shown(value: Any) -> Any:
    """Return a default value as plain data: text or a number.

    Example:
        >>> shown((64, 64)), shown(0.5), shown(None)
        ('64, 64', 0.5, 'None')
    """
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return ", ".join(str(shown(each)) for each in value)
    return getattr(value, "__name__", None) or str(value)


def reference(documented: type) -> str | None:
    """Return the paper that a class or its module names, as author and year; None if they name none.

    Example:
        >>> from offnominal.detectors.rows import KNN
        >>> reference(KNN)
        'Harmeling et al., 2006'
    """
    texts = (documented.__doc__ or "").partition("Args:")[0], sys.modules[documented.__module__].__doc__ or ""
    found = [match for text in texts for match in REFERENCE.findall(" ".join(text.split()))]
    return ", ".join(dict.fromkeys(found)) or None
