"""Removal of control characters from external text, for terminals and documents."""

from __future__ import annotations

import re
from typing import Any

# Characters that XML 1.0 forbids, control codes except tab and line feed, and changes of the writing direction.
FORBIDDEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff"
_UNPRINTABLE = re.compile(f"[{FORBIDDEN}\ud800-\udfff]")
_SPACES = re.compile(r"\s+")
LONGEST = 60


def printable(text: str) -> str:
    r"""Return the text with every control character replaced by a visible symbol, except tabs and line feeds.

    Example:
        >>> printable("a\x00b\x1b[31mc"), printable("two\r\nlines\n")
        ('a␀b␛[31mc', 'two\nlines\n')
    """
    return _UNPRINTABLE.sub(_visible, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    r"""Return a printable text without line breaks.

    Example:
        >>> one_line("two\r\nlines")
        'two lines'
    """
    return _SPACES.sub(" ", printable(text)).strip()


def shown(value: Any) -> str:
    """Return any value as text for an error message: one line of at most 60 characters.

    Example:
        >>> shown([1, "two"]), shown("a" * 99)[-4:], shown(10**5000)
        ("[1, 'two']", 'aaa…', 'a huge integer')
    """
    try:
        text = repr(value)
    except ValueError:
        return "a huge integer" if isinstance(value, int) else f"a {type(value).__name__}"
    except Exception:
        return f"a {type(value).__name__}"
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
