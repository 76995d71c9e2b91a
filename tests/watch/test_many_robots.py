"""50 robots at 50 samples per second, each with a connection of its own: nothing is lost, the alarms are right."""

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


@pytest.mark.slow
def test_ten_minutes_on_a_machine_of_its_own(benchmark):
    """The bars of time hold on two processors that nothing else uses."""
    row = benchmark.in_real_time(600.0)
    checked(row, 50)
    assert row["samples per CPU-second"] >= 2000
    assert max(row["CPU p99, ms"], row["wall p99, ms"]) <= 2.0
