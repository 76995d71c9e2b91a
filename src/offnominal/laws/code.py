"""The law of results: the version of the code that a result carries covers all code that computed it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import FrameType

from offnominal.core.errors import UnknownName
from offnominal.laws.report import SkipLaw
from offnominal.laws.world import require
from offnominal.studies.code import OURS, Sources

SHOWN = 3
LAZY_IMPORTS = "offnominal.core.lazy_imports"
"""Imports names and computes no result."""


@contextmanager
def executed(*packages: str) -> Iterator[set[str]]:
    """Collect the definitions whose code runs within the block, in this thread, as ``"module:name"``.

    Args:
        *packages: Names of top-level packages; code of others is left out. Ours is always looked at.

    Example:
        >>> from offnominal.core.progress_bar import format_duration
        >>> with executed() as found:
        ...     _ = format_duration(7.4)
        >>> found
        {'offnominal.core.progress_bar:format_duration'}
    """
    found: set[str] = set()
    tops = {OURS, *packages}

    def note(frame: FrameType, event: str, argument: object) -> None:
        module = frame.f_globals.get("__name__", "")
        if event != "call" or module == LAZY_IMPORTS or module.partition(".")[0] not in tops:
            return
        name = frame.f_code.co_qualname.partition(".")[0]
        # Generated code has another file; a module's own statements and lambdas have no name.
        if name.isidentifier() and frame.f_code.co_filename == frame.f_globals.get("__file__"):
            found.add(f"{module}:{name}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        found.discard(f"{__name__}:executed")


def require_covered(targets: Sequence[str], found: set[str]) -> None:
    """Raise :class:`LawBroken` unless the version of the code of some targets covers definitions that ran.

    A target that no study could use, because its source is not on the path, is skipped.

    Args:
        targets: ``"package.module:attribute"`` each.
        found: What :func:`executed` collected.
    """
    try:
        covered = {name for target in targets for name in _sources().used(target)}
    except UnknownName:
        raise SkipLaw("no study could name it: it is no class or function of a module on the path") from None
    hidden = sorted(found - covered)
    more = "" if len(hidden) <= SHOWN else f" and {len(hidden) - SHOWN} more"
    require(
        not hidden,
        f"its results use {', '.join(hidden[:SHOWN])}{more}, which {' and '.join(targets)} does not refer to by name; "
        "import and call it there instead of looking it up by a text",
    )


def named_target(made_by: Callable[..., object]) -> str:
    """Return what a study would call a class or function: ``"package.module:attribute"``."""
    return f"{getattr(made_by, '__module__', '')}:{getattr(made_by, '__qualname__', '')}"


@cache
def _sources() -> Sources:
    return Sources()
