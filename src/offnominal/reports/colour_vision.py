"""Contrast and difference of colours, as people with and without a colour-vision deficiency see them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from offnominal.core.errors import InvalidParameter
from offnominal.core.types import FloatArray

Vision = Literal["normal", "protanopia", "deuteranopia", "tritanopia"]
VISIONS: tuple[Vision, ...] = ("normal", "protanopia", "deuteranopia", "tritanopia")
# Machado, Oliveira and Fernandes (2009), severity 1.0; they act on linear RGB.
MATRICES: dict[Vision, FloatArray] = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
TO_LMS = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
     [0.0883024619, 0.2817188376, 0.6299787005]]
)  # fmt: skip
TO_OKLAB = np.array(
    [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.8086757660]]
)  # fmt: skip


def rgb_of(colour: str) -> FloatArray:
    """Return red, green and blue of ``#rrggbb``, from 0 to 1.

    Example:
        >>> rgb_of("#ff0000").tolist()
        [1.0, 0.0, 0.0]
    """
    if len(colour) != 7 or not colour.startswith("#"):
        raise InvalidParameter(f"{colour!r} is no colour; expected #rrggbb, such as #0072b2.")
    return np.array([int(colour[place : place + 2], 16) for place in (1, 3, 5)]) / 255.0


def hex_of(rgb: FloatArray) -> str:
    """Return ``#rrggbb`` of red, green and blue from 0 to 1; values outside are clipped."""
    red, green, blue = np.rint(np.clip(rgb, 0.0, 1.0) * 255.0).astype(int)
    return f"#{red:02x}{green:02x}{blue:02x}"


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of WCAG 2, from 1 to 21.

    Example:
        >>> contrast("#000000", "#ffffff"), round(contrast("#777777", "#ffffff"), 2)
        (21.0, 4.48)
    """
    low, high = sorted(float(LUMINANCE @ _linear(rgb_of(colour))) for colour in (first, second))
    return (high + 0.05) / (low + 0.05)


def text_on(background: str) -> str:
    """Return black or white: the one with more contrast, which is at least 4.5:1 on every background.

    Example:
        >>> text_on("#0072b2"), text_on("#e69f00")
        ('#ffffff', '#000000')
    """
    return max("#000000", "#ffffff", key=lambda colour: contrast(colour, background))


def simulated(rgb: FloatArray, vision: Vision) -> FloatArray:
    """Return colours as they look with a colour-vision deficiency.

    Args:
        rgb: (..., 3), from 0 to 1.
        vision: Deficiency; ``"normal"`` changes nothing.
    """
    seen = np.clip(_linear(rgb) @ MATRICES[vision].T, 0.0, 1.0)
    return np.where(seen <= 0.0031308, 12.92 * seen, 1.055 * seen ** (1 / 2.4) - 0.055)


def colour_difference(first: str, second: str, vision: Vision = "normal") -> float:
    """Return the difference ΔE of two colours: 100 times their distance in Oklab.

    1 is about the smallest difference that is seen side by side; black and white differ by 100.

    Example:
        >>> round(colour_difference("#000000", "#ffffff"))
        100
        >>> [round(colour_difference("#d62728", "#2ca02c", vision)) for vision in ("normal", "deuteranopia")]
        [34, 4]
    """
    there = [oklab(simulated(rgb_of(colour), vision)) for colour in (first, second)]
    return 100.0 * float(np.linalg.norm(there[0] - there[1]))


def oklab(rgb: FloatArray) -> FloatArray:
    """Return the lightness and the two colour axes of Oklab (Ottosson, 2020), in which equal steps look equal."""
    return np.asarray(np.cbrt(_linear(rgb) @ TO_LMS.T) @ TO_OKLAB.T)


def rgb_of_oklab(lab: FloatArray) -> FloatArray:
    """Return red, green and blue of an Oklab colour; clipped to what screens show."""
    linear = np.clip((lab @ np.linalg.inv(TO_OKLAB).T) ** 3 @ np.linalg.inv(TO_LMS).T, 0.0, 1.0)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def _linear(rgb: FloatArray) -> FloatArray:
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
