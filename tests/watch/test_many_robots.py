"""50 robots at 50 samples per second, each with a connection of its own: nothing is lost, the alarms are right.

The run of ten minutes, with times, is the benchmark ``"50 robots in real time"``: it needs a machine of its own.
"""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def benchmark():
    """`benchmarks/watch_in_real_time.py`, whose senders are another process."""
    spec = spec_from_file_location("watch_in_real_time", ROOT / "benchmarks" / "watch_in_real_time.py")
    module = module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "benchmarks"))
    sys.modules["watch_in_real_time"] = module
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(ROOT / "benchmarks"))
    del sys.modules["watch_in_real_time"]


def checked(row, robots):
    same, expected = (int(word.replace(",", "")) for word in row["alarms as expected"].split(" of "))
    assert row["lost"] == 0
    assert same == expected > robots


@pytest.mark.long
def test_nothing_is_lost_in_some_seconds(benchmark):
    checked(benchmark.in_real_time(2.0, every=1), 50)
