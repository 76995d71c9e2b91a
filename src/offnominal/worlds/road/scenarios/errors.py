"""Errors of scenario descriptions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from offnominal.core.checks import instance_of
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.printable import shown


class InvalidScenario(InvalidParameter):
    """The description of a scenario is incomplete or contradicts itself."""


@contextmanager
def described_at(where: str) -> Iterator[None]:
    """Put the place of a description, such as a file and the number of a scenario, before the message of an error.

    Example:
        >>> with described_at("town.json: scenario 3"):
        ...     raise InvalidScenario("the distance is -2.")
        Traceback (most recent call last):
            ...
        offnominal.worlds.road.scenarios.errors.InvalidScenario: town.json: scenario 3: the distance is -2.
    """
    try:
        yield
    except UnknownName as error:
        raise UnknownName(f"{where}: {error}") from None
    except InvalidParameter as error:
        raise InvalidScenario(f"{where}: {error}") from None


def known_name(noun: str, name: Any, names: Collection[str]) -> str:
    """Return a name if it is one of some names, or raise an error that lists them.

    Example:
        >>> known_name("behaviour", "carefull", ("cautious", "normal"))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no behaviour named 'carefull'. Choose one of cautious, normal.
    """
    instance_of(f"the name of a {noun}", name, str)
    if name not in names:
        raise UnknownName(
            f"no {noun} named {shown(name)}.{did_you_mean(name, names)} Choose one of {', '.join(names)}."
        )
    return str(name)
