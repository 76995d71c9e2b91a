"""The colours, marks and typography of every figure."""

from __future__ import annotations

from typing import Any

from offnominal.core.errors import MissingDependency

SERIES = ("#0062e8", "#c34b0f", "#1e7862", "#e85ac3", "#c3871e", "#2d96ff", "#a53cac", "#699e78")
"""Colours of series: blue, brick, teal, pink, ochre, sky, purple and sage.

Each has a contrast of at least 3:1 on white and on the dark page (#1a1e24). Any two differ by a ΔE of at least 13 with
normal vision, 9 with protanopia or deuteranopia and 6 with tritanopia (`tests/reports/test_colours.py`). Of more than
eight series the best are in colour and the others in :data:`GREY`, told apart by labels and marks.
"""
GREY = "#7d838c"
"""Series that are not highlighted, and baselines."""
NOMINAL, FAULTY = SERIES[:2]
INK, REFERENCE, RULE = "#333333", "#8a8f98", "#d0d3d8"
"""Text and onsets; lines of reference, such as random scores; lines between rows."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
DOTTED: Any = (0, (3, 3))
STYLE: dict[str, Any] = {
    "font.size": 9.5,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.5,
    "xtick.labelsize": 9.0,
    "ytick.labelsize": 9.0,
    "legend.fontsize": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#6b7078",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "legend.frameon": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def markers(names: list[str]) -> dict[str, str]:
    """Return a mark for each name; no two names have the same.

    Example:
        >>> markers(["KNN", "PE-DM"])
        {'KNN': 'o', 'PE-DM': 's'}
    """
    numbered = [f"${number}$" for number in range(len(MARKERS), len(names))]
    return dict(zip(names, [*MARKERS, *numbered], strict=False))


def pyplot() -> Any:
    """Return matplotlib's pyplot without a window system.

    Raises:
        MissingDependency: matplotlib is not installed.
    """
    matplotlib().use("agg")
    import matplotlib.pyplot as plt

    return plt


def matplotlib() -> Any:
    """Return matplotlib, or raise an error that explains how to install it."""
    try:
        import matplotlib as found
    except ImportError:
        raise MissingDependency("figures need matplotlib; install it with `pip install offnominal[plot]`.") from None
    return found
