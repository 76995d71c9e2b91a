"""Tables B.2, B.3, C.7 and C.8 (numbers of trained models and evaluated scores) and VIII (prediction times)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from offnominal.datasets.tables import table_entry
from offnominal.papers.comparison.cells import Leave
from offnominal.papers.comparison.protocols import Row
from offnominal.papers.comparison.published.comparison_lines import compared, outcomes_of, rule
from offnominal.papers.comparison.published.printed_cells import IMAGE_SETS, is_classical, rows_of, table_cells
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

SCORE_PARAMETERS = ("score_name", "distance", "percentile")
"""Parameters that choose a score of a fitted model; a value of another one needs a model of its own."""
BASE = "vae-d-rm"
SCORES = {"sampled_reconstruction": "sampled", "mean_reconstruction": "mean", "orthogonal_jacobian": "jacobian"}
RATIO = "ratio of seconds, because machines differ"
SECOND_STAGES = "ours: several second stages on each network, each of which is a model"
TWO_STAGES = ("vaek", "vaeo")
MOST_NEIGHBOURS = 100
"""Of LOF in the published search."""
NEIGHBOURS = "published: one model per number of neighbours below that of training rows ({}); ours: per configuration"


def count_table(results: RunResults, *, item: str, classical: bool) -> list[PublishedComparison]:
    """Compare the numbers of models or scores per split on each table.

    Args:
        results: Of a run, or without rows.
        item: ``"table_B2"`` (models) or ``"table_B3"`` (scores).
        classical: Whether the run is that of classical methods.
    """
    outcomes = outcomes_of(results)
    lines = []
    for place, published in table_cells(item).items():
        if is_classical(place[1]) == classical:
            ours = _count(outcomes.single.get(place), models=item == "table_B2")
            note = _reason_for_more(*place, published) if ours is not None and ours > published else ""
            lines.append(_line({"table": place[0], "method": place[1]}, ours, published, note))
    return lines


def image_count_table(results: RunResults, *, item: str, setting: Leave) -> list[PublishedComparison]:
    """Compare the numbers of models or scores per class on each image set.

    Args:
        results: Of a run, or without rows.
        item: ``"table_C7"`` (models) or ``"table_C8"`` (scores).
        setting: Which classes are anomalous.
    """
    outcomes = outcomes_of(results)
    lines = []
    for row in rows_of(item, setting=setting):
        images, method = IMAGE_SETS[row["dataset"]], row["method"]
        ours = _count(outcomes.single.get((images, method)), models=item == "table_C7")
        labels = {"setting": setting, "images": images, "method": method}
        lines.append(_line(labels, ours, float(row["value"])))
    return lines


def _line(labels: dict[str, str], ours: float | None, published: float, note: str = "") -> PublishedComparison:
    return compared(labels, ours, published, "models", note=note)


def _reason_for_more(table: str, method: str, published: float) -> str:
    """Return why a method has fewer published models on a table than ours; empty if that is not known."""
    if method in TWO_STAGES:
        return SECOND_STAGES
    rows = table_entry(table).normal * 3 // 5
    limited = method == "lof" and rows < MOST_NEIGHBOURS and abs(published - rows) <= rule("models").margin
    return NEIGHBOURS.format(rows) if limited else ""


def _count(rows: Sequence[Row] | None, *, models: bool) -> float | None:
    """Return the mean number of models or scores per split or class that did not fail."""
    if not rows:
        return None
    found: dict[object, set[str]] = {row["seed"]: set() for row in rows}
    for row in rows:
        if not row["failure"]:
            found[row["seed"]].add(model_of(row["configuration"]) if models else row["configuration"])
    return float(np.mean([len(names) for names in found.values()]))


def model_of(configuration: str) -> str:
    """Return a configuration without the parameters that choose a score.

    Example:
        >>> model_of('{"distance": "kappa", "n_neighbors": 3}')
        '{"n_neighbors": 3}'
    """
    known = json.loads(configuration)
    return json.dumps({name: value for name, value in known.items() if name not in SCORE_PARAMETERS}, sort_keys=True)


def table_viii(results: RunResults) -> list[PublishedComparison]:
    """Compare how many times as long as the mean reconstruction other scores of a VAE take.

    Our times are those of the networks on tables: diagonal variances are those of ``vae``, scalar ones of ``vaes``.
    """
    seconds: dict[tuple[str, str], list[float]] = {}
    outcomes = outcomes_of(results)
    for (_, method), rows in {**outcomes.single, **outcomes.variant_rows}.items():
        for row in rows if method in ("vae", "vaes") else ():
            known = json.loads(row["configuration"])
            if not row["failure"]:
                seconds.setdefault((known["variance"], known["score_name"]), []).append(row["score_s"])
    means = {name: float(np.mean(found)) for name, found in seconds.items()}
    printed = {row["variant"]: row for row in rows_of("table_VIII")}
    base, own_base = float(printed[BASE]["value"]), means.get(("diagonal", "mean"))
    lines = []
    for variant, row in printed.items():
        if variant != BASE:
            ours, published = means.get((row["decoder_variance"], SCORES[row["score"]])), float(row["value"]) / base
            ratio = ours / own_base if ours is not None and own_base else None
            labels = {"variant": variant, "quantity": f"time relative to {BASE}"}
            line = compared(labels, ratio, published, "ratio", note=RATIO)
            lines.append(replace(line, rule=rule("ratio").scaled(published)))
    return lines
