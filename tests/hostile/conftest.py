"""Shared by all attacks."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def count_cases(record_property: Callable[[str, object], None]) -> Callable[..., None]:
    """Return a function that records the cases of a test that tries several; without it a test is one case."""

    def record(tried: int, failed: int = 0) -> None:
        record_property("tried", tried)
        record_property("failed", failed)

    return record
