"""Figures as blank images of their size: to draw them takes most of the time of a report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def blank_figures(*, vectors: bool = False) -> Iterator[None]:
    """Let figures be written as blank images, where a test asks nothing about their pixels; vectors on request."""
    from matplotlib.figure import Figure

    drawn = Figure.savefig

    def save(figure: Figure, path: Path, **options: Any) -> None:
        (drawn if vectors and path.suffix == ".svg" else save_blank)(figure, path, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Figure, "savefig", save)
        yield


def save_blank(figure, path: Path, *, dpi: int = 100, **_: object) -> None:
    """Save a white image of the size of a figure."""
    if path.suffix == ".svg":
        path.write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
        return
    from PIL import Image

    width, height = (int(inches * dpi) for inches in figure.get_size_inches())
    Image.new("1", (width, height), 1).save(path)
