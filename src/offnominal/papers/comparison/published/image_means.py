"""Tables VI, VII and C.1 to C.3: test AUC on images, mean over classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Literal

from offnominal.papers.comparison.published.comparison_lines import compared, outcomes_of
from offnominal.papers.comparison.published.image_rows import (
    CLASSES,
    by_class,
    image_line,
    largest,
    missing,
    with_all_classes,
)
from offnominal.papers.comparison.published.printed_cells import ALL, IMAGE_SETS, image_cells, overall, rows_of
from offnominal.papers.comparison.published.rank_rows import rank_lines
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults, Protocol
from offnominal.papers.comparison.selection.pools import at_seed
from offnominal.papers.comparison.selection.protocols import Row, mean_protocol
from offnominal.papers.comparison.selection.repetitions import exclude_partial_failures
from offnominal.studies.published_comparison import PublishedComparison
from offnominal.studies.results import RunResults

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
            f"ours, {other}": "–" if second is None else f"{second.value:.3f}",
            f"published, {other}": f"{printed[images, '', method]:.2f}",
        }
        groups = some.single.get((images, method), ()), some.defect_rows.get((images, method), ())
        lines.append(_line(labels, *groups, published, item))
    return lines + _overall(outcomes, item, other)


def _line(
    labels: Mapping[str, str], rows: Sequence[Row], defective: Sequence[Row], published: float, item: Item
) -> PublishedComparison:
    """Compare a mean over classes; if the run has not all of them, with the published mean over the same ones."""
    images, method, classes, note = labels["images"], labels["method"], list(by_class(rows)), ""
    if len(classes) < FEWEST_CLASSES:
        return missing(labels, published)
    if len(classes) < CLASSES:
        published = fmean(image_cells(CLASS_ITEMS[item])[images, name, method] for name in classes)
        note = f"both over the {len(classes)} classes of the run"
    select = largest if PROTOCOLS[item] == "max" else _shared
    return image_line(labels, rows, defective, select, published, note)


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
