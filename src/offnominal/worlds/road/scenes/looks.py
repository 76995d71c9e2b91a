"""Looks of a town: how much detail its surfaces, its streets and the ego vehicle have."""

from __future__ import annotations

from dataclasses import dataclass

from offnominal.core.checks import boolean, number_in
from offnominal.core.config import Config
from offnominal.core.errors import UnknownName, did_you_mean


@dataclass(frozen=True)
class Look(Config):
    """What a scene shows besides the town and its road users. Everything in it is normal.

    Args:
        name: Name of the look.
        surfaces: Whether asphalt has grain, cracks, patches and manholes, markings are worn, and windows lie deep in
            facades, with frames and blinds.
        clutter: Whether there are parked cars, bins, bags and litter.
        bonnet: Whether cameras and lidars see the bonnet of the ego vehicle.
        sway: Whether the ego vehicle pitches and rolls when it accelerates and turns.
        roughness: How far a wet road scatters what it reflects, as a share of the height of the image; 0 is a mirror
            with jitter.
        version: Raised if a named look changes.

    Example:
        >>> look("detailed").clutter, look("plain").clutter
        (True, False)
    """

    name: str = "plain"
    surfaces: bool = False
    clutter: bool = False
    bonnet: bool = False
    sway: bool = False
    roughness: float = 0.0
    version: int = 1

    def __post_init__(self) -> None:
        for field in ("surfaces", "clutter", "bonnet", "sway"):
            boolean(f"look {self.name!r}: {field}", getattr(self, field))
        number_in(f"look {self.name!r}: roughness", self.roughness, 0.0, 1.0)


PLAIN = Look()
LOOKS: dict[str, Look] = {
    each.name: each
    for each in (PLAIN, Look("detailed", surfaces=True, clutter=True, bonnet=True, sway=True, roughness=0.05))
}


def look(given: str | Look) -> Look:
    """Return a look by its name; a look is returned as it is."""
    if isinstance(given, Look):
        return given
    if given not in LOOKS:
        raise UnknownName(
            f"no look named {given!r}.{did_you_mean(str(given), LOOKS)} Choose one of {', '.join(LOOKS)}."
        )
    return LOOKS[given]
