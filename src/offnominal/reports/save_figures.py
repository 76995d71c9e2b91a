"""Write figures as files."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from offnominal.core.plot_style import STYLE


def save_figures(plt: Any, drawn: Mapping[str, Callable[[Any], Any]], folder: Path, *, dpi: int = 160) -> None:
    """Draw figures one after the other and write each as PNG and SVG.

    Args:
        plt: matplotlib's pyplot.
        drawn: Functions that draw each figure with pyplot, by name.
        folder: Folder of the files.
        dpi: Pixels per inch of the PNG.
    """
    # Text stays text, a dollar sign included, and nothing but the content decides the bytes.
    plain = {"svg.fonttype": "none", "svg.hashsalt": "offnominal", "text.parse_math": False}
    with plt.rc_context(STYLE | plain), warnings.catch_warnings():
        # A sign that the font lacks is drawn as a box; the SVG has it.
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        for name, draw in drawn.items():
            figure = draw(plt)
            figure.savefig(folder / f"{name}.png", dpi=dpi, bbox_inches="tight")
            figure.set_layout_engine("none")  # The layout of the PNG is kept; to compute it takes the most time.
            figure.savefig(folder / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
            plt.close(figure)
