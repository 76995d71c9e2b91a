"""The figures of the page: the outcomes of every published table, and the distribution of differences."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from itertools import groupby

import numpy as np

from offnominal.core.plot_style import GREY, INK, RULE, SERIES
from offnominal.studies.published_comparison import OUTCOMES, Outcome
from published_values.differences import Difference, differences
from published_values.measured_table import MeasuredTable

COLOURS: dict[Outcome, str] = {
    "reproduced closely": SERIES[0],
    "reproduced": SERIES[5],
    "inconclusive": SERIES[4],
    "no interval": GREY,
    "explained": SERIES[2],
    "differs": SERIES[1],
    "flawed": SERIES[6],
}
MODES = {"light": (INK, RULE), "dark": ("#d6d9de", "#3a414b")}
"""Colours of text and of values without a result, on a light and on a dark page."""
WIDTH, LEFT, BAR, GAP, LINE = 640, 105, 480, 1.5, 23
LEGEND_STEP, PER_LINE = 165, 4
BINS = np.linspace(-10.0, 10.0, 41)
"""Ends of the bins of differences, in margins; the outermost bins have all that is beyond."""
PANEL, BETWEEN = 78, 40
"""Height of the panel of a paper in pixels, and of the space below."""


def outcome_figure(tables: list[MeasuredTable], ink: str, not_run: str) -> str:
    """Return an SVG with the share of each outcome in every table of measured results with values of ours.

    Args:
        tables: The tables.
        ink: Colour of the text.
        not_run: Colour of values without a result.
    """
    colours = {**COLOURS, "not run": not_run}
    shown = [table for table in tables if table.kind == "measured" and table.counts.compared]
    present = [outcome for outcome in OUTCOMES if any(table.counts[outcome] for table in shown)]
    shapes, y = _legend(present, colours)
    for id, group in groupby(shown, lambda table: table.score.paper):
        shapes.append(f'<text x="0" y="{y + 14:g}" font-weight="bold">{escape(id)}</text>')
        y += LINE
        for table in group:
            shapes += _bar(table, y, colours)
            y += LINE
        y += LINE / 3
    return _svg("Share of each outcome among the measured results of a table", shapes, y, ink)


def difference_figure(tables: list[MeasuredTable], ink: str, rule: str) -> str:
    """Return an SVG with the distribution of the differences of each paper, in margins.

    Args:
        tables: The tables.
        ink: Colour of the text.
        rule: Colour of lines.
    """
    found = differences(tables)
    outcomes = [outcome for outcome in COLOURS if any(each.outcome == outcome for each in found)]
    shapes, y = _legend(outcomes, COLOURS)
    for id, group in groupby(found, lambda each: each.paper):
        shapes += _panel(id, list(group), y, outcomes, rule)
        y += PANEL + BETWEEN
    axis = "ours − published, in margins (1 is 0.05 for shares)"
    shapes.append(f'<text x="{WIDTH / 2}" y="{y + 4:g}" text-anchor="middle">{axis}</text>')
    return _svg("Distribution of the differences between our results and the published ones", shapes, y + 14, ink)


def _panel(id: str, found: list[Difference], top: float, outcomes: Iterable[Outcome], rule: str) -> Iterator[str]:
    """Yield the histogram of a paper: the number of values in each bin, by outcome."""
    width, base = WIDTH / (len(BINS) - 1), top + PANEL
    counts = {
        outcome: np.histogram(np.clip([each.margins for each in found if each.outcome == outcome], -9.99, 9.99), BINS)[
            0
        ]
        for outcome in outcomes
    }
    tallest = max(int(sum(counts.values()).max()), 1)  # type: ignore[union-attr]
    yield f'<text x="0" y="{top + 12:g}" font-weight="bold">{escape(id)}</text>'
    yield f'<text x="{WIDTH}" y="{top + 12:g}" text-anchor="end">{len(found):,} values, up to {tallest} per bar</text>'
    left, right = (WIDTH / 2 + side * WIDTH / (BINS[-1] - BINS[0]) for side in (-1.0, 1.0))
    band = f'x="{left:.1f}" y="{top + 18:g}" width="{right - left:.1f}" height="{PANEL - 18}"'
    yield f'<rect {band} fill="{rule}" fill-opacity="0.45"/>'
    for index in range(len(BINS) - 1):
        y = float(base)
        for outcome, number in counts.items():
            height = (PANEL - 20) * int(number[index]) / tallest
            if height:
                y -= height
                tip = f"<title>{number[index]} {outcome}</title>"
                place = f'x="{index * width + 0.5:.1f}" y="{y:.2f}" width="{width - 1:.1f}" height="{height:.2f}"'
                yield f'<rect {place} fill="{COLOURS[outcome]}">{tip}</rect>'
    yield f'<line x1="0" x2="{WIDTH}" y1="{base:g}" y2="{base:g}" stroke="{rule}"/>'
    for tick in (-10, -5, -1, 1, 5, 10):
        x = WIDTH / 2 + tick * WIDTH / (BINS[-1] - BINS[0])
        anchor = {-10: "start", 10: "end"}.get(tick, "middle")
        text = f"{tick:+d}".replace("-", "−") + {-10: " or less", 10: " or more"}.get(tick, "")
        yield f'<text x="{x:.1f}" y="{base + 15:g}" text-anchor="{anchor}" font-size="12">{text}</text>'


def _legend(outcomes: Iterable[Outcome], colours: Mapping[Outcome, str]) -> tuple[list[str], float]:
    """Return the names of outcomes with their colours, and where the figure goes on below."""
    shapes, number = [], 0
    for number, outcome in enumerate(outcomes):
        x, y = number % PER_LINE * LEGEND_STEP, number // PER_LINE * LINE
        shapes += [f'<rect x="{x}" y="{y + 4}" width="12" height="12" rx="2" fill="{colours[outcome]}"/>']
        shapes += [f'<text x="{x + 17}" y="{y + 15}">{outcome}</text>']
    return shapes, (number // PER_LINE + 1) * LINE + 12.0


def _svg(title: str, shapes: Iterable[str], height: float, ink: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="15" fill="{ink}">\n'
        f"<title>{title}</title>\n" + "\n".join(shapes) + "\n</svg>\n"
    )


def _bar(table: MeasuredTable, y: float, colours: Mapping[Outcome, str]) -> Iterator[str]:
    """Yield the label, the segments and the number of values of one table."""
    counts = table.counts
    yield f'<text x="{LEFT - 10}" y="{y + 14:g}" text-anchor="end">{escape(table.score.label)}</text>'
    x = float(LEFT)
    for outcome, count in zip(OUTCOMES, counts.counts, strict=True):
        width = BAR * count / counts.values
        if count:
            drawn = max(width - GAP, 0.6)
            tip = f"<title>{count} {outcome}</title>"
            yield f'<rect x="{x:.1f}" y="{y:g}" width="{drawn:.1f}" height="17" fill="{colours[outcome]}">{tip}</rect>'
        x += width
    yield f'<text x="{WIDTH}" y="{y + 14:g}" text-anchor="end">{counts.values:,}</text>'
