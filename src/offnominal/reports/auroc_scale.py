"""The colours of AUROC values in every figure and page: blue above 0.5, orange below, neutral at 0.5."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from offnominal.reports.colour_vision import hex_of, oklab, rgb_of, rgb_of_oklab, text_on

STEPS = 41
"""Number of colours; one per 0.025, and the middle one is 0.5."""
# From 0 over 0.5 to 1; the middle is nearly the colour of the paper.
LIGHT = ("#6e2b00", "#b35806", "#e89a4e", "#f9d9b4", "#f4f4f2", "#cfe3f1", "#83b8dc", "#3484bd", "#0b4a7d")
DARK = ("#ffb066", "#d9762e", "#97501f", "#553520", "#2c2e30", "#1f4359", "#22678f", "#3b93c9", "#8ccdf5")


@cache
def auroc_colours(*, dark: bool = False) -> tuple[str, ...]:
    """Return the colours of AUROC 0 to 1, in steps of 0.025.

    Args:
        dark: Whether they are shown on a dark page.

    Example:
        >>> found = auroc_colours()
        >>> len(found), found[0], found[20], found[-1]
        (41, '#6e2b00', '#f4f4f2', '#0b4a7d')
    """
    anchors = np.array([oklab(rgb_of(colour)) for colour in (DARK if dark else LIGHT)])
    where, at = np.linspace(0.0, 1.0, len(anchors)), np.linspace(0.0, 1.0, STEPS)
    mixed = np.stack([np.interp(at, where, axis) for axis in anchors.T], axis=1)
    return tuple(hex_of(rgb_of_oklab(each)) for each in mixed)


def auroc_colour(value: float, *, dark: bool = False) -> str:
    """Return the colour of an AUROC.

    Example:
        >>> auroc_colour(0.5), auroc_colour(1.0)
        ('#f4f4f2', '#0b4a7d')
    """
    return auroc_colours(dark=dark)[round(min(max(value, 0.0), 1.0) * (STEPS - 1))]


def auroc_colormap(*, share: bool = False) -> Any:
    """Return the scale as a matplotlib colormap; draw it with ``vmin=0, vmax=1``.

    Args:
        share: Return the upper half alone, from neutral to blue: for shares and other values without a neutral middle.
    """
    from matplotlib.colors import LinearSegmentedColormap

    first = STEPS // 2 if share else 0
    return LinearSegmentedColormap.from_list("auroc_share" if share else "auroc", auroc_colours()[first:])


def auroc_css() -> str:
    """Return the scale as CSS for light and dark pages.

    A cell of class ``auroc-N`` with N = round(40 AUROC) gets background and text colour. ``var(--auroc-scale)`` is a
    gradient of the whole scale, ``var(--auroc-share)`` of its upper half.

    Example:
        >>> auroc_css().splitlines()[-1]
        '.auroc-40 { background: light-dark(#0b4a7d, #8ccdf5); color: light-dark(#ffffff, #000000); }'
    """
    both = list(zip(auroc_colours(), auroc_colours(dark=True), strict=True))
    stops = [f"light-dark({light}, {dark})" for light, dark in both]
    lines = [
        ":root {",
        f"  --auroc-scale: linear-gradient(90deg, {', '.join(stops[::5])});",
        f"  --auroc-share: linear-gradient(90deg, {', '.join(stops[STEPS // 2 :: 5])});",
        "}",
    ]
    lines += [
        f".auroc-{number} {{ background: light-dark({light}, {dark}); "
        f"color: light-dark({text_on(light)}, {text_on(dark)}); }}"
        for number, (light, dark) in enumerate(both)
    ]
    return "\n".join(lines)
