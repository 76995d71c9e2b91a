"""Public recordings in the data home of who runs the tests."""

from pathlib import Path

import pytest

from offnominal.core.directories import find_data_home

# Tests have a data home of their own, which begins after the modules are imported.
HOME = find_data_home()


def real(*parts):
    """Return a file of the public recordings; skip the test without it."""
    path = (HOME or Path("nowhere")) / "logs" / Path(*parts)
    if not path.exists():
        pytest.skip("the public recordings are not in the data home")
    return path
