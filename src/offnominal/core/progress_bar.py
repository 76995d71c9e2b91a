"""Progress bars on terminals."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from offnominal.core.printable import one_line

_SHOWN = ContextVar("shown", default=False)


class ProgressCallback(Protocol):
    """Function that reports progress."""

    def __call__(self, units: float = 1.0, note: str = "") -> None:
        """Advance by a number of units and show a note."""


@contextmanager
def progress(
    description: str, total: float | None = None, *, enabled: bool | None = None
) -> Iterator[ProgressCallback]:
    """Show a progress bar on standard error while the block runs. Nested bars are not shown.

    Args:
        description: Label of the bar.
        total: Number of units; None if unknown.
        enabled: Force the display on or off; None shows it only on a terminal.

    Example:
        >>> with progress("Collecting", total=3) as tick:
        ...     for _ in range(3):
        ...         tick()
    """
    if _SHOWN.get() or not (sys.stderr.isatty() if enabled is None else enabled):
        yield lambda units=1.0, note="": None
        return

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    def one_row(**options: Any) -> Column:
        return Column(no_wrap=True, overflow="ellipsis", **options)

    columns = (
        TextColumn("{task.description}", style="bold", markup=False, table_column=one_row()),
        BarColumn(table_column=Column(min_width=6)),
        MofNCompleteColumn(table_column=one_row()),
        TimeRemainingColumn(table_column=one_row()),
        TextColumn("{task.fields[note]}", style="dim", markup=False, table_column=one_row()),
    )
    console = Console(stderr=True)
    outermost = _SHOWN.set(True)
    try:
        with Progress(*columns, console=console, transient=console.is_terminal) as display:
            task = display.add_task(one_line(description), total=total, note="")

            def tick(units: float = 1.0, note: str = "") -> None:
                display.update(task, advance=units, note=one_line(note))

            yield tick
    finally:
        _SHOWN.reset(outermost)


def format_duration(seconds: float) -> str:
    """Return a duration as text, rounded to seconds, minutes or hours.

    Example:
        >>> format_duration(7.4), format_duration(200), format_duration(9000)
        ('7 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
