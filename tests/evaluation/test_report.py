"""Reports become rows: every number with its interval, and the few to look at first."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.evaluation import Report, average_over_seeds, evaluate_split
from offnominal.reports.tables import markdown, write_csv

from .cases import same, split


def report_of(seed, *, names=("a@tiny", "a@strong")):
    rng = np.random.default_rng(7)
    noise = np.random.default_rng(seed)
    details = []
    for name in names:
        episodes, scores = split(rng, 12)
        noisy = [row + noise.normal(0.0, 0.5, len(row)) for row in scores]
        details.append(evaluate_split(noisy, episodes, name=name, nominal=noisy, replicates=40))
    return Report.of("Toy-v0", details)


def test_rows_hold_every_number_with_its_interval(tmp_path):
    report = report_of(0)
    rows = report.rows()
    assert [row["split"] for row in rows] == ["a@tiny", "a@strong"]
    for row, details in zip(rows, report.details, strict=True):
        for name, number in details.numbers().items():
            assert (row[name], row[f"{name}_low"], row[f"{name}_high"]) == (number.value, number.low, number.high)
    write_csv(tmp_path / "rows.csv", rows)
    assert "matched_auroc_high" in (tmp_path / "rows.csv").read_text()


def test_the_summary_ends_with_the_mean_over_splits():
    report = report_of(0)
    lines = report.summary()
    assert [line["split"] for line in lines] == ["a@tiny", "a@strong", "mean of 2"]
    values = [line.numbers["auroc"].value for line in report.lines]
    assert report.mean().numbers["auroc"].value == pytest.approx(np.mean(values))
    assert f"{np.mean(values):.3f} [" in markdown(lines)


def test_numbers_that_a_split_lacks_are_left_empty():
    episodes, scores = split(np.random.default_rng(8), 5)
    alarms = [row > 0 for row in scores]
    report = Report.of(
        "Toy-v0",
        [
            evaluate_split(scores, episodes, name="with", alarms=alarms, replicates=0),
            evaluate_split(scores, episodes, name="without", replicates=0),
        ],
    )
    assert report.rows()[1]["miss_rate"] is None
    assert "miss_rate" not in report.mean().numbers
    assert report.summary()[1]["missed"] is None


def test_a_line_is_found_by_its_split():
    report = report_of(0)
    assert report["a@strong"].split == "a@strong"
    with pytest.raises(UnknownName, match="Did you mean 'a@tiny'"):
        report["a@tini"]


def test_reports_of_several_training_runs_are_averaged():
    runs = [report_of(seed) for seed in range(4)]
    over = Report.over_seeds(runs)
    for position, line in enumerate(over.lines):
        expected = average_over_seeds([run.lines[position].numbers["auroc"] for run in runs])
        same(line.numbers["auroc"], expected)
        assert line.counts == runs[0].lines[position].counts
    assert over.details == ()
    with pytest.raises(InvalidParameter, match="no reports"):
        Report.over_seeds([])
    with pytest.raises(InvalidParameter, match="different splits"):
        Report.over_seeds([runs[0], report_of(0, names=("a@tiny", "b@strong"))])
