"""Views from above: points and squares around the ego vehicle, driving direction to the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from offnominal.core.types import BoolArray, FloatArray

Image: TypeAlias = NDArray[np.uint8]
Coordinates: TypeAlias = NDArray[np.floating]

PAPER = (243, 244, 246)
RING = (208, 212, 218)
EGO_OUTLINE = (20, 20, 24)
EGO_HALF = (2.3, 0.95)
RING_STEP = 10.0
POINT = 0.3
"""Side of a point, m; at least two pixels."""
CIRCLE, CIRCLE_ROOM = (235, 20, 20), 6.0


@dataclass(frozen=True)
class TopView:
    """A square view from above, with the ego vehicle below its centre and circles every 10 m.

    Args:
        side: Side of the image in pixels.
        reach: Distance from the lower to the upper edge, m.
        behind: Distance from the lower edge to the ego vehicle, m.
    """

    side: int
    reach: float = 60.0
    behind: float = 15.0

    @property
    def scale(self) -> float:
        """Pixels per metre."""
        return self.side / self.reach

    def pixels(self, points: Coordinates) -> tuple[FloatArray, FloatArray]:
        """Return the row and the column of points (n, 2 or 3) in the frame of the ego vehicle."""
        x, y = np.asarray(points, np.float64)[:, :2].T
        return (self.reach - self.behind - x) * self.scale, (0.5 * self.reach - y) * self.scale

    def empty(self) -> Image:
        """Return the background with its circles."""
        image = np.full((self.side, self.side, 3), PAPER, np.uint8)
        middle = np.arange(self.side) + 0.5
        x = self.reach - self.behind - middle[:, None] / self.scale
        y = 0.5 * self.reach - middle[None, :] / self.scale
        away = np.sqrt(x**2 + y**2)
        nearest = np.rint(away / RING_STEP) * RING_STEP
        image[(np.abs(away - nearest) < 0.5 / self.scale) & (nearest > 0.0)] = RING
        return image

    def draw_points(self, points: Coordinates, colours: Image, marked: BoolArray | None = None) -> Image:
        """Return points; see :meth:`draw_squares`."""
        return self.draw_squares(points, colours, max(2.0 / self.scale, POINT), marked)

    def draw_squares(self, centres: Coordinates, colours: Image, size: float, marked: BoolArray | None = None) -> Image:
        """Return squares, the highest on top, and marked ones above all, with a circle around them.

        Args:
            centres: (n, 3): centres in the frame of the ego vehicle, m.
            colours: (n, 3): their colours.
            size: Side of a square, m.
            marked: (n,): whether a square is that of an anomaly.
        """
        image = self.empty()
        special = np.zeros(len(centres), np.bool_) if marked is None else marked
        order = np.lexsort((centres[:, 2], special))
        self._stamp(image, centres[order], colours[order], size * self.scale)
        if special.any():
            self._circle(image, centres[special])
        return self.with_ego(image)

    def with_ego(self, image: Image) -> Image:
        """Return an image with the outline of the ego vehicle."""
        row, column = (self.reach - self.behind) * self.scale, 0.5 * self.side
        tall, wide = (max(each * self.scale, 2.0) for each in EGO_HALF)
        top, bottom, left, right = (round(each) for each in (row - tall, row + tall, column - wide, column + wide))
        image[top : bottom + 1, left : right + 1] = EGO_OUTLINE
        image[top + 1 : bottom, left + 1 : right] = 255
        return image

    def _circle(self, image: Image, places: Coordinates) -> None:
        """Draw a circle around some places."""
        rows, columns = self.pixels(places)
        row, column = 0.5 * (rows.min() + rows.max()), 0.5 * (columns.min() + columns.max())
        radius = 0.5 * float(np.hypot(np.ptp(rows), np.ptp(columns))) + CIRCLE_ROOM
        middle = np.arange(self.side) + 0.5
        away = np.hypot(middle[:, None] - row, middle[None, :] - column)
        image[np.abs(away - radius) < 0.8] = CIRCLE

    def _stamp(self, image: Image, places: Coordinates, colours: Image, size: float) -> None:
        """Draw squares of a size in pixels; later ones cover earlier ones."""
        rows, columns = self.pixels(places)
        top, left = (np.rint(each - 0.5 * size).astype(np.int64) for each in (rows, columns))
        bottom, right = (np.rint(each + 0.5 * size).astype(np.int64) for each in (rows, columns))
        n = int(np.ceil(size)) + 1
        for down in range(n):
            for across in range(n):
                row, column = top + down, left + across
                inside = (row < bottom) & (column < right) & (row >= 0) & (column >= 0)
                inside &= (row < self.side) & (column < self.side)
                # The last of several values at one place stays.
                image[row[inside], column[inside]] = colours[inside]
