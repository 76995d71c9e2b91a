"""Pytest plugin: a test that takes much processor time has the mark `long`.

`make test-fast` is the inner loop of development, so what it runs must stay cheap. Processor time, with that of child
processes that have ended, does not depend on what else the machine does as elapsed time does. Compilation by Numba is
not counted: it falls to the first test that needs a kernel, and to none when the machine code is stored.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Generator
from typing import Any

import pytest
from numba.core import event

LIMIT = 10.0
"""Seconds of processor time of a test without a mark. The rule is 2 s: other machines, two programs on one core and a
first import of torch must fail no test."""
MARKS = ("long", "slow", "hostile")
"""Marks of tests that may take more."""


class Compilation(event.Listener):
    """Adds up the processor time of compilation in this process; a kernel may compile others."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._depth = 0
        self._begun = 0.0

    def on_start(self, _: Any) -> None:
        """Note when the outermost compilation begins."""
        if self._depth == 0:
            self._begun = time.process_time()
        self._depth += 1

    def on_end(self, _: Any) -> None:
        """Add the time of the outermost compilation."""
        self._depth -= 1
        if self._depth == 0:
            self.seconds += time.process_time() - self._begun


COMPILATION = Compilation()


def pytest_configure() -> None:
    """Listen to compilation."""
    event.register("numba:compiler_lock", COMPILATION)  # type: ignore[no-untyped-call]


def pytest_unconfigure() -> None:
    """Stop listening."""
    event.unregister("numba:compiler_lock", COMPILATION)  # type: ignore[no-untyped-call]


def used() -> float:
    """Return the processor time of this process and of its children that have ended, without compilation."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime - COMPILATION.seconds


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Fail a test that passes but takes more than its mark allows; its fixtures are not counted."""
    before = used()
    yield
    taken = used() - before
    if taken > LIMIT and not any(item.get_closest_marker(mark) for mark in MARKS):
        pytest.fail(
            f"it took {taken:.1f} s of processor time; a test without a mark may take {LIMIT:g} s, and should take "
            "2 s. Make it cheaper (CONTRIBUTING.md, What a test may cost), or mark it with @pytest.mark.long.",
            pytrace=False,
        )
