"""Intervals of mean ranks and of means over classes in files whose runs stored none, from the cells in the files.

The protocol of the comparison says that they are those of the mean difference over tables or classes, so that no values
by split are needed. A value gets an interval only if the cells of the same run give this value again.
"""

import math
from collections.abc import Iterator, Mapping
from statistics import fmean

from offnominal.papers.comparison.published.difference_intervals import of_paired_mean
from offnominal.papers.comparison.published.printed_cells import image_cells, table_cells
from offnominal.papers.comparison.published.rank_lines import Cells, complete, paper_ranks, rank_differences
from published_values.rows import MADE_BY, Row

Files = Mapping[str, list[Row]]
"""Rows by the name of the file, without its end."""
EXACT = 1e-4
"""Rounding of the values in files, as a share."""
TABLES = {"comparison-IV": "table_IV", "comparison-B1": "table_B1"}
PARTS = ("", "-deep")
IMAGES = "comparison-C5-images"
Found = tuple[Row, float, float]
"""A row, and its value and half its interval from cells."""


def with_cell_intervals(files: Files) -> int:
    """Give the rows of files their intervals, and return how many got one. Verdicts are not renewed.

    Args:
        files: Rows of all files of published tables.
    """
    count = 0
    for row, value, half in _from_cells(files):
        if row["low"] or math.isnan(half) or not math.isclose(value, float(row["ours"]), rel_tol=EXACT):
            continue
        row["low"], row["high"] = (f"{end:.6g}" for end in (value - half, value + half))
        count += 1
    return count


def _from_cells(files: Files) -> Iterator[Found]:
    for part in PARTS:
        for name, item in TABLES.items():
            cells, published = files.get(name + part, []), table_cells(item)
            places = [row for row in cells if row["table"] == "mean rank"]
            metric = "AUC" if item == "table_IV" else "TPR@5"
            others = files.get(f"comparison-V{part}", [])
            places += [row for row in others if (row["metric"], row["selection"]) == (metric, "mean")]
            yield from _ranks(places, cells, ("table",), published)
    classes = files.get(IMAGES, [])
    printed = {((images, name), method): value for (images, name, method), value in image_cells("table_C5").items()}
    yield from _ranks([row for row in classes if row["images"] == "mean rank"], classes, ("images", "class"), printed)
    yield from _class_means(files.get("comparison-VI-images", []), classes, printed)


def _ranks(rows: list[Row], cells: list[Row], labels: tuple[str, ...], published: Cells) -> Iterator[Found]:
    """Yield our mean rank of each row, and half its interval."""
    for row in (row for row in rows if row["ours"]):
        ours = {place: value for place, value in _cells_of(cells, labels, row).items() if place in published}
        problems, methods = complete(ours, published)
        if problems and row["method"] in methods:
            half = of_paired_mean(rank_differences(ours, published)[row["method"]])
            yield row, paper_ranks(ours, problems, methods)[row["method"]], half


def _class_means(rows: list[Row], classes: list[Row], published: Cells) -> Iterator[Found]:
    """Yield our mean over the classes of an image set of each row, and half its interval."""
    for row in (row for row in rows if row["ours"]):
        ours = {
            place: value
            for place, value in _cells_of(classes, ("images", "class"), row).items()
            if place in published and (place[0][0], place[1]) == (row["images"], row["method"])
        }
        if ours:
            yield row, fmean(ours.values()), of_paired_mean([value - published[place] for place, value in ours.items()])


def _cells_of(rows: list[Row], labels: tuple[str, ...], like: Row) -> dict[tuple[object, str], float]:
    """Return the values of the run that a row is of, by problem and method."""
    run = [like[name] for name in MADE_BY]
    return {
        (tuple(row[name] for name in labels) if len(labels) > 1 else row[labels[0]], row["method"]): float(row["ours"])
        for row in rows
        if row["ours"] and [row[name] for name in MADE_BY] == run
    }
