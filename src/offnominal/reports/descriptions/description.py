"""The description of one object: facts and tables, for the terminal and as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

DOCUMENTATION = "https://github.com/offnominal/offnominal/blob/main/docs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """Everything that is known of an object before anything runs.

    Args:
        name: Its id.
        summary: One line.
        text: One or more paragraphs.
        facts: Short facts by name; None for those that are unknown.
        tables: Tables by title.
        documentation: Address of its documentation page; empty if it has none.
    """

    name: str
    summary: str
    text: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    tables: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    documentation: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data.

        Example:
            >>> Description(name="KNN", summary="distance", facts={"paper": None}).to_dict()
            {'name': 'KNN', 'summary': 'distance', 'text': '', 'paper': None, 'documentation': ''}
        """
        named = {"name": self.name, "summary": self.summary, "text": self.text}
        return {**named, **self.facts, **self.tables, "documentation": self.documentation}


def page(path: str) -> str:
    """Return the address of a page of the documentation.

    Example:
        >>> page("guide/alarms.md")
        'https://github.com/offnominal/offnominal/blob/main/docs/guide/alarms.md'
    """
    return f"{DOCUMENTATION}/{path}"
