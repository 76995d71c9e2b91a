"""Tables VI, VII and C.1 to C.6, and the table in Figure C.3: results on images, mean over classes or by class."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Literal

from offnominal.core.rounding import fixed
from offnominal.papers.comparison.blue_pixels import blue_pixel_auc_at_hand
from offnominal.papers.comparison.cells import Leave
from offnominal.papers.comparison.comparison_results import ComparisonResults, Protocol
from offnominal.papers.comparison.protocols import BEST, Row, exclude_partial_failures, max_protocol, mean_protocol
from offnominal.papers.comparison.published.comparison_lines import compared, defect_note, outcomes_of
from offnominal.papers.comparison.published.difference_intervals import of_paired_mean
from offnominal.papers.comparison.published.printed_cells import (
    ALL,
    IMAGE_SETS,
    class_name,
    image_cells,
    overall,
    rows_of,
)
from offnominal.papers.comparison.published.rank_lines import Cells, rank_lines
from offnominal.papers.comparison.smaller_searches import Select, at_seed
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

BLUE_PIXELS = "blpix"
"""Published name of the detector that counts blue pixels."""
BLUE_NOTE = "pixels whose blue is larger than red and green; the paper does not say what it counts"
CLASSES = 10
"""Number of classes of each image set."""


def by_class(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each class.

    Args:
        rows: Of one method on one image set; those without a class are left out.

    Example:
        >>> by_class([{"variant": "cat", "seed": 1}, {"variant": "dog", "seed": 1}])["dog"]
        [{'variant': 'dog', 'seed': 1}]
    """
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("variant"):
            found.setdefault(row["variant"], []).append(row)
    return found


def with_all_classes(outcomes: ComparisonResults) -> ComparisonResults:
    """Return the results of image sets of which the run has every class: published values are means over ten.

    Args:
        outcomes: Of a run.
    """
    single, defective = (
        {place: rows for place, rows in group.items() if len(by_class(rows)) == CLASSES}
        for group in (outcomes.single, outcomes.defect_rows)
    )
    return replace(outcomes, single=single, defect_rows=defective)


def largest(rows: Sequence[Row]) -> float:
    """Return the test AUC where every class selects its own configuration; the mean if there are several."""
    return max_protocol(rows).value


def image_line(
    labels: Mapping[str, str],
    rows: Sequence[Row],
    defective: Sequence[Row],
    select: Select,
    published: float,
    note: str = "",
    *,
    half: float = math.nan,
) -> PublishedComparison:
    """Compare a value on some classes. That of one class has no interval: images have one split, networks one training.

    Args:
        labels: Labels of the line.
        rows: Our rows of these classes.
        defective: Our rows of the method with the error of the original; those of other classes do not count.
        select: Returns the value of the configuration that is selected from rows.
        published: The published value.
        note: Remark on the line.
        half: Half the interval of the difference of a mean over classes; NaN without one.
    """
    classes, ours = by_class(rows), select(rows)
    wrong = [row for name, some in by_class(defective).items() if name in classes for row in some]
    known = len(by_class(wrong)) == len(classes)
    error = defect_note(labels["method"], select(wrong) if known else math.nan)
    notes = "; ".join(filter(None, [note, error]))
    return compared(labels, ours, published, half=half, note=notes, units=len(classes))


def missing(labels: Mapping[str, str], published: float, metric: str = "share") -> PublishedComparison:
    """Return the line of a value without a result."""
    return compared(labels, None, published, metric)


Item = Literal["table_VI", "table_VII", "table_C2", "table_C3"]
PROTOCOLS: dict[Item, Protocol] = {"table_VI": "max", "table_VII": "max", "table_C2": "mean", "table_C3": "mean"}
OTHER: dict[Item, Item] = {
    "table_VI": "table_C2",
    "table_VII": "table_C3",
    "table_C2": "table_VI",
    "table_C3": "table_VII",
}
"""The same problems with the other protocol."""
CLASS_ITEMS: dict[Item, str] = {"table_VI": "table_C5", "table_VII": "table_C6"}
"""The values of the classes whose means are in a table."""
FEWEST_CLASSES = 5
"""Of a mean over some classes, where the values of the classes are printed."""


def mean_table(results: RunResults, *, item: Item, as_published: bool = False) -> list[PublishedComparison]:
    """Compare the mean over classes of each method on each image set, its deviations and its mean ranks.

    Beside each value are ours and the published one with the other protocol: with ``max`` every class selects its own
    configuration, with ``mean`` all classes share one.

    Args:
        results: Of a run, or without rows.
        item: The published table.
        as_published: Whether methods have the errors of the original.
    """
    every, protocol = outcomes_of(results), PROTOCOLS[item]
    every = every.as_published() if as_published else every
    outcomes = with_all_classes(every)
    some = every if item in CLASS_ITEMS else outcomes
    other: Protocol = "mean" if protocol == "max" else "max"
    beside, printed = outcomes.chosen(other), image_cells(OTHER[item])
    lines = []
    for (images, _, method), published in image_cells(item).items():
        second = beside.get((images, method))
        labels = {
            "images": images,
            "method": method,
            f"ours, {other}": "–" if second is None else fixed(second.value, 3),
            f"published, {other}": fixed(printed[images, "", method], 2),
        }
        groups = some.single.get((images, method), ()), some.defect_rows.get((images, method), ())
        lines.append(_line(labels, *groups, published, item))
    return lines + _overall(outcomes, item, other)


