"""Rows of a table of scene metrics: which frames and elements each of them is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from offnominal.core.errors import InvalidScores
from offnominal.datasets.scenes.held_out import HeldOut
from offnominal.evaluation.scenes.elements import Unit
from offnominal.evaluation.scenes.score_pool import ScorePool
from offnominal.evaluation.scenes.scored_scenes import ElementScores, ScoredFrame

SIZES = ("tiny", "small", "medium", "big", "huge")
VISIBLE_EDGES = (0.25, 0.5, 0.75)


@dataclass(frozen=True, eq=False)
class Row:
    """A row of a table.

    Args:
        group: What distinguishes the rows of a group: ``"published"``, ``"range"``, ``"visible"``, ``"town"``,
            ``"weather"``, ``"domain"`` or ``"temporal"``.
        name: Name within the group.
        frames: Its frames.
        range: Number of the range of its elements; None for all.
    """

    group: str
    name: str
    frames: tuple[ScoredFrame, ...]
    range: int | None = None

    def pool(self, unit: Unit) -> ScorePool:
        """Return the scores of its elements by scenario."""
        owners = self.scenarios
        positives: list[list[np.ndarray]] = [[] for _ in owners]
        negatives: list[list[np.ndarray]] = [[] for _ in owners]
        for frame in self.frames:
            if unit not in frame.elements:
                raise InvalidScores(f"a frame of {frame.scenario} has no scores of unit {unit!r}; collect them first.")
            found, owner = frame.elements[unit], owners.index(frame.scenario)
            positives[owner].append(_within(found.positives, found.positive_ranges, self.range))
            negatives[owner].append(_within(found.negatives, found.negative_ranges, self.range))
        return ScorePool.of(positives, negatives)

    @property
    def scenarios(self) -> list[str]:
        """Ids of its scenarios."""
        return list(dict.fromkeys(frame.scenario for frame in self.frames))

    def by_scenario(self, unit: Unit) -> list[list[ElementScores]]:
        """Return the scores of its frames by scenario."""
        return [[f.elements[unit] for f in self.frames if f.scenario == scenario] for scenario in self.scenarios]


def _within(scores: np.ndarray, ranges: np.ndarray, chosen: int | None) -> np.ndarray:
    return scores if chosen is None else scores[ranges == chosen]


def rows_of(
    frames: Sequence[ScoredFrame], unit: Unit, *, range_edges: Sequence[float] = (), held_out: HeldOut | None = None
) -> Iterator[Row]:
    """Yield all rows that have frames.

    ``default`` has the frames of content anomalies in which the anomaly is visible to the scored sensors. ``+norm`` has
    all frames of scenes with content anomalies and without anomalies. The rows of sizes, ranges, visible fractions,
    towns and weathers divide ``default``. ``temporal`` has frames in which a temporal anomaly is active and visible.

    Args:
        frames: Scored frames.
        unit: Unit whose elements decide whether an anomaly is visible.
        range_edges: Distances between ranges, m.
        held_out: Towns and weathers that were held out of training, for the rows of domains.
    """
    default = [frame for frame in frames if frame.kind == "content" and _visible(frame, unit)]
    rows = [
        Row("published", "default", tuple(default)),
        Row("published", "+norm", tuple(frame for frame in frames if frame.kind != "temporal")),
    ]
    rows += [Row("published", size, tuple(frame for frame in default if frame.size == size)) for size in SIZES]
    temporal = tuple(frame for frame in frames if frame.kind == "temporal" and frame.active and _visible(frame, unit))
    rows.append(Row("temporal", "temporal", temporal))
    rows += [Row("range", name, tuple(default), k) for k, name in enumerate(range_names(range_edges))]
    rows += _visible_rows(default)
    for group in ("town", "weather"):
        for name in sorted({getattr(frame, group) for frame in default}):
            rows.append(Row(group, name, tuple(frame for frame in default if getattr(frame, group) == name)))
    if held_out is not None:
        rows += _domain_rows(default, held_out)
    yield from (row for row in rows if row.frames)


def _visible(frame: ScoredFrame, unit: Unit) -> bool:
    return bool(len(frame.elements[unit].positives))


def range_names(edges: Sequence[float]) -> list[str]:
    """Return the names of ranges.

    Example:
        >>> range_names((10.0, 20.0))
        ['0-10 m', '10-20 m', '> 20 m']
    """
    if not edges:
        return []
    lows = [0.0, *edges[:-1]]
    return [*(f"{low:g}-{high:g} m" for low, high in zip(lows, edges, strict=True)), f"> {edges[-1]:g} m"]


def _visible_rows(frames: Sequence[ScoredFrame]) -> Iterator[Row]:
    """Yield rows by the visible area of the anomaly as a fraction of the largest one in its scenario."""
    largest: dict[str, float] = {}
    for frame in frames:
        largest[frame.scenario] = max(largest.get(frame.scenario, 0.0), frame.area)
    shares = [frame.area / largest[frame.scenario] if largest[frame.scenario] else 1.0 for frame in frames]
    parts = np.searchsorted(VISIBLE_EDGES, shares, side="left")
    edges = (0.0, *VISIBLE_EDGES, 1.0)
    for k in range(len(edges) - 1):
        chosen = tuple(frame for frame, part in zip(frames, parts, strict=True) if part == k)
        yield Row("visible", f"{100 * edges[k]:g}-{100 * edges[k + 1]:g} %", chosen)


def _domain_rows(frames: Sequence[ScoredFrame], held_out: HeldOut) -> Iterator[Row]:
    known = [frame for frame in frames if not held_out.contains(frame.town, frame.weather)]
    yield Row("domain", "known", tuple(known))
    yield Row("domain", "held-out town", tuple(frame for frame in frames if frame.town in held_out.towns))
    yield Row("domain", "held-out weather", tuple(frame for frame in frames if frame.weather in held_out.weathers))
