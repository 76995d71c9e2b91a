"""Light and sky of a scene."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from offnominal.core.errors import InvalidParameter
from offnominal.sensing.material import Colour, check_colour
from offnominal.sensing.vectors import perpendicular, unit


@dataclass(frozen=True)
class Light:
    """Sun and daylight.

    Args:
        towards_sun: Direction towards the sun.
        sun: Light of the sun on a surface that faces it, in red, green and blue.
        above: Daylight on a surface that faces up.
        below: Light reflected from the ground on a surface that faces down.
        shadows: Whether objects cast shadows.
    """

    towards_sun: tuple[float, float, float] = (-0.4, -0.5, 0.9)
    sun: Colour = (0.62, 0.60, 0.55)
    above: Colour = (0.50, 0.53, 0.58)
    below: Colour = (0.30, 0.28, 0.26)
    shadows: bool = True

    def __post_init__(self) -> None:
        unit("towards_sun", self.towards_sun)
        for name in ("sun", "above", "below"):
            check_colour(name, getattr(self, name))


@dataclass(frozen=True)
class Sky:
    """Background and fog.

    Args:
        horizon: Colour at eye level, which is also the colour of fog.
        zenith: Colour overhead.
        visibility: Distance in metres at which fog hides 95 percent of an object; infinite for clear air.
        label: Semantic label of background pixels. Their instance is 0.
    """

    horizon: Colour = (0.86, 0.90, 0.94)
    zenith: Colour = (0.50, 0.66, 0.86)
    visibility: float = math.inf
    label: int = 0

    def __post_init__(self) -> None:
        check_colour("horizon", self.horizon)
        check_colour("zenith", self.zenith)
        if not self.visibility > 0.0:
            raise InvalidParameter(f"visibility is {self.visibility}; expected a distance above zero, in metres.")


def pack(light: Light, sky: Sky) -> NDArray[np.float32]:
    """Return light and sky as rows of three: direction of the sun, two perpendicular ones, colours, parameters."""
    direction = unit("towards_sun", light.towards_sun)
    across, upright = perpendicular(direction)
    # 1 + x + x^2 / 2 approximates e^x: it is 20 at x = 5.2445.
    density = 5.2445 / sky.visibility
    rows = (
        direction,
        across,
        upright,
        light.sun,
        light.above,
        light.below,
        sky.horizon,
        sky.zenith,
        (density, float(light.shadows), float(sky.label)),
    )
    return np.array(rows, np.float32)
