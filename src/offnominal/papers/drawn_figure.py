"""Figures of papers as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from offnominal.core.plot_style import pyplot
from offnominal.papers.paper import FigureData, PublishedFigure
from offnominal.reports.save_figures import save_figures


def drawn_figure(figure: PublishedFigure, data: FigureData, file: Path, remark: str = "") -> Path:
    """Draw a figure as PNG and SVG, and return the PNG.

    Args:
        figure: The figure.
        data: What it is drawn from.
        file: The PNG.
        remark: A line above it.
    """

    def draw(plt: Any) -> Any:
        drawn = figure.draw(plt, data)
        if remark:
            drawn.text(0.0, 1.02, remark, fontsize=7.5, va="bottom")
        return drawn

    file.parent.mkdir(parents=True, exist_ok=True)
    save_figures(pyplot(), {file.stem: draw}, file.parent)
    return file
