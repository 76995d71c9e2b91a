"""Text from outside without characters that control a terminal or that no document may hold."""

from __future__ import annotations

import re

# What XML 1.0 does not allow, all control codes but tab and line feed, and what turns the direction of writing.
FORBIDDEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff"
_UNPRINTABLE = re.compile(f"[{FORBIDDEN}\ud800-\udfff]")
_SPACES = re.compile(r"\s+")


def printable(text: str) -> str:
    r"""Return a text in which every control character is a visible sign; tabs and line feeds stay.

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


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"
