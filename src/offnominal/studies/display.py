"""Progress of a run: a live table on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from offnominal.core.printable import one_line
from offnominal.core.progress_bar import format_duration
from offnominal.studies.task import Event, Retried, TaskEnded, TaskStarted

LineCallback = Callable[[str], object]
"""Takes a line of text."""


class Display:
    """Shows the progress of a run.

    Args:
        title: Heading.
        weights: Expected cost of each task by id, in any unit.
        report: Receives one line per task. If None, a terminal shows a live table and other outputs get the lines.
    """

    def __init__(self, title: str, weights: Mapping[str, float], *, report: LineCallback | None = None) -> None:
        self.title = title
        self.weights = weights
        self.done = self.failed = 0
        self.running: dict[str, tuple[str, float]] = {}
        self._spent = 0.0
        self._begun = time.monotonic()
        self._live: Any = None
        self._report = report
        if report is None and not sys.stderr.isatty():
            self._report = lambda line: print(line, file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        self._begun = time.monotonic()
        if self._report is None:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(get_renderable=self._table, console=Console(stderr=True), transient=True)
            self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._live is not None:
            self._live.__exit__(kind, error, tb)

    def show(self, event: Event) -> None:
        """Take note of an event."""
        if isinstance(event, TaskStarted):
            self.running[event.worker] = (event.task.label, time.monotonic())
            return
        _, begun = self.running.pop(event.worker, ("", self._begun))
        if isinstance(event, Retried):
            if self._report is not None:
                self._report(f"{event.task.label}: {_described(event)}; it is tried again")
            return
        self._spent += self.weights.get(event.task.id, 0.0)
        self.done += event.answer.error_info is None
        self.failed += event.answer.error_info is not None
        if self._report is not None:
            self._report(self._line(event, time.monotonic() - begun))

    def seconds_left(self) -> float | None:
        """Return the expected remaining seconds, from the cost of finished tasks; None before the first."""
        if not self._spent:
            return None
        return (time.monotonic() - self._begun) * (sum(self.weights.values()) - self._spent) / self._spent

    def _line(self, event: TaskEnded, seconds: float) -> str:
        what = f"{seconds:.1f} s" if event.answer.error_info is None else f"FAILED: {_described(event)}"
        left = self.seconds_left()
        rest = "" if left is None else f", {format_duration(left)} left"
        return one_line(f"[{self.done + self.failed}/{len(self.weights)}{rest}] {event.task.label}: {what}")

    def _table(self) -> Any:
        from rich.table import Table
        from rich.text import Text

        left = self.seconds_left()
        waiting = len(self.weights) - self.done - self.failed - len(self.running)
        title = Text(one_line(self.title), "table.title")
        table = Table(title=title, title_justify="left", box=None)
        for name in ("worker", "cell", "for"):
            table.add_column(name, style="dim" if name != "cell" else "")
        for worker, (label, begun) in sorted(self.running.items()):
            table.add_row(Text(one_line(worker)), Text(one_line(label)), format_duration(time.monotonic() - begun))
        table.caption = f"{self.done} done, {len(self.running)} running, {waiting} waiting, {self.failed} failed" + (
            "" if left is None else f", about {format_duration(left)} left"
        )
        table.caption_justify = "left"
        return table


def _described(event: TaskEnded | Retried) -> str:
    """Return an error in a line; it may come without a message."""
    error_info = event.answer.error_info
    return "" if error_info is None else ": ".join([error_info.error, *error_info.message.splitlines()[:1]])
