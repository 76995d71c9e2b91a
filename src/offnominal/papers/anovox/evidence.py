"""Experiments on Table 4: our numbers before and after they are computed with the pairs of the public code."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

import numpy as np

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.causes import Experiment

FILE = "evidence.csv"
PAIRS = "public-pairs"
"""Scores and truth in the pairs of the public code."""


@cache
def experiments() -> tuple[Experiment, ...]:
    """Return the experiment on each number.

    Example:
        >>> experiments()[1].labels, experiments()[1].before
        ({'method': 'REAL', 'frames': 'default', 'metric': 'AUROC'}, Estimate(0.945 [0.904, 0.968]))
    """
    text = files("offnominal.papers.anovox").joinpath(FILE).read_text(encoding="utf-8")
    return tuple(
        Experiment(
            PAIRS,
            "4",
            {name: row[name] for name in ("method", "frames", "metric")},
            *(
                Estimate(float(row[name]), np.array([float(row[f"{name}_{end}"]) for end in ("low", "high")]))
                for name in ("before", "after")
            ),
        )
        for row in csv.DictReader(text.splitlines())
    )
