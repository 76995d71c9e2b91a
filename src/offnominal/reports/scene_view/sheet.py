"""Composition of panels into a sheet: title, one block per frame, and a legend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from offnominal.reports.scene_view.frame_drawing import Panel
from offnominal.reports.scene_view.pillow_font import font_of
from offnominal.reports.scene_view.score_views import OUTCOMES, TRUTH, ScoreScale, ramp_colours
from offnominal.reports.scene_view.top_view import Image
from offnominal.worlds.road.labels import Label

if TYPE_CHECKING:
    from PIL.Image import Image as Page
    from PIL.ImageDraw import ImageDraw

GAP, MARGIN, BAR = 6, 12, 4
TITLE, HEADING, CAPTION = 17, 13, 11
INK, FAINT = (24, 26, 31), (104, 110, 120)
SWATCH, RAMP_WIDTH = 11, 70


@dataclass(frozen=True, eq=False)
class PanelRow:
    """Panels next to each other, of one height.

    Args:
        name: Name of the detector; empty for sensors and truth.
        panels: The panels.
    """

    name: str
    panels: Sequence[Panel]


@dataclass(frozen=True, eq=False)
class FrameBlock:
    """All panels of one frame.

    Args:
        heading: Number and time of the frame.
        active: Whether an anomaly is active.
        rows: Rows of panels.
    """

    heading: str
    active: bool
    rows: Sequence[PanelRow]


@dataclass(frozen=True, eq=False)
class LegendEntry:
    """A colour, or a row of colours, with its meaning."""

    colours: Image
    text: str


def label_legend(labels: Iterable[int]) -> list[LegendEntry]:
    """Return the legend of labels, anomalies first.

    Example:
        >>> [entry.text for entry in label_legend([1, 14, 30])]
        ['animal (anomaly)', 'road', 'car']
    """
    known = [Label(label) for label in sorted(set(labels)) if label in set(Label)]
    ordered = sorted(known, key=lambda label: not label.is_anomaly)
    return [
        LegendEntry(np.array([label.colour], np.uint8), _words(label) + (" (anomaly)" if label.is_anomaly else ""))
        for label in ordered
    ]


def score_legend(scales: dict[str, ScoreScale], false_alarm_rate: float) -> list[LegendEntry]:
    """Return the legend of scores: ramps with the thresholds of the detectors, and the colours of outcomes."""
    ramp = ramp_colours(np.linspace(0.0, 1.0, RAMP_WIDTH))
    found = [
        LegendEntry(ramp, f"{name}: {scale.low:.3g} to {scale.high:.3g}, threshold {scale.threshold:.3g}")
        for name, scale in scales.items()
    ]
    found += [LegendEntry(np.array([colour], np.uint8), name) for name, colour in OUTCOMES.items()]
    note = (
        f"threshold: exceeded by {100.0 * false_alarm_rate:g} % of the normal voxels of these frames; "
        "other voxels are grey, darker for higher scores"
    )
    return [*found, LegendEntry(np.empty((0, 3), np.uint8), note)] if scales else []


class Sheet:
    """Title, blocks and legend on one image.

    Args:
        title: Name of the scene.
        subtitle: Facts about the scene.
        legend: Entries of the legend, in groups that begin on a new line.
    """

    def __init__(self, title: str, subtitle: str, legend: Sequence[Sequence[LegendEntry]]) -> None:
        self._title, self._subtitle, self._legend = title, subtitle, legend

    def compose(self, blocks: Sequence[FrameBlock]) -> Image:
        """Return the image of some blocks, one below the other."""
        from PIL import Image as Pillow
        from PIL import ImageDraw as Drawing

        width = max(_block_width(block) for block in blocks) + 2 * MARGIN
        lines = self._legend_lines(width)
        top = MARGIN + TITLE + GAP + HEADING + 2 * GAP
        height = top + sum(_block_height(block) + 2 * GAP for block in blocks) + len(lines) * (CAPTION + GAP) + MARGIN
        page = Pillow.new("RGB", (width, height), "white")
        draw = Drawing.Draw(page)
        draw.text((MARGIN, MARGIN - 3), _shortened(self._title, TITLE, width - 2 * MARGIN), INK, font_of(TITLE))
        facts = _shortened(self._subtitle, HEADING, width - 2 * MARGIN)
        draw.text((MARGIN, MARGIN + TITLE + GAP - 3), facts, FAINT, font_of(HEADING))
        for block in blocks:
            _draw_block(page, draw, block, top)
            top += _block_height(block) + 2 * GAP
        for line in lines:
            left = MARGIN
            for entry in line:
                left = _draw_entry(page, draw, entry, left, top)
            top += CAPTION + GAP
        return np.asarray(page)

    def _legend_lines(self, width: int) -> list[list[LegendEntry]]:
        lines: list[list[LegendEntry]] = []
        for group in self._legend:
            used = width
            for entry in group:
                wide = _entry_width(entry)
                if used + wide > width - MARGIN:
                    lines.append([])
                    used = MARGIN
                lines[-1].append(entry)
                used += wide
        return lines


def _block_width(block: FrameBlock) -> int:
    rows = (sum(int(panel.image.shape[1]) + GAP for panel in row.panels) - GAP for row in block.rows)
    return BAR + GAP + max(rows)


def _block_height(block: FrameBlock) -> int:
    return HEADING + GAP + sum(CAPTION + GAP + int(row.panels[0].image.shape[0]) + GAP for row in block.rows)


def _draw_block(page: Page, draw: ImageDraw, block: FrameBlock, top: int) -> None:
    """Draw a heading, a bar that is red while an anomaly is active, and the panels."""
    from PIL import Image as Pillow

    left = MARGIN + BAR + GAP
    bottom = top + _block_height(block) - GAP
    draw.rectangle((MARGIN, top, MARGIN + BAR - 1, bottom), TRUTH if block.active else (214, 217, 222))
    draw.text((left, top - 3), block.heading, INK, font_of(HEADING))
    if block.active:
        after = left + font_of(HEADING).getlength(block.heading) + 2 * GAP
        draw.text((after, top - 3), "anomaly active", TRUTH, font_of(HEADING))
    top += HEADING + GAP
    for row in block.rows:
        across = left
        for number, panel in enumerate(row.panels):
            title = f"{row.name}: {panel.title}" if row.name and not number else panel.title
            wide = panel.image.shape[1]
            draw.text((across, top - 2), _shortened(title, CAPTION, wide), FAINT, font_of(CAPTION))
            page.paste(Pillow.fromarray(panel.image), (across, top + CAPTION + GAP - 2))
            across += wide + GAP
        top += CAPTION + GAP + row.panels[0].image.shape[0] + GAP


def _draw_entry(page: Page, draw: ImageDraw, entry: LegendEntry, left: int, top: int) -> int:
    """Draw an entry of the legend, and return where the next one begins."""
    from PIL import Image as Pillow

    wide = _swatch_width(entry)
    if wide:
        columns = np.arange(wide) * len(entry.colours) // wide
        page.paste(Pillow.fromarray(np.repeat(entry.colours[columns][None], SWATCH, axis=0)), (left, top))
    draw.text((left + wide + (GAP if wide else 0), top - 2), entry.text, FAINT, font_of(CAPTION))
    return left + _entry_width(entry)


def _swatch_width(entry: LegendEntry) -> int:
    return 0 if not len(entry.colours) else SWATCH if len(entry.colours) == 1 else RAMP_WIDTH


def _entry_width(entry: LegendEntry) -> int:
    return int(_swatch_width(entry) + GAP + font_of(CAPTION).getlength(entry.text) + 2 * GAP)


def _shortened(text: str, size: int, width: int) -> str:
    """Return a text that is at most `width` pixels wide."""
    font = font_of(size)
    if font.getlength(text) <= width:
        return text
    n = next((n for n in range(len(text) - 1, 0, -1) if font.getlength(text[:n] + "…") <= width), 1)
    return text[:n] + "…"


def _words(label: Label) -> str:
    return label.name.lower().replace("_", " ")
