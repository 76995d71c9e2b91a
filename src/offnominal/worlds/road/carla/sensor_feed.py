"""Data of one sensor, matched by the numbers of simulated frames."""

from __future__ import annotations

import time
from threading import Condition
from typing import Any

from offnominal.worlds.road.carla.errors import CarlaTimeout


class SensorFeed:
    """Collects what a sensor sends, from the thread of the client, and gives it out by frame.

    Data of a frame may arrive late, and in another order than the frames. Frames that were not taken are discarded.

    Args:
        name: Name of the sensor, for messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._data: dict[int, Any] = {}
        self._oldest = 0
        self._arrived = Condition()

    def receive(self, data: Any) -> None:
        """Store data; the client calls it for each frame."""
        with self._arrived:
            if data.frame >= self._oldest:
                self._data[data.frame] = data
                self._arrived.notify_all()

    def discard(self, before: int) -> None:
        """Forget the data of all frames before one, also those that are still to arrive."""
        with self._arrived:
            self._oldest = before
            for frame in [frame for frame in self._data if frame < before]:
                del self._data[frame]

    def take(self, frame: int, timeout: float) -> Any:
        """Return the data of a frame.

        Args:
            frame: Number of the frame, as :meth:`carla.World.tick` returns it.
            timeout: Seconds to wait.

        Raises:
            CarlaTimeout: The data has not arrived in time.
        """
        deadline = time.monotonic() + timeout
        with self._arrived:
            while frame not in self._data:
                left = deadline - time.monotonic()
                if left <= 0.0:
                    newest = max(self._data, default=None)
                    raise CarlaTimeout(
                        f"the sensor {self.name!r} sent nothing for frame {frame} in {timeout:g} s; the newest frame "
                        f"it has sent is {newest}."
                    )
                self._arrived.wait(left)
            return self._data.pop(frame)