def _line(
    labels: Mapping[str, str], rows: Sequence[Row], defective: Sequence[Row], published: float, item: Item
) -> PublishedComparison:
    """Compare a mean over classes; if the run has not all of them, with the published mean over the same ones.

    It has an interval where the published values of the classes are printed: that of the mean difference over classes.
    """
    images, method, classes, note = labels["images"], labels["method"], by_class(rows), ""
    if len(classes) < FEWEST_CLASSES:
        return missing(labels, published)
    if len(classes) < CLASSES:
        published = fmean(image_cells(CLASS_ITEMS[item])[images, name, method] for name in classes)
        note = f"both over the {len(classes)} classes of the run"
    if PROTOCOLS[item] != "max":
        return image_line(labels, rows, defective, _shared, published, note)
    cells = image_cells(CLASS_ITEMS[item])
    apart = [largest(some) - cells[images, name, method] for name, some in classes.items()]
    return image_line(labels, rows, defective, largest, published, note, half=of_paired_mean(apart))


def _shared(rows: Sequence[Row]) -> float:
    return mean_protocol(exclude_partial_failures(rows, "auc")).value


def _overall(outcomes: ComparisonResults, item: Item, other: Protocol) -> list[PublishedComparison]:
    """Compare deviations, each a mean over image sets, and mean ranks with both protocols where they are printed."""
    chosen, lines = outcomes.chosen(PROTOCOLS[item]), []
    for quantity in ("sigma_1", "sigma_10"):
        for method, published in overall(item, quantity).items():
            known = {images: getattr(found, quantity) for (images, name), found in chosen.items() if name == method}
            lines.append(_deviation({"images": quantity.replace("_", " "), "method": method}, known, published, item))
    lines += _mean_ranks(outcomes, item)
    blank = {f"ours, {other}": "–", f"published, {other}": "–"}
    return [replace(line, labels={**line.labels, **blank}) for line in lines]


def _deviation(
    labels: Mapping[str, str], known: Mapping[str, float], published: float, item: Item
) -> PublishedComparison:
    """Compare a deviation; that over classes follows from the values of the classes where they are printed."""
    if not known:
        return compared(labels, None, published, "deviation")
    ours, note = fmean(known.values()), f"over {len(known)} image sets, published over 4"
    if labels["images"] == "sigma 1" and item in CLASS_ITEMS:
        published = fmean(_published_sigma(CLASS_ITEMS[item], images, labels["method"]) for images in known)
        note = f"both over the {len(known)} image sets of the run"
    return compared(labels, ours, published, "deviation", note=note, units=len(known))


def _mean_ranks(outcomes: ComparisonResults, item: Item) -> list[PublishedComparison]:
    lines = []
    for ranked in dict.fromkeys(row["protocol"] for row in rows_of(item, dataset=ALL, quantity="mean_rank")):
        cells = image_cells(item if ranked == PROTOCOLS[item] else OTHER[item])
        published = {(images, method): value for (images, _, method), value in cells.items()}
        protocol: Protocol = "max" if ranked == "max" else "mean"
        values, defective = (
            {place: found.value for place, found in each.chosen(protocol).items()}
            for each in (outcomes, outcomes.with_errors_only())
        )
        labels = {"images": f"mean rank, {ranked}"}
        lines += rank_lines(values, published, labels, "image sets", defective=defective) or [
            compared({**labels, "method": method}, None, value, "rank")
            for method, value in overall(item, "mean_rank", protocol=ranked).items()
        ]
    return lines


def _published_sigma(item: str, images: str, method: str) -> float:
    """Return the deviation over classes that follows from the published values of the classes."""
    return stdev(value for (name, _, other), value in image_cells(item).items() if (name, other) == (images, method))


def table_c1(results: RunResults) -> list[PublishedComparison]:
    """Compare the mean over classes by the seed of the split; one class is anomalous, each selects for itself."""
    outcomes = with_all_classes(outcomes_of(results))
    seeds = {
        seed: at_seed(outcomes, seed).chosen("max")
        for seed in {row["seed"][1] for rows in outcomes.single.values() for row in rows}
    }
    lines = []
    for row in rows_of("table_C1"):
        images, method = IMAGE_SETS[row["dataset"]], row["method"]
        labels = {"images": images, "method": method, "seed": row["seed"]}
        found = seeds.get(int(row["seed"]), {}).get((images, method))
        if found is None:
            lines.append(missing(labels, float(row["value"])))
            continue
        rows = at_seed(outcomes, int(row["seed"])).single[images, method]
        lines.append(image_line(labels, rows, (), largest, float(row["value"])))
    return lines


