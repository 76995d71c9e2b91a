"""The figure of the page: the share of each outcome in every published table."""

from collections.abc import Iterator, Mapping
from html import escape
from itertools import groupby

from offnominal.core.plot_style import INK, RULE, SERIES
from offnominal.studies.published_comparison import OUTCOMES, Outcome
from published_values.measured_table import MeasuredTable

COLOURS = dict(zip(OUTCOMES, (SERIES[0], SERIES[5], SERIES[4], SERIES[1]), strict=False))
MODES = {"light": (INK, RULE), "dark": ("#d6d9de", "#3a414b")}
"""Colours of text and of values without a result, on a light and on a dark page."""
WIDTH, LEFT, BAR, GAP, LINE = 560, 105, 400, 1.5, 23
LEGEND = (0, 80, 150, 256, 380)
"""Sizes of the figure in pixels: places of bars and of the names of outcomes."""


def figure(tables: list[MeasuredTable], ink: str, not_run: str) -> str:
    """Return an SVG with the share of each outcome in every table with values of ours.

    Args:
        tables: The tables.
        ink: Colour of the text.
        not_run: Colour of values without a result.
    """
    colours = {**COLOURS, "not run": not_run}
    shapes: list[str] = []
    for x, outcome in zip(LEGEND, OUTCOMES, strict=True):
        shapes += [f'<rect x="{x}" y="4" width="12" height="12" rx="2" fill="{colours[outcome]}"/>']
        shapes += [f'<text x="{x + 17}" y="15">{outcome}</text>']
    y = 34.0
    for id, group in groupby((table for table in tables if table.counts.compared), lambda table: table.score.paper):
        shapes.append(f'<text x="0" y="{y + 14:g}" font-weight="bold">{escape(id)}</text>')
        y += LINE
        for table in group:
            shapes += _bar(table, y, colours)
            y += LINE
        y += LINE / 3
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:g}" width="{WIDTH}" height="{y:g}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="15" fill="{ink}">\n'
        f"<title>Share of each outcome among the published values of a table</title>\n"
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


def _bar(table: MeasuredTable, y: float, colours: Mapping[Outcome, str]) -> Iterator[str]:
    """Yield the label, the segments and the number of values of one table."""
    counts = table.counts
    yield f'<text x="{LEFT - 10}" y="{y + 14:g}" text-anchor="end">{escape(table.score.label)}</text>'
    x = float(LEFT)
    for outcome, count in zip(OUTCOMES, counts.each(), strict=True):
        width = BAR * count / counts.values
        if count:
            drawn = max(width - GAP, 0.6)
            tip = f"<title>{count} {outcome}</title>"
            yield f'<rect x="{x:.1f}" y="{y:g}" width="{drawn:.1f}" height="17" fill="{colours[outcome]}">{tip}</rect>'
        x += width
    yield f'<text x="{WIDTH}" y="{y + 14:g}" text-anchor="end">{counts.values:,}</text>'
