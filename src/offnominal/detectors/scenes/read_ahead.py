"""Recorded scenes that worker processes read ahead, for training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Self

from offnominal.core.job_processes import current_job, processes_for
from offnominal.datasets.scenes import DrivingScene
from offnominal.worlds.road.scenes import DrivingFrame


class ReadAhead(Sequence[Any]):
    """A list of scenes; while one is used, processes read the next ones.

    Args:
        scenes: Recorded scenes.
        workers: Number of processes; two scenes for each are in memory.
    """

    def __init__(self, scenes: Sequence[DrivingScene], workers: int) -> None:
        self._n, self._ahead = len(scenes), 2 * workers
        self._pool = processes_for(list(scenes), workers, needs="scenes")
        self._read: dict[int, Future[list[DrivingFrame]]] = {}

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < self._n:
            raise IndexError(number)
        return _Frames(self, number)

    def frames(self, number: int) -> list[DrivingFrame]:
        """Return the frames of a scene, and begin to read the next ones."""
        for each in range(number, min(number + self._ahead, self._n)):
            if each not in self._read:
                self._read[each] = self._pool.submit(_frames, each)
        return self._read.pop(number).result()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)


class _Frames:
    """A scene that is read when its frames are used."""

    def __init__(self, scenes: ReadAhead, number: int) -> None:
        self._scenes, self._number = scenes, number

    def __iter__(self) -> Iterator[DrivingFrame]:
        return iter(self._scenes.frames(self._number))


def _frames(number: int) -> list[DrivingFrame]:
    return list(current_job()[number])
