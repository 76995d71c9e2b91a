"""Text from a run as text, never as markup: for Markdown and spreadsheets. For HTML see `templates`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from offnominal.core.printable import one_line, printable
from offnominal.studies.results import RunResults

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_FORMULA = ("=", "+", "-", "@")
_MARKDOWN = re.compile(r"[\\`*|<]|(?<!\w)_|_(?!\w)|&(?=#?\w+;)|(?<=\])[(\[]")


def markdown_text(text: str) -> str:
    """Return text for a heading or a cell of a table: one line in which nothing is Markdown or HTML.

    Signs with a meaning become character references, which all dialects of Markdown read alike.

    Example:
        >>> print(markdown_text("a|b <i>`x`</i>"), markdown_text("0.8 [0.7, 0.9]"))
        a&#124;b &#60;i>&#96;x&#96;&#60;/i> 0.8 [0.7, 0.9]
    """
    return _MARKDOWN.sub(lambda found: f"&#{ord(found[0])};", one_line(text))


def csv_cell(value: Any) -> Any:
    """Return a value for a CSV file that no spreadsheet takes for a formula; numbers stay numbers.

    Example:
        >>> [csv_cell(value) for value in ("=1+1", "-0.25", "KNN", -3)]
        ["'=1+1", '-0.25', 'KNN', -3]
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    formula = value.lstrip().startswith(_FORMULA) or value.startswith(("\t", "\r"))
    return f"'{text}" if formula and not _NUMBER.fullmatch(text) else text


def printable_run(results: RunResults) -> RunResults:
    """Return a run in whose tables every control character is a visible sign, so that any format can hold its names."""
    return replace(results, table=_printable_table(results.table), examples=_printable_table(results.examples))


def _printable_table(table: Any) -> Any:
    for place, field in enumerate(table.schema):
        if not pa.types.is_string(field.type):
            continue
        found = [text for text in pc.unique(table[field.name]).to_pylist() if text is not None]
        changed = {text: printable(text) for text in found if printable(text) != text}
        if changed:
            texts = [changed.get(text, text) for text in table[field.name].to_pylist()]
            table = table.set_column(place, field, pa.array(texts, field.type))
    return table
