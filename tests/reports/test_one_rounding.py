"""Results are rounded once and by one rule: 0.82747 is 0.827, and 0.8125 is 0.813, on every surface."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import offnominal
from offnominal.core.rounding import fixed
from offnominal.papers.comparison.report import _matrix, _mean

SOURCE = Path(offnominal.__file__).parent
FORMAT = r"\{[^{}\"']*:[+<>]?\d*,?\.\d(?:f|%)\}|\{:\.\df\}"
ROUND = r"\bround\((?:[^()]|\([^()]*\))*, \d\)"
OWN_FORMAT = re.compile(f"{FORMAT}|{ROUND}")
WITHOUT_RESULTS = "worlds"
"""The package of worlds measures nothing; its sentences have positions, lengths and speeds."""
NO_RESULTS = {
    "calibration/sampler.py": 1,
    "calibration/search.py": 1,
    "cli/agents.py": 1,
    "cli/datasets.py": 1,
    "cli/doctor.py": 1,
    "cli/novelcraft.py": 1,
    "cli/onnx_export.py": 1,
    "cli/population.py": 1,
    "cli/robot.py": 1,
    "cli/run_summary.py": 1,
    "cli/scenarios.py": 1,
    "cli/serve.py": 1,
    "core/progress_bar.py": 2,
    "datasets/card.py": 1,
    "datasets/logs/lerobot_video.py": 1,
    "detectors/export/exporter.py": 1,
    "detectors/rows/aae.py": 1,
    "detectors/rows/skip_ganomaly.py": 1,
    "detectors/scenes/training_runs.py": 2,
    "evaluation/novelty/weighting.py": 1,
    "laws/leak_gate.py": 1,
    "papers/anomaly_gym/discrimination_tables.py": 1,
    "papers/anovox/figures.py": 1,
    "papers/novelcraft/published_sets.py": 1,
    "reports/page.py": 1,
    "reports/scene_view/scene_view.py": 1,
    "sensing/lens.py": 2,
    "studies/display.py": 1,
    "studies/failure.py": 1,
    "studies/run_manifest.py": 1,
    "watch/fleet.py": 1,
    "watch/http_app.py": 1,
    "watch/log_review/figure.py": 2,
    "watch/robot_watch.py": 3,
    "web/fault.py": 1,
    "web/live_session.py": 1,
    "web/replay.py": 1,
}
"""Lines with a format of Python, by file: sizes, times, counts, progress, names, weights, limits and printed values."""
VALUES = [(0.82747, "0.827"), (0.8125, "0.813"), (0.8275, "0.828"), (0.0625, "0.063")]


def formats(file):
    """Return the lines of a file that round by Python: halves by their binary fractions, or to the even digit."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if OWN_FORMAT.search(line) and ">>>" not in line]


@pytest.mark.parametrize(("value", "shown"), VALUES)
def test_values_in_tables_are_rounded_once(value, shown):
    assert fixed(_mean(np.array([value])), 3) == fixed(value, 3) == shown
    outcomes = SimpleNamespace(tables=["iris"], methods=["kNN"])
    assert [fixed(row["kNN"], 3) for row in _matrix(outcomes, np.array([[value]]))] == [shown]


def test_a_number_that_is_rounded_twice_or_by_python_is_another():
    assert fixed(round(0.82747, 4), 3) == "0.828"
    assert f"{0.8125:.3f}" == "0.812"


def test_results_are_formatted_by_the_rule_alone():
    files = [file for file in sorted(SOURCE.rglob("*.py")) if file.relative_to(SOURCE).parts[0] != WITHOUT_RESULTS]
    found = {file.relative_to(SOURCE).as_posix(): len(formats(file)) for file in files if formats(file)}
    assert found == NO_RESULTS, "use `fixed` of core/rounding.py for results"


@pytest.mark.parametrize(
    "line", ['f"{value:.3f}"', 'f"{share:.0%}"', '"ours is {:.3f}"', 'f"{mean:9.2f}"', "round(mean(of), 3)"]
)
def test_a_format_of_python_is_found(line):
    assert OWN_FORMAT.search(line)
