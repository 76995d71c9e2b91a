"""Reports as rows: every number with its interval, and a summary."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.evaluation import EvaluationReport, average_over_seeds, evaluate_split
from offnominal.reports.tables import markdown, write_csv

from .cases import episode, same, split


def report_of(seed, *, names=("a@tiny", "a@strong")):
    rng = np.random.default_rng(7)
    noise = np.random.default_rng(seed)
    details = []
    for name in names:
        episodes, scores = split(rng, 12)
        noisy = [row + noise.normal(0.0, 0.5, len(row)) for row in scores]
        details.append(evaluate_split(noisy, episodes, name=name, nominal=noisy, replicates=40))
    return EvaluationReport.of("Toy-v0", details)


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


def test_missing_numbers_of_a_split_are_empty():
    episodes, scores = split(np.random.default_rng(8), 5)
    alarms = [row > 0 for row in scores]
    report = EvaluationReport.of(
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
    over = EvaluationReport.over_seeds(runs)
    for position, line in enumerate(over.lines):
        expected = average_over_seeds([run.lines[position].numbers["auroc"] for run in runs])
        same(line.numbers["auroc"], expected)
        assert line.counts == runs[0].lines[position].counts
    assert over.details == ()
    with pytest.raises(InvalidParameter, match="no reports"):
        EvaluationReport.over_seeds([])
    with pytest.raises(InvalidParameter, match="different splits"):
        EvaluationReport.over_seeds([runs[0], report_of(0, names=("a@tiny", "b@strong"))])


def missing(*shares, name="{}"):
    """A report with one split per share of missed faults; the others are noticed one step after the onset."""
    details = []
    for share in shares:
        episodes = [episode(9, 4) for _ in range(20)]
        alarms = [np.arange(9) == 5 if number >= share * 20 else np.zeros(9, np.bool_) for number in range(20)]
        scores = [np.arange(9.0)] * 20
        details.append(evaluate_split(scores, episodes, name=name.format(share), alarms=alarms, replicates=30))
    return EvaluationReport.of("Toy-v0", details)


def test_more_than_half_missed_is_shown_as_text_and_stored_as_none():
    report = missing(0.1, 0.9, 1.0)
    said = [line["median delay"] for line in report.summary()]
    assert said == ["1.000 [1.000, 1.000]", "> 50 % missed", "> 50 % missed", "> 50 % missed"]
    assert [row["median_delay"] for row in report.rows()] == [1.0, None, None]
    assert [row["miss_rate"] for row in report.rows()] == [0.1, 0.9, 1.0]


def test_median_delays_of_splits_and_of_training_runs_are_combined_by_their_median():
    assert missing(0.1, 0.2, 1.0).mean().numbers["median_delay"].value == 1.0
    runs = [missing(share, name="x") for share in (0.1, 0.2, 1.0)]
    assert EvaluationReport.over_seeds(runs)["x"].numbers["median_delay"].value == 1.0
    assert EvaluationReport.over_seeds(runs[2:] * 2 + runs[:1])["x"].numbers["median_delay"].value == np.inf
