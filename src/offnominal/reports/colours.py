"""One colour per detector, the same in every figure, table and page of a run."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

from offnominal.core.plot_style import GREY, SERIES

PREFERRED = {
    "PE-DM": 0,
    "RIQN": 1,
    "LSTM-DM": 2,
    "MLP-DM": 3,
    "KNN": 4,
    "Mahalanobis": 5,
    "OneClassSVM": 6,
    "OC-SVM": 6,
    "IsolationForest": 7,
    "LDM": 0,
    "LRDM": 5,
    "AE-Pred": 3,
    "PredNet": 7,
    "RSSM-PPM": 2,
    "KNN-encoder": 4,
    "Patch-encoder": 6,
}
"""Places in the palette of shipped detectors."""
HIGHLIGHTED = 5
"""Number of series in colour where the palette has too few for all."""
BASELINES = ("Time", "Random")
UNTRAINED = "-untrained"


def colours(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each name; no two have the same colour but grey.

    Baselines are grey. Of more than eight others the first five are in colour and the rest is grey, so the best ones
    come first. Shipped detectors have their own colour, and others one that depends on their name alone, unless another
    name of the figure has it already.

    Args:
        names: Names, best first.

    Example:
        >>> colours(["PE-DM", "Mine", "Random"])
        {'PE-DM': '#0062e8', 'Mine': '#2d96ff', 'Random': '#7d838c'}
    """
    listed = list(dict.fromkeys(names))
    chosen = [name for name in listed if not is_baseline(name)]
    if len(chosen) > len(SERIES):
        chosen = chosen[:HIGHLIGHTED]
    places: dict[str, int] = {}
    for name in sorted(chosen, key=lambda name: (name not in PREFERRED, name)):
        start = PREFERRED.get(name, crc32(name.encode()) % len(SERIES))
        turns = ((start + turn) % len(SERIES) for turn in range(len(SERIES)))
        places[name] = next(place for place in turns if place not in places.values())
    return {name: SERIES[places[name]] if name in places else GREY for name in listed}


def colours_in_order(names: Iterable[str]) -> dict[str, str]:
    """Return colours in the order of the palette, for series that are no detectors; grey from the ninth on.

    Example:
        >>> colours_in_order(["left", "right"])
        {'left': '#0062e8', 'right': '#c34b0f'}
    """
    listed = list(dict.fromkeys(names))
    return dict(zip(listed, [*SERIES, *[GREY] * len(listed)], strict=False))


def is_baseline(detector: str) -> bool:
    """Whether a detector is a baseline: elapsed time, random scores, or an untrained network.

    Example:
        >>> is_baseline("Time"), is_baseline("PE-DM-untrained"), is_baseline("PE-DM")
        (True, True, False)
    """
    return detector in BASELINES or detector.endswith(UNTRAINED)
