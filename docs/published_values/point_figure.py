"""Figures of values in rows: points with intervals, as text in SVG."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from offnominal.core.plot_style import SERIES

WIDTH, LEFT, RIGHT, LINE, LEGEND_LINE = 640, 215, 12, 21, 22
SHAPES = ("circle", "diamond", "square")


class Point(NamedTuple):
    """A value of a row.

    Args:
        series: Name of its series.
        value: The value.
        low: Lower end of its line; None without one.
        high: Upper end.
    """

    series: str
    value: float
    low: float | None = None
    high: float | None = None


class PointFigure(NamedTuple):
    """A figure with a row of points for every label.

    Args:
        title: What it shows, for those who cannot see it.
        axis: Name of the axis.
        ticks: Values with a label on the axis; the first and the last one are its ends.
        rows: Points by label, in groups; a group without a name has no heading.
        series: What each series is, with its line.
        reference: Value with a line through all rows; None without one.
    """

    title: str
    axis: str
    ticks: Sequence[float]
    rows: Mapping[str, Mapping[str, Sequence[Point]]]
    series: Mapping[str, str]
    reference: float | None = None

    def svg(self, ink: str, rule: str) -> str:
        """Return the figure.

        Args:
            ink: Colour of the text.
            rule: Colour of the lines behind the points.
        """
        top = len(self.series) * LEGEND_LINE + 12.0
        shapes, y = list(self._legend()), top
        for name, rows in self.rows.items():
            if name:
                shapes.append(f'<text x="0" y="{y + 15:g}" font-weight="bold">{escape(name)}</text>')
                y += LINE
            for label, points in rows.items():
                shapes += self._row(label, points, y)
                y += LINE
            y += 6
        height = y + 46
        text = "\n".join([*self._axis(top, y, ink, rule), *shapes])
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" '
            f'height="{height:g}" role="img" font-family="system-ui, sans-serif" font-size="14" fill="{ink}">\n'
            f"<title>{escape(self.title)}</title>\n{text}\n</svg>\n"
        )

    def _x(self, value: float) -> float:
        """Return the place of a value; one beyond the axis is at its end."""
        low, high = self.ticks[0], self.ticks[-1]
        share = (min(max(value, low), high) - low) / (high - low)
        return LEFT + 10 + share * (WIDTH - RIGHT - LEFT - 20)

    def _legend(self) -> Iterator[str]:
        for index, (name, meaning) in enumerate(self.series.items()):
            y = index * LEGEND_LINE + 10
            yield _mark(index, 8.0, float(y))
            yield f'<text x="22" y="{y + 5}"><tspan font-weight="bold">{escape(name)}</tspan>: {escape(meaning)}</text>'

    def _axis(self, top: float, bottom: float, ink: str, rule: str) -> Iterator[str]:
        for tick in self.ticks:
            x = self._x(tick)
            yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:g}" y2="{bottom:g}" stroke="{rule}"/>'
            text = f"{tick:g}".replace("-", "−")
            yield f'<text x="{x:.1f}" y="{bottom + 16:g}" text-anchor="middle" font-size="12">{text}</text>'
        if self.reference is not None:
            x = self._x(self.reference)
            yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:g}" y2="{bottom:g}" stroke="{ink}" opacity="0.6"/>'
        middle = (self._x(self.ticks[0]) + self._x(self.ticks[-1])) / 2
        yield f'<text x="{middle:.1f}" y="{bottom + 36:g}" text-anchor="middle">{escape(self.axis)}</text>'

    def _row(self, label: str, points: Iterable[Point], y: float) -> Iterator[str]:
        """Yield a label and its points; those of several series are a little apart."""
        names = list(self.series)
        yield f'<text x="{LEFT}" y="{y + 15:g}" text-anchor="end">{escape(label)}</text>'
        for point in points:
            index = names.index(point.series)
            place = y + 10 + (index - (len(names) - 1) / 2) * 4
            if point.low is not None and point.high is not None:
                ends = f'x1="{self._x(point.low):.1f}" x2="{self._x(point.high):.1f}"'
                yield f'<line {ends} y1="{place:g}" y2="{place:g}" stroke="{SERIES[index]}" stroke-width="2"/>'
            yield _mark(index, self._x(point.value), place, _tip(point))


def _tip(point: Point) -> str:
    ends = "" if point.low is None else f" [{point.low:.3f}, {point.high:.3f}]"
    return f"{point.series}: {point.value:.3f}{ends}"


def _mark(index: int, x: float, y: float, tip: str = "") -> str:
    """Return the mark of a series."""
    colour, title = SERIES[index], f"<title>{escape(tip)}</title>" if tip else ""
    match SHAPES[index]:
        case "circle":
            return f'<circle cx="{x:.1f}" cy="{y:g}" r="4" fill="{colour}">{title}</circle>'
        case "diamond":
            path = f"M{x:.1f} {y - 5:g}l5 5l-5 5l-5 -5z"
            return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2">{title}</path>'
        case _:
            place = f'x="{x - 3.5:.1f}" y="{y - 3.5:g}" width="7" height="7"'
            return f'<rect {place} fill="{colour}">{title}</rect>'
