"""Measured evidence of the causes of differences in Table 4: our numbers with the evaluation of the public code."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

import numpy as np

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.measured_evidence import Evidence

FILE = "evidence.csv"
CHANGE = "with scores and truth in the pairs of the public code"
Key = tuple[str, str, str]
"""Method, row and published name of the metric."""


@cache
def evidence() -> dict[Key, Evidence]:
    """Return the experiment on each number.

    Example:
        >>> evidence()["REAL", "default", "AUROC"].before
        0.9446
    """
    text = files("offnominal.papers.anovox").joinpath(FILE).read_text(encoding="utf-8")
    return {
        (row["method"], row["frames"], row["metric"]): Evidence(
            "defect",
            CHANGE,
            float(row["before"]),
            Estimate(float(row["after"]), np.array([float(row["low"]), float(row["high"])])),
        )
        for row in csv.DictReader(text.splitlines())
    }
