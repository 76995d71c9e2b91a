"""One colour per detector, the same in every figure, table and page."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

# Okabe and Ito's palette without black and yellow, and two of Tol's: apart for the common kinds of colour blindness,
# and visible on white as on black.
KNOWN = {
    "PE-DM": "#0072B2",
    "RIQN": "#D55E00",
    "LSTM-DM": "#009E73",
    "MLP-DM": "#CC79A7",
    "KNN": "#E69F00",
    "Mahalanobis": "#56B4E9",
    "OneClassSVM": "#A03A78",
    "IsolationForest": "#8F8A1F",
    "OC-SVM": "#A03A78",
    "iF": "#8F8A1F",
    "LDM": "#4B6FD6",
    "LRDM": "#7A5AA8",
    "AE-Pred": "#B0588F",
    "PredNet": "#7C8B9A",
    "RSSM-PPM": "#5B8C2A",
    "KNN-encoder": "#E69F00",
    "KNN-random": "#B5543C",
    "Patch-encoder": "#2F9FA3",
    "Patch-random": "#C98B6B",
    "Time": "#767676",
    "Random": "#A8A8A8",
}
OTHERS = ("#5B8C2A", "#B5543C", "#4B6FD6", "#7A5AA8", "#2F9FA3", "#C98B6B", "#B0588F", "#7C8B9A")
BASELINES = ("Time", "Random")
UNTRAINED = "-untrained"


def colours(names: Iterable[str]) -> dict[str, str]:
    """Return a colour for each name.

    Shipped detectors have their own, as has an untrained one with that of its trained twin. Others get one that depends
    on nothing but their name, unless another name of the same figure has it already; the order of the names does not
    matter.

    Example:
        >>> colours(["PE-DM", "Mine"])
        {'PE-DM': '#0072B2', 'Mine': '#C98B6B'}
    """
    listed = list(names)
    plain = {name: name.removesuffix(UNTRAINED) for name in listed}
    found = {name: KNOWN[plain[name]] for name in listed if plain[name] in KNOWN}
    for name in sorted(set(listed) - set(found)):
        start = crc32(name.encode()) % len(OTHERS)
        turns = [OTHERS[(start + turn) % len(OTHERS)] for turn in range(len(OTHERS))]
        found[name] = next((colour for colour in turns if colour not in found.values()), turns[0])
    return {name: found[name] for name in listed}


def is_baseline(detector: str) -> bool:
    """Whether a detector is a baseline: elapsed time, random scores, or an untrained network.

    Example:
        >>> is_baseline("Time"), is_baseline("PE-DM-untrained"), is_baseline("PE-DM")
        (True, True, False)
    """
    return detector in BASELINES or detector.endswith(UNTRAINED)
