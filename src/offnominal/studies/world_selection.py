"""Studies that are restricted to some of their worlds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from typing import TypeVar

from offnominal.core.checks import instances_of
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.core.files import sha256_of
from offnominal.studies.base import BaseStudy

S = TypeVar("S", bound=BaseStudy)
LONGEST = 120
"""Longest list of worlds in the name of a folder, in characters."""
SIMILAR = 0.5
"""Smallest similarity of a world that an error suggests."""


def study_worlds(study: BaseStudy) -> tuple[str, ...]:
    """Return the worlds of a study, or raise an error if it has none, such as a study of tables.

    Example:
        >>> from offnominal.studies.catalogue import load_study
        >>> study_worlds(load_study("ood-rl"))
        ('OOD-CartPole-v0', 'OOD-Pendulum-v0', 'OOD-Pong-v0')
    """
    worlds = getattr(study, "worlds", None)
    if not worlds:
        raise InvalidParameter(f"study {study.name!r} has no worlds to choose from; leave --worlds out.")
    return tuple(worlds)


def at_worlds(study: S, scale: str | None, patterns: str | Iterable[str] | None) -> S:
    """Return a study at a scale, with only some of its worlds.

    Args:
        study: The study.
        scale: Name of a scale; the whole study if None.
        patterns: Patterns of world ids; see :func:`select_worlds`. They choose from all worlds of the study and replace
            the worlds of the scale. None leaves the worlds unchanged.

    Example:
        >>> from offnominal.studies.catalogue import load_study
        >>> at_worlds(load_study("anomaly-gym"), "smoke", "SAP-*").worlds
        ('SAP-Goal0-v0', 'SAP-Goal1-v0', 'SAP-Goal2-v0')
    """
    scaled = study.at(scale)
    if patterns is None:
        return scaled
    worlds = tuple(dict.fromkeys((*study_worlds(study), *study_worlds(scaled))))
    return scaled.replace(worlds=select_worlds(worlds, patterns, f"study {study.name!r}"))


def select_worlds(worlds: Sequence[str], patterns: str | Iterable[str], where: str) -> tuple[str, ...]:
    """Return the worlds that match one of some patterns, in their order.

    Args:
        worlds: Ids of worlds.
        patterns: Patterns with ``*``, ``?`` and ``[...]``, such as ``"URM*"``.
        where: What the worlds belong to, in errors.

    Raises:
        UnknownName: A pattern matches none of the worlds.

    Example:
        >>> select_worlds(["SAP-Goal0-v0", "URM-Reach-v0", "URR-Reach-v0"], "UR?-*", "the study")
        ('URM-Reach-v0', 'URR-Reach-v0')
    """
    listed = [patterns] if isinstance(patterns, str) else list(instances_of("patterns", patterns, str))
    for pattern in listed:
        if not any(fnmatchcase(world, pattern) for world in worlds):
            raise UnknownName(
                f"no world of {where} matches {pattern!r}.{_suggestion(pattern, worlds)} "
                f"There are: {', '.join(worlds)}."
            )
    return tuple(world for world in worlds if any(fnmatchcase(world, pattern) for pattern in listed))


def worlds_in_file_name(worlds: Sequence[str]) -> str:
    """Return the worlds as a part of a file name: their ids, or their number and a hash if those are too long.

    Example:
        >>> worlds_in_file_name(["URM-Reach-v0", "URM-PnP-v0"])
        'URM-Reach-v0+URM-PnP-v0'
        >>> worlds_in_file_name(["./logs/pump", "my_package:make_env"])
        'logs-pump+my_package-make_env'
    """
    text = "+".join(re.sub(r"[^\w.+-]", "-", world).lstrip(".-") for world in worlds)
    if len(text) <= LONGEST:
        return text
    return f"{len(worlds)}-worlds-{sha256_of(text)[:8]}"


def _suggestion(pattern: str, worlds: Sequence[str]) -> str:
    """Return ``" Did you mean 'x'?"`` for the world that is most similar to the fixed part of a pattern."""
    fixed = re.sub(r"[*?!\[\]]", "", pattern).lower()

    def similarity(world: str) -> float:
        whole = world.lower()
        return max(SequenceMatcher(None, fixed, part).ratio() for part in (whole, whole[: len(fixed)]))

    nearest = max(worlds, key=similarity)
    return f" Did you mean {nearest!r}?" if fixed and similarity(nearest) >= SIMILAR else ""
