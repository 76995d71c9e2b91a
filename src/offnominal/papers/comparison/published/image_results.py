"""Tables VI, VII and C.1 to C.6, and the table in Figure C.3: test AUC on images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev
from typing import Literal

from offnominal.papers.comparison.cells import Leave
from offnominal.papers.comparison.published.comparison_lines import DEVIATIONS, PLACES, compared, outcomes_of
from offnominal.papers.comparison.published.evidence import cause_of
from offnominal.papers.comparison.published.printed_cells import (
    ALL,
    IMAGE_SETS,
    class_name,
    image_cells,
    overall,
    rows_of,
)
from offnominal.papers.comparison.published.rank_rows import rank_lines
from offnominal.papers.comparison.search.image_search_spaces import image_methods
from offnominal.papers.comparison.selection.comparison_results import ComparisonResults, Protocol
from offnominal.papers.comparison.selection.pools import at_seed
from offnominal.papers.comparison.selection.protocols import BEST, Row, max_protocol, mean_protocol
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
CLASSES = 10
"""Number of classes of each image set."""
FEWEST_CLASSES = 5
"""Of a mean over some classes, where the values of the classes are printed."""
NO_METHOD = "not among our methods for images"


def mean_table(results: RunResults, *, item: Item) -> list[PublishedComparison]:
    """Compare the mean over classes of each method on each image set, its deviations and its mean ranks.

    Beside each value are ours and the published one with the other protocol: with ``max`` every class selects its own
    configuration, with ``mean`` all classes share one.

    Args:
        results: Of a run, or without rows.
        item: The published table.
    """
    outcomes, protocol = with_all_classes(outcomes_of(results)), PROTOCOLS[item]
    some = outcomes_of(results).single if item in CLASS_ITEMS else outcomes.single
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
        lines.append(_line(labels, some.get((images, method), ()), published, item))
    return lines + _overall(outcomes, item, other)


def _line(labels: Mapping[str, str], rows: Sequence[Row], published: float, item: Item) -> PublishedComparison:
    """Compare a mean over classes; if the run has not all of them, with the published mean over the same ones."""
    images, method, classes, note = labels["images"], labels["method"], list(_by_class(rows)), ""
    if len(classes) < FEWEST_CLASSES:
        return _missing(labels, published)
    if len(classes) < CLASSES:
        published = fmean(image_cells(CLASS_ITEMS[item])[images, name, method] for name in classes)
        note = f"both over the {len(classes)} classes of the run"
    setting = "leave-one-out" if item in ("table_VI", "table_C2") else "leave-one-in"
    select = _largest if PROTOCOLS[item] == "max" else _shared
    cause = cause_of(rows, select, published, searched=_searched(setting)[images, method])
    return compared(labels, select(rows), published, note=note, cause=cause)


def _missing(labels: Mapping[str, str], published: float) -> PublishedComparison:
    note = "" if labels["method"] in image_methods() else NO_METHOD
    return compared(labels, None, published, note=note)


def _largest(rows: Sequence[Row]) -> float:
    return max_protocol(rows).value


def _shared(rows: Sequence[Row]) -> float:
    return mean_protocol(exclude_partial_failures(rows, "auc")).value


def _searched(setting: str) -> dict[tuple[str, str], float]:
    """Return the published number of evaluated scores per class."""
    rows = rows_of("table_C8", setting=setting)
    return {(IMAGE_SETS[row["dataset"]], row["method"]): float(row["value"]) for row in rows}


def _overall(outcomes: ComparisonResults, item: Item, other: Protocol) -> list[PublishedComparison]:
    """Compare deviations, each a mean over image sets, and mean ranks with both protocols where they are printed."""
    protocol, blank = PROTOCOLS[item], {f"ours, {other}": "–", f"published, {other}": "–"}
    lines = []
    for quantity in ("sigma_1", "sigma_10"):
        chosen = outcomes.chosen(protocol)
        for method, published in overall(item, quantity).items():
            known = {images: getattr(found, quantity) for (images, name), found in chosen.items() if name == method}
            labels = {"images": quantity.replace("_", " "), "method": method, **blank}
            if quantity == "sigma_1" and item in CLASS_ITEMS and known:
                same = fmean(_published_sigma(CLASS_ITEMS[item], images, method) for images in known)
                note = f"both over the {len(known)} image sets of the run"
            else:
                same, note = published, f"over {len(known)} image sets, published over 4" if known else ""
            ours = fmean(known.values()) if known else None
            lines.append(compared(labels, ours, same, note=note, within=DEVIATIONS))
    for ranked in dict.fromkeys(row["protocol"] for row in rows_of(item, dataset=ALL, quantity="mean_rank")):
        cells = image_cells(item if ranked == protocol else OTHER[item])
        published_cells = {(images, method): value for (images, _, method), value in cells.items()}
        values = {place: found.value for place, found in outcomes.chosen("max" if ranked == "max" else "mean").items()}
        labels = {"images": f"mean rank, {ranked}"}
        ranks = rank_lines(values, published_cells, labels, "image sets") or [
            compared({**labels, "method": method}, None, value)
            for method, value in overall(item, "mean_rank", protocol=ranked).items()
        ]
        lines += [_with_labels(line, blank) for line in ranks]
    return lines


def _published_sigma(item: str, images: str, method: str) -> float:
    """Return the deviation over classes that follows from the published values of the classes."""
    return stdev(value for (name, _, other), value in image_cells(item).items() if (name, other) == (images, method))


def _with_labels(line: PublishedComparison, more: Mapping[str, str]) -> PublishedComparison:
    return replace(line, labels={**line.labels, **more})


def class_table(results: RunResults, *, item: Literal["table_C5", "table_C6"]) -> list[PublishedComparison]:
    """Compare the test AUC of each method on each class, every class with its own configuration.

    Args:
        results: Of a run, or without rows.
        item: The published table.
    """
    outcomes = outcomes_of(results)
    searched = _searched("leave-one-out" if item == "table_C5" else "leave-one-in")
    by_class = {
        (images, name, method): rows
        for (images, method), all_rows in outcomes.single.items()
        for name, rows in _by_class(all_rows).items()
    }
    values = {place: _largest(rows) for place, rows in by_class.items()}
    lines = []
    for place, published in image_cells(item).items():
        images, name, method = place
        labels = {"images": images, "class": name, "method": method}
        if place in by_class:
            cause = cause_of(by_class[place], _largest, published, searched=searched[images, method])
            lines.append(compared(labels, values[place], published, cause=cause))
        else:
            lines.append(_missing(labels, published))
    cells = {((images, name), method): value for (images, name, method), value in image_cells(item).items()}
    ours = {((images, name), method): value for (images, name, method), value in values.items()}
    return lines + _class_overall(outcomes, item, ours, cells)


def _class_overall(
    outcomes: ComparisonResults,
    item: str,
    ours: Mapping[tuple[tuple[str, str], str], float],
    cells: Mapping[tuple[tuple[str, str], str], float],
) -> list[PublishedComparison]:
    chosen = with_all_classes(outcomes).chosen("max")
    lines = []
    for method, published in overall(item, "sigma_10").items():
        known = [found.sigma_10 for (_, name), found in chosen.items() if name == method]
        labels = {"images": "sigma 10", "class": "–", "method": method}
        value = sum(known) / len(known) if known else None
        lines.append(compared(labels, value, published, within=DEVIATIONS))
    labels = {"images": "mean rank", "class": "–"}
    return lines + (
        rank_lines(ours, cells, labels, "classes")
        or [compared({**labels, "method": method}, None, value) for method, value in overall(item, "mean_rank").items()]
    )


def with_all_classes(outcomes: ComparisonResults) -> ComparisonResults:
    """Return the results of image sets of which the run has every class: published values are means over ten.

    Args:
        outcomes: Of a run.
    """
    whole = {place: rows for place, rows in outcomes.single.items() if len(_by_class(rows)) == CLASSES}
    return replace(outcomes, single=whole)


def _by_class(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("variant"):
            found.setdefault(row["variant"], []).append(row)
    return found


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
            lines.append(_missing(labels, float(row["value"])))
            continue
        searched = _searched("leave-one-out")[images, method]
        rows = at_seed(outcomes, int(row["seed"])).single[images, method]
        cause = cause_of(rows, _largest, float(row["value"]), searched=searched)
        lines.append(compared(labels, found.value, float(row["value"]), cause=cause))
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
            lines.append(_missing(labels, published))
            continue
        cause = cause_of(rows, common_configurations, published, searched=_searched(setting)[images, method])
        ours = common_configurations(rows)
        lines.append(compared(labels, ours, published, cause=cause, within=PLACES))
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
    for found in _by_class(rows).values():
        known = [row for row in found if row["validation_auc"] == row["validation_auc"]]
        order = sorted(known, key=lambda row: -row["validation_auc"])
        best.append({row["configuration"] for row in order[:BEST]})
    return float(len(set.intersection(*best))) if best else 0.0


def figure_c3(results: RunResults) -> list[PublishedComparison]:
    """Compare the AUC of methods trained on the airplanes of CIFAR10."""
    outcomes = outcomes_of(results)
    lines = []
    for row in rows_of("figure_C3"):
        images, name, method = IMAGE_SETS[row["dataset"]], class_name(row["class"]), row["method"]
        labels = {"images": images, "class": name, "method": method}
        rows = _by_class(outcomes.single.get((images, method), [])).get(name)
        if rows:
            lines.append(compared(labels, _largest(rows), float(row["value"])))
        else:
            lines.append(_missing(labels, float(row["value"])))
    return lines
