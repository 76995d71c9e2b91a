"""The comparison of speed takes the best turn of each checkout, in turns, and reports what has become slower."""

import itertools
import re
from pathlib import Path

import pytest

import compare_speed
from compare_speed import Cell, main, table, take_turns

ROOT = Path(__file__).parents[2]
CELL = Cell("OOD-Pendulum-v0", 1, False)
SLOWER = """
import time
from gymnasium.vector import VectorEnv

def make_slow(kind):
    fast = vars(kind).get("step")

    def step(self, actions):
        end = time.process_time() + 3e-4
        while time.process_time() < end:
            pass
        return fast(self, actions)

    if fast:
        kind.step = step

VectorEnv.__init_subclass__ = classmethod(make_slow)
"""


def test_the_best_turn_counts_and_the_first_place_alternates():
    order, times = [], {"before": itertools.cycle([9.0, 2.0, 5.0]), "now": itertools.cycle([4.0, 8.0, 3.0])}

    def timer(name):
        return lambda cell: order.append(name) or next(times[name])

    assert take_turns(timer("before"), timer("now"), CELL, 3) == (2.0, 3.0)
    assert order == ["now", "before", "before", "now", "now", "before"]


def test_only_what_has_become_slower_is_marked():
    lines = list(table({CELL: (96.0, 100.0), CELL._replace(rows=1024, faults=True): (98.0, 100.0)}))
    assert lines[2:] == [
        "| OOD-Pendulum-v0 | 1 | no | 96.00 | 100.00 | **0.960** |",
        "| OOD-Pendulum-v0 | 1,024 | yes | 98.00 | 100.00 | 0.980 |",
    ]


def test_another_folder_than_a_checkout_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "has no src/offnominal" in capsys.readouterr().err


@pytest.mark.slow
def test_a_checkout_is_as_fast_as_itself_and_one_that_waits_is_slower(tmp_path, capsys, monkeypatch):
    """The other checkout is this one, with a start-up file that makes each of its steps compute for 0.3 ms."""
    source = tmp_path / "src"
    source.mkdir()
    (source / "offnominal").symlink_to(ROOT / "src" / "offnominal")
    (source / "sitecustomize.py").write_text(SLOWER)
    few = ["--worlds", CELL.world, "--rows", "1", "--turns", "5", "--processes", "1"]
    main([str(ROOT), *few])
    for ratio in ratios(capsys.readouterr().out):
        assert 0.4 < ratio < 2.5
    monkeypatch.setattr(compare_speed, "HERE", tmp_path)
    assert main([str(ROOT), *few]) == 1
    for ratio in ratios(capsys.readouterr().out):
        assert ratio < 0.4


def ratios(printed):
    return [float(line.split("|")[-2].strip(" *")) for line in printed.splitlines() if re.match(r"\| \w+-", line)]
