"""Progress of a run: a bar with one line per worker on a terminal, plain lines elsewhere."""

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
SECONDS_PER_LINE = 2.0
"""Shortest time between two lines of an output that is not a terminal."""
BAR = 24
"""Width of the bar in characters."""


class Display:
    """Shows the progress of a run.

    Args:
        title: Heading.
        weights: Expected cost of each task by id, in any unit.
        report: Receives one line per task. If None, a terminal shows a bar and one line per worker; another output gets
            lines, at most one in :data:`SECONDS_PER_LINE`, besides the first failure of every kind and the last task.
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
            self._report = _LimitedLines()

    def __enter__(self) -> Self:
        self._begun = time.monotonic()
        if self._report is None:
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True)
            self._live = Live(
                get_renderable=lambda: self.view(console.width, console.height),
                console=console,
                transient=True,
                refresh_per_second=4,
            )
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
            self._say(f"{event.task.label}: {_described(event)}; it is tried again", kind="retried")
            return
        self._spent += self.weights.get(event.task.id, 0.0)
        self.done += event.answer.error_info is None
        self.failed += event.answer.error_info is not None
        last = self.done + self.failed == len(self.weights)
        self._say(self._line(event, time.monotonic() - begun), kind="last" if last else _described(event))

    def note(self, line: str) -> None:
        """Show a line that is not about a task."""
        if self._live is None:
            self._say(line, kind=line)
        else:
            self._live.console.print(one_line(line), markup=False, highlight=False)

    def seconds_left(self) -> float | None:
        """Return the expected remaining seconds, from the cost of finished tasks; None before the first."""
        if not self._spent:
            return None
        return (time.monotonic() - self._begun) * (sum(self.weights.values()) - self._spent) / self._spent

    def _say(self, line: str, *, kind: str) -> None:
        if isinstance(self._report, _LimitedLines):
            self._report(line, kind)
        elif self._report is not None:
            self._report(line)

    def _line(self, event: TaskEnded, seconds: float) -> str:
        what = f"{seconds:.1f} s" if event.answer.error_info is None else f"FAILED: {_described(event)}"
        return one_line(f"[{', '.join(self._counts())}] {event.task.label}: {what}")

    def _counts(self) -> list[str]:
        """Return how many tasks have ended and failed, and the remaining time."""
        left = self.seconds_left()
        counts = [f"{self.done + self.failed}/{len(self.weights)}"]
        counts += [f"{self.failed} failed"] if self.failed else []
        return counts + ([] if left is None else [f"{format_duration(left)} left"])

    def view(self, width: int = 80, height: int = 24) -> Any:
        """Return the bar and one line per worker, none of them wider than the terminal.

        Args:
            width: Columns of the terminal; where it is narrow, the title and the bar are left out.
            height: Lines of the terminal; workers that do not fit are counted.
        """
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        counts = Text(", ".join(self._counts()), no_wrap=True, overflow="ellipsis")
        counts.highlight_words([f"{self.failed} failed"], "bold red")
        title = Text(one_line(self.title), "bold")
        filled = ProgressBar(
            total=max(len(self.weights), 1), completed=self.done + self.failed, width=BAR, complete_style="cyan"
        )
        bar = Table.grid(padding=(0, 1))
        if width > len(title) + BAR + len(counts) + 2:
            bar.add_row(title, filled, counts)
        elif width > BAR + len(counts) + 1:
            bar.add_row(filled, counts)
        else:
            bar.add_row(counts)
        workers = Table.grid(padding=(0, 1), expand=True)
        workers.add_column(justify="right", style="dim", no_wrap=True)
        workers.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        workers.add_column(justify="right", style="dim", no_wrap=True)
        running = sorted(self.running.items())
        most = max(height - 3, 1)
        for worker, (label, begun) in running[:most]:
            since = format_duration(time.monotonic() - begun)
            workers.add_row(Text(one_line(worker)), Text(one_line(label)), since)
        if len(running) > most:
            workers.add_row("", f"and {len(running) - most} more workers", "")
        return Group(bar, workers)


class _LimitedLines:
    """Prints lines on standard error at a bounded rate; the first line of each kind is always printed."""

    def __init__(self) -> None:
        self._last = -SECONDS_PER_LINE
        self._kinds: set[str] = set()

    def __call__(self, line: str, kind: str = "") -> None:
        """Print a line, unless another one of its kind was printed shortly before.

        Args:
            line: The line.
            kind: Kind of the line; empty for one of no importance.
        """
        now = time.monotonic()
        new = kind not in self._kinds and kind != ""
        self._kinds.add(kind)
        if new or now - self._last >= SECONDS_PER_LINE:
            self._last = now
            print(line, file=sys.stderr, flush=True)


def _described(event: TaskEnded | Retried) -> str:
    """Return an error in a line; it may come without a message."""
    error_info = event.answer.error_info
    return "" if error_info is None else ": ".join([error_info.error, *error_info.message.splitlines()[:1]])
