"""Cells of a heat map: coloured by the scale of AUROC values, each with its number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from offnominal.core.rounding import fixed
from offnominal.core.types import FloatArray
from offnominal.reports.auroc_scale import auroc_colormap
from offnominal.reports.colour_vision import hex_of, text_on


def draw_heat_cells(
    axes: Any,
    values: FloatArray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    shares: FloatArray | None = None,
    texts: NDArray[np.str_] | None = None,
    size: float = 7.5,
) -> Any:
    """Draw values as cells and return the image.

    Args:
        axes: Where to draw.
        values: (rows, columns): AUROC, or any other number if `shares` is given; NaN leaves a cell empty.
        rows: Names of the rows.
        columns: Names of the columns.
        shares: (rows, columns): numbers from 0 to 1 that colour the cells from neutral to blue, in place of AUROC.
        texts: (rows, columns): texts of the cells in place of the values.
        size: Of the texts, in points.
    """
    scale = auroc_colormap(share=shares is not None)
    coloured = values if shares is None else shares
    image = axes.imshow(coloured, cmap=scale, vmin=0.0, vmax=1.0, aspect="auto")
    for place in zip(*np.nonzero(np.isfinite(coloured)), strict=True):
        text = fixed(values[place], 2) if texts is None else texts[place]
        if not text:
            continue
        shade = text_on(hex_of(np.array(scale(coloured[place])[:3])))
        axes.text(
            place[1], place[0], text, ha="center", va="center", fontsize=size, color=shade, linespacing=0.85
        )  # fmt: skip
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return image
