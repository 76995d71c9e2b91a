"""The published tables of AnoVox, and our results for them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from offnominal.evaluation.estimate import Estimate
from offnominal.papers.anovox.published import PublishedNumber, published_methods, published_numbers
from offnominal.papers.anovox.results import SceneResults
from offnominal.papers.anovox.scene_rows import AS_PUBLISHED
from offnominal.papers.paper import Published, PublishedTable
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

METRICS = {"AUPR": "average_precision", "AUROC": "auroc", "F1": "f1", "PPV": "ppv", "FPR95": "fpr95"}
ROWS = ("default", "+norm", "tiny", "small", "medium", "big", "huge")
NOTES = {
    ("impossible", "F1"): "F1 is at most twice PPV: 0.8 % here",
    ("impossible", "PPV"): "F1 is at most twice PPV: 0.8 % here",
    ("artefact", "FPR95"): "the threshold grid of the public code gives 100 % whenever scores are small",
    ("artefact", "F1"): "scores below the smallest threshold of the grid, 0.25, give 0",
    ("artefact", "PPV"): "scores below the smallest threshold of the grid, 0.25, give 0",
}


def table_3(results: RunResults) -> list[PublishedComparison]:
    """List the published methods; those of this study have our voxel AUROC of content anomalies."""
    found = SceneResults.of(results.table)
    return [
        PublishedComparison(
            {name.replace("_", " "): value for name, value in method.items()},
            found.estimate(method["method"], "voxel", "default", "auroc"),
            None,
        )
        for method in published_methods()
    ]


def table_4(results: RunResults, *, as_published: bool = False) -> list[PublishedComparison]:
    """Compare the voxel metrics of the published methods; all other detectors follow without published numbers.

    Args:
        results: A run of the study.
        as_published: Whether ours are computed as in the public code: FPR95, F1 and PPV on a grid of raw thresholds.
    """
    found = SceneResults.of(results.table)
    published = published_numbers()
    methods = list(dict.fromkeys(number.method for number in published))
    lines = [_line(found, number, as_published) for number in published]
    for name in (name for name in found.names if name not in methods):
        lines += [_ours(found, name, row, metric, as_published) for row in ROWS for metric in METRICS]
    return [line for line in lines if line.published is not None or line.ours.value is not None]


def _line(found: SceneResults, number: PublishedNumber, as_published: bool) -> PublishedComparison:
    return replace(
        _ours(found, number.method, number.subset, number.metric, as_published),
        published=number.value,
        note=NOTES.get((number.flaw, number.metric), ""),
        flaw=number.flaw,
    )


def _ours(found: SceneResults, name: str, row: str, metric: str, as_published: bool) -> PublishedComparison:
    exact = found.estimate(name, "voxel", row, METRICS[metric])
    grid = Estimate(found.estimate(name, "voxel", row, AS_PUBLISHED + METRICS[metric]).value)
    other, column = (exact, "exact") if as_published else (grid, "ours as published")
    shown = "–" if other.value is None else f"{other.value:.3f}"
    labels = {"method": name, "frames": row, "metric": metric, column: shown}
    return PublishedComparison(labels, grid if as_published else exact, None)


PUBLISHED = Published(
    (
        PublishedTable(
            3, "published detectors of road anomalies; AUROC of voxels, content anomalies", "anovox", table_3
        ),
        PublishedTable(
            4,
            "voxel metrics of content anomalies",
            "anovox",
            table_4,
            compare_as_published=partial(table_4, as_published=True),
        ),
    )
)
