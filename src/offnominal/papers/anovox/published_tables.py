"""The published tables of AnoVox, and our results for them."""

from __future__ import annotations

from offnominal.papers.anovox.published import PublishedNumber, published_numbers
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


def table_4(results: RunResults) -> list[PublishedComparison]:
    """Compare the voxel metrics of the published methods; all other detectors follow without published numbers."""
    found = SceneResults.of(results.table)
    published = published_numbers()
    methods = list(dict.fromkeys(number.method for number in published))
    lines = [_line(found, number) for number in published]
    for name in (name for name in found.names if name not in methods):
        lines += [_ours(found, name, row, metric) for row in ROWS for metric in METRICS]
    return lines


def _labels(found: SceneResults, name: str, row: str, metric: str) -> dict[str, str]:
    value = found.estimate(name, "voxel", row, AS_PUBLISHED + METRICS[metric]).value
    return {
        "method": name,
        "frames": row,
        "metric": metric,
        "ours as published": "–" if value is None else f"{value:.3f}",
    }


def _line(found: SceneResults, number: PublishedNumber) -> PublishedComparison:
    return PublishedComparison(
        _labels(found, number.method, number.subset, number.metric),
        found.estimate(number.method, "voxel", number.subset, METRICS[number.metric]),
        number.value,
        note=NOTES.get((number.flaw, number.metric), ""),
        flaw=number.flaw,
    )


def _ours(found: SceneResults, name: str, row: str, metric: str) -> PublishedComparison:
    ours = found.estimate(name, "voxel", row, METRICS[metric])
    return PublishedComparison(_labels(found, name, row, metric), ours, None)


PUBLISHED = Published(
    (PublishedTable(4, "voxel metrics of content anomalies", "anovox", table_4),),
    unknown_tables={"3": "It lists methods without results."},
)
