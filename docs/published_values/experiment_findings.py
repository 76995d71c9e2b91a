"""The figures of the experiments on differences from the published numbers of Anomaly-Gym."""

from collections.abc import Mapping
from statistics import fmean, quantiles

from offnominal.papers.controls import controls
from published_values import pivots
from published_values.finding_points import OURS, PUBLISHED, SHARES, table
from published_values.point_figure import Point, PointFigure
from published_values.rows import Row

DISTANCES = (0.0, 0.05, 0.1, 0.15, 0.2)
AFTER = "with the change"
OF_VECTORS = {
    "public-code-strengths": "errors and strengths of the public code",
    "exceptions": "the same, and a random observation after exceptions",
    "strengths": "published strengths alone (scale laptop)",
}
"""Experiments with errors and strengths of the public code on all metrics of Table 12."""
OF_IMAGES = {
    "image-training": "published number of updates",
    "image-public-code": "the same, errors and strengths of the public code",
    "public-code-strengths": "errors and strengths of the public code",
}
"""Experiments on Table 13."""
IMAGE_DETECTORS = ("LDM", "LRDM", "AE-Pred", "PredNet", "RSSM-PPM")
NAMES = {
    "public-code": "errors of the code",
    "public-code-strengths": "errors and strengths",
    "exceptions": "errors and exceptions",
    "image-public-code": "images: errors, training",
    "image-training": "images: training",
    "training": "longer training",
    "strengths": "strengths",
    "retrained": "policies as published",
    "neutral": "six faults without effect",
    "policy-scripted": "scripted policies",
    "policy-sac": "policies of SAC",
    "policy-td3": "policies of TD3",
}
"""What each experiment changed."""
Place = tuple[str, str, str]


def public_code() -> PointFigure:
    """Return the mean distance from the published numbers of each world, before and after each experiment."""
    found: dict[str, dict[str, list[Point]]] = {}
    for experiment, title in OF_VECTORS.items():
        before, after = (pivots.distances(experiment, column) for column in ("before", "after"))
        found[title] = {
            _short(world): [Point(OURS, fmean(before[world])), Point(AFTER, fmean(after[world]))]
            for world in sorted(before)
        }
    series = {OURS: "before, without an interval", AFTER: "after the experiment, likewise"}
    axis = "mean distance from the published numbers, all metrics"
    return PointFigure("Distance from the published numbers", axis, DISTANCES, found, series)


def explained() -> PointFigure:
    """Return the share of differences that each experiment brings to *reproduced*, and that with exchanged values."""
    shown, chance = "with the published values", "with exchanged ones"
    rows: dict[str, list[Point]] = {}
    for each in (each for each in controls("anomaly-gym") if each.differing):
        points = [Point(shown, each.share)]
        if len(each.by_chance) > 1:
            cuts = quantiles(each.by_chance, n=40)
            points.append(Point(chance, fmean(each.by_chance), cuts[0], cuts[-1]))
        rows[f"{NAMES[each.cause]} ({each.differing})"] = points
    series = {
        shown: "in brackets the number of differences",
        chance: "mean; the line has 95 % of the exchanges",
    }
    title = "Differences that an experiment brings to reproduced"
    return PointFigure(title, "share of the differences", (0.0, 0.1, 0.2, 0.3, 0.4), {"": rows}, series)


def neutral() -> PointFigure:
    """Return mean local AUROC by world with the six faults of unknown strength, and without any effect of them."""
    without, with_ours = _local("neutral", "after"), _local("public-code-strengths", "after")
    series = {
        "with our strengths": "errors and other strengths as published",
        "without any effect": "of drift, temporal noise, quantisation and delay",
        PUBLISHED: "as printed",
    }
    return _means("Local AUROC with faults of unknown strength", (with_ours, without, _printed()), series)


def training() -> PointFigure:
    """Return mean local AUROC by detector after at most 25 epochs and after the published training."""
    short, whole = _local("training", "before"), _local("training", "after")
    series = {
        "at most 25 epochs": "mean over the worlds that were run",
        "published training": "the same worlds",
        PUBLISHED: "the same worlds, as printed",
    }
    return _means("Local AUROC by length of training", (short, whole, _printed()), series, by=1)


def images() -> PointFigure:
    """Return local AUROC at *strong* of detectors of images before and after each experiment, and as published."""
    found: dict[str, dict[str, list[Point]]] = {}
    known = _printed("anomaly-gym-13-images")
    for experiment, title in OF_IMAGES.items():
        rows = {_place(row): row for row in pivots.evidence(experiment) if row["metric"] == "auroc"}
        for place, row in sorted(rows.items()):
            world, detector, level = place
            if level == "strong" and detector in IMAGE_DETECTORS and place in known:
                points = [_point(OURS, row, "before"), _point(AFTER, row, "after"), Point(PUBLISHED, known[place])]
                found.setdefault(title, {})[f"{detector}, {_short(world).removeprefix('MJC-')}"] = points
    series = {OURS: "with its 95 % interval", AFTER: "after the experiment, likewise", PUBLISHED: "as printed"}
    return PointFigure("Experiments on detectors of images", "local AUROC at strong", SHARES, found, series, 0.5)


def _means(title: str, values: tuple[Mapping[Place, float], ...], series: dict[str, str], by: int = 0) -> PointFigure:
    """Return means of several sets of values over the places that all of them have.

    Args:
        title: Title of the figure.
        values: Local AUROC by world, detector and level, for each series.
        series: What each of them is.
        by: Part of a place that names a row.
    """
    shared = set.intersection(*map(set, values))
    found = {
        level: {
            _short(name): [
                Point(one, fmean(each[place] for place in shared if (place[by], place[2]) == (name, level)))
                for one, each in zip(series, values, strict=True)
            ]
            for name in sorted({place[by] for place in shared})
        }
        for level in pivots.LEVELS
    }
    return PointFigure(title, "mean local AUROC", SHARES, found, series, 0.5)


def _local(experiment: str, column: str) -> dict[Place, float]:
    """Return local AUROC of an experiment by world, detector and level."""
    rows = [row for row in pivots.evidence(experiment) if row["metric"] == "auroc"]
    return {_place(row): float(row[column]) for row in rows if row[column] and row["detector"] not in IMAGE_DETECTORS}


def _printed(name: str = "anomaly-gym-12") -> dict[Place, float]:
    rows = [row for row in table(name) if row["metric"] == "AUROC"]
    return {_place(row): float(row["published"]) for row in rows if row["published"]}


def _place(row: Row) -> Place:
    return row["world"], row["detector"], row["level"]


def _point(series: str, row: Row, column: str) -> Point:
    ends = (float(row[f"{column}_{end}"]) if row[f"{column}_{end}"] else None for end in ("low", "high"))
    return Point(series, float(row[column]), *ends)


def _short(world: str) -> str:
    return world.removesuffix("-v0")
