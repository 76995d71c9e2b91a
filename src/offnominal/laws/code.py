"""The law of the code version: the code version of a result covers all code that computed it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Any

from offnominal.core.errors import UnknownName
from offnominal.core.registry import Registry
from offnominal.laws.report import SkipLaw
from offnominal.laws.require import require
from offnominal.studies.code import OURS, Sources

SHOWN = 3
LAZY_IMPORTS = "offnominal.core.lazy_imports"
"""Imports names and computes no result."""


@contextmanager
def executed(*packages: str) -> Iterator[set[str]]:
    """Collect the definitions whose code runs within the block, in this thread, as ``"module:name"``.

    Args:
        *packages: Names of top-level packages; code of other packages is ignored. This package is always included.

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
    """Raise :class:`LawBroken` unless the code version of some targets covers the executed definitions.

    A target whose source is not on the path is skipped, because no study can use it.

    Args:
        targets: Names such as ``"package.module:attribute"``.
        found: Definitions that :func:`executed` collected.
    """
    try:
        covered = {name for target in targets for name in _sources().used(target)}
    except UnknownName:
        raise SkipLaw("no study can name it: it is not a class or function of a module on the path") from None
    hidden = sorted(found - covered)
    more = "" if len(hidden) <= SHOWN else f" and {len(hidden) - SHOWN} more"
    require(
        not hidden,
        f"its results use {', '.join(hidden[:SHOWN])}{more}, which {' and '.join(targets)} does not refer to by name; "
        "import and call it there instead of importing it by a string",
    )


def require_covered_detector(
    make: Callable[..., object], fitted: Any, id: str | None, registry: Registry[Any], found: set[str]
) -> None:
    """Raise :class:`LawBroken` unless the code version of a detector covers the executed definitions.

    Args:
        make: Returns a new detector.
        fitted: A detector of this kind.
        id: Its registered id; None if it has none.
        registry: Registry of the detectors of its kind.
        found: Definitions that :func:`executed` collected.
    """
    specs = () if id is None else registry.entries(id, fitted.get_params())
    require_covered([spec.target for spec in specs] or [named_target(make)], found)


def named_target(factory: Callable[..., object]) -> str:
    """Return the name of a class or function in a study: ``"package.module:attribute"``."""
    return f"{getattr(factory, '__module__', '')}:{getattr(factory, '__qualname__', '')}"


@cache
def _sources() -> Sources:
    return Sources()
