"""Layout of a clip: one or two episodes side by side, with labels and score curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from offnominal.core.types import BoolArray, FloatArray, Frame, Frames

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

EDGE, GAP, HEADER, CURVE = 3, 10, 28, 46
PAPER, INK, GREY, RED = (255, 255, 255), (32, 36, 42), (112, 118, 128), (200, 55, 38)
FONT_SIZE = 15


@dataclass(frozen=True)
class ClipSide:
    """One episode of a clip.

    Args:
        title: Name of the fault; empty for none.
        frames: (T + 1, size, size, 3).
        active: (T,): whether the fault was active in each transition.
        scores: (T,): anomaly scores, if a detector gave them.
    """

    title: str
    frames: Frames
    active: BoolArray
    scores: FloatArray | None = None


def compose(sides: list[ClipSide]) -> list[Frame]:
    """Return the frames of a clip. The shorter episode keeps its last frame.

    The border and the label of an episode are red while its fault is active.

    Args:
        sides: The episodes, from left to right, all with frames of one size.

    Example:
        >>> side = ClipSide("", np.zeros((3, 64, 64, 3), np.uint8), np.zeros(2, bool))
        >>> [frame.shape for frame in compose([side])]
        [(98, 70, 3), (98, 70, 3), (98, 70, 3)]
    """
    from PIL import Image, ImageDraw

    size = sides[0].frames.shape[1]
    panel = size + 2 * EDGE
    curves = any(side.scores is not None for side in sides)
    width, height = len(sides) * (panel + GAP) - GAP, HEADER + panel + (CURVE if curves else 0)
    scores = np.concatenate([np.zeros(1), *(side.scores for side in sides if side.scores is not None)])
    top = float(np.nanmax(np.where(np.isfinite(scores), scores, np.nan)))
    composed = []
    for t in range(max(len(side.frames) for side in sides)):
        image = Image.new("RGB", (width, height), PAPER)
        draw = ImageDraw.Draw(image)
        for number, side in enumerate(sides):
            left, step = number * (panel + GAP), min(t, len(side.frames) - 1)
            active = bool(step and side.active[step - 1])
            colour = RED if active else GREY
            draw.rectangle((left, HEADER, left + panel - 1, HEADER + panel - 1), fill=colour)
            image.paste(Image.fromarray(side.frames[step]), (left + EDGE, HEADER + EDGE))
            _label(draw, left, panel, side.title, step, active=active)
            if side.scores is not None:
                _curve(draw, left, HEADER + panel, panel, side, step, len(side.frames) - 1, top)
        composed.append(np.asarray(image))
    return composed


def _label(draw: ImageDraw, left: int, width: int, title: str, step: int, *, active: bool) -> None:
    """Write the state, the name of the fault and the step above an episode."""
    from offnominal.reports.scene_view.pillow_font import font_of

    font, middle = font_of(FONT_SIZE), HEADER // 2
    state = "faulty" if active else "nominal"
    box = draw.textbbox((left + 8, middle), state, font=font, anchor="lm")
    draw.rounded_rectangle((left, 3, box[2] + 8, HEADER - 4), 5, fill=RED if active else GREY)
    draw.text((left + 8, middle), state, PAPER, font, anchor="lm")
    counter = f"step {step}"
    room = left + width - 2 - draw.textlength(counter, font) - (box[2] + 16)
    if room >= 0:
        draw.text((left + width - 2, middle), counter, GREY, font, anchor="rm")
    room -= 10
    if draw.textlength(title, font) > room:
        title = title.split("/", 1)[-1]
    while title and draw.textlength(title, font) > room:
        title = f"{title[:-4]}..." if len(title) > 4 else ""
    draw.text((box[2] + 16, middle), title, INK, font, anchor="lm")


def _curve(
    draw: ImageDraw, left: int, top: int, width: int, side: ClipSide, step: int, length: int, largest: float
) -> None:
    """Draw the scores so far below an episode, and write the latest."""
    from offnominal.reports.scene_view.pillow_font import font_of

    assert side.scores is not None
    low, high = top + CURVE - 4, top + 20
    draw.line((left, low, left + width - 1, low), fill=(214, 217, 221))
    across = (width - 4) / max(length, 1)
    points = [
        (left + 2 + across * (k + 1), low - (low - high) * float(np.clip(score / (largest or 1.0), 0.0, 1.0)))
        for k, score in enumerate(side.scores[:step])
        if np.isfinite(score)
    ]
    for (x0, y0), (x1, y1), active in zip(points[:-1], points[1:], side.active[1:step], strict=False):
        draw.line((x0, y0, x1, y1), fill=RED if active else GREY, width=2)
    if step:
        label = f"score {side.scores[step - 1]:.3g}"
        draw.text((left + 2, top + 10), label, INK, font_of(13), anchor="lm")
