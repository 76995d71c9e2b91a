"""HTML from Jinja2 templates: text is always escaped, and control characters become visible signs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from offnominal.core.printable import printable
from offnominal.reports.tables import text

PACKAGE = "offnominal.reports"


def render(template: str, *, package: str = PACKAGE, **values: Any) -> Markup:
    """Return HTML from a template.

    Args:
        template: Name of a file in the folder ``assets`` of a package, such as ``"page.html.j2"``.
        package: Name of that package.
        **values: Variables of the template. Strings are escaped; :class:`~markupsafe.Markup` is inserted as it is.

    Example:
        >>> render("figure.html.j2", source="data:,", caption="a < b")
        Markup('<figure class="drawn">...<figcaption>a &lt; b</figcaption></figure>')
    """
    return Markup(_environment(package).get_template(template).render(values))


def asset(name: str) -> Markup:
    """Return a style sheet of the package, to be inserted as it is."""
    return Markup((files(PACKAGE) / "assets" / name).read_text(encoding="utf-8"))


def embedded_json(data: Mapping[str, Any]) -> Markup:
    """Return data as JSON for a script element; nothing in it can end the element."""
    plain = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return Markup(printable(plain).replace("<", "\\u003c"))


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=PackageLoader(package, "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters["text"] = text
    return environment


def _visible(value: Any) -> Any:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