Place = tuple[str, str, str]
"""Image set, class and method."""


def class_table(
    results: RunResults, *, item: Literal["table_C5", "table_C6"], as_published: bool = False
) -> list[PublishedComparison]:
    """Compare the test AUC of each method on each class, every class with its own configuration.

    Args:
        results: Of a run, or without rows.
        item: The published table.
        as_published: Whether methods have the errors of the original.
    """
    outcomes = outcomes_of(results)
    outcomes = outcomes.as_published() if as_published else outcomes
    found, defective, printed = _by_class(outcomes.single), _by_class(outcomes.defect_rows), image_cells(item)
    ours, wrong = _largest(found), _largest(defective)
    lines = []
    for place, published in printed.items():
        images, name, method = place
        labels = {"images": images, "class": name, "method": method}
        if place in found:
            lines.append(image_line(labels, found[place], defective.get(place, ()), largest, published))
        else:
            lines.append(missing(labels, published))
    return lines + _class_overall(outcomes, item, _as_cells(ours), _as_cells(wrong), _as_cells(printed))


def _by_class(group: Mapping[tuple[str, str], Sequence[Row]]) -> dict[Place, list[Row]]:
    return {
        (images, name, method): rows
        for (images, method), all_rows in group.items()
        for name, rows in by_class(all_rows).items()
    }


def _largest(found: Mapping[Place, Sequence[Row]]) -> dict[Place, float]:
    return {place: largest(rows) for place, rows in found.items()}


def _as_cells(values: Mapping[Place, float]) -> Cells:
    """Return the values by class and method."""
    return {((images, name), method): value for (images, name, method), value in values.items()}


def _class_overall(
    outcomes: ComparisonResults, item: str, ours: Cells, defective: Cells, cells: Cells
) -> list[PublishedComparison]:
    chosen = with_all_classes(outcomes).chosen("max")
    lines = []
    for method, published in overall(item, "sigma_10").items():
        known = [found.sigma_10 for (_, name), found in chosen.items() if name == method]
        labels = {"images": "sigma 10", "class": "–", "method": method}
        value = sum(known) / len(known) if known else None
        lines.append(compared(labels, value, published, "deviation"))
    labels = {"images": "mean rank", "class": "–"}
    return lines + (
        rank_lines(ours, cells, labels, "classes", defective=defective)
        or [
            compared({**labels, "method": method}, None, value, "rank")
            for method, value in overall(item, "mean_rank").items()
        ]
    )


def figure_c3(results: RunResults) -> list[PublishedComparison]:
    """Compare the AUC of methods trained on the airplanes of CIFAR10."""
    outcomes = outcomes_of(results)
    lines = []
    for row in rows_of("figure_C3"):
        images, name, method = IMAGE_SETS[row["dataset"]], class_name(row["class"]), row["method"]
        labels = {"images": images, "class": name, "method": method}
        rows = by_class(outcomes.single.get((images, method), [])).get(name)
        if method == BLUE_PIXELS:
            value = blue_pixel_auc_at_hand(images, name)
            lines.append(compared(labels, value, float(row["value"]), note=BLUE_NOTE))
        elif rows:
            lines.append(compared(labels, largest(rows), float(row["value"])))
        else:
            lines.append(missing(labels, float(row["value"])))
    return lines


def table_c4(results: RunResults, *, setting: Leave) -> list[PublishedComparison]:
    """Compare how many configurations are among the ten best of every class.

    Args:
        results: Of a run, or without rows.
        setting: Which classes are anomalous.
    """
    outcomes = with_all_classes(outcomes_of(results))
    lines = []
    for row in rows_of("table_C4", setting=setting):
        images, method, published = IMAGE_SETS[row["dataset"]], row["method"], float(row["value"])
        labels = {"setting": setting, "images": images, "method": method}
        rows = outcomes.single.get((images, method))
        if rows is None:
            lines.append(missing(labels, published, "place"))
            continue
        lines.append(compared(labels, common_configurations(rows), published, "place"))
    return lines


def common_configurations(rows: Sequence[Row]) -> float:
    """Return how many configurations are among the ten with the best validation AUC of every class.

    Example:
        >>> rows = [
        ...     {"variant": name, "configuration": configuration, "validation_auc": value}
        ...     for name in ("cat", "dog")
        ...     for configuration, value in (("A", 0.9), ("B", 0.8))
        ... ]
        >>> common_configurations(rows)
        2.0
    """
    best = []
    for found in by_class(rows).values():
        known = [row for row in found if row["validation_auc"] == row["validation_auc"]]
        order = sorted(known, key=lambda row: -row["validation_auc"])
        best.append({row["configuration"] for row in order[:BEST]})
    return float(len(set.intersection(*best))) if best else 0.0
