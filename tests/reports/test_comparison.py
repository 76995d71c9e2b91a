"""Comparison of detectors on own data."""

import json
import re

import numpy as np
import pytest

import offnominal as off
from offnominal.alarms import EpisodeMaximum
from offnominal.core.errors import InvalidParameter
from offnominal.detectors import KNN, Random, make_detector, on_transitions

pytestmark = pytest.mark.long


def episode(seed, shift=0.0):
    rng, active = np.random.default_rng(seed), (np.arange(30) >= 15) & (shift > 0)
    observations = rng.normal(size=(31, 2)) + shift * np.append(False, active)[:, None]
    return off.Episode(observations, np.zeros((30, 0)), np.zeros(30), active, seed=seed)


@pytest.fixture(scope="module")
def data():
    return {
        "train": [episode(seed) for seed in range(8)],
        "validation": [episode(seed) for seed in range(20, 40)],
        "test": [episode(seed) for seed in range(40, 50)],
        "large": [episode(seed, 4.0) for seed in range(60, 66)],
        "small": [episode(seed, 1.0) for seed in range(70, 76)],
    }


@pytest.fixture(scope="module")
def found(data):
    return off.compare(["Random", "Mahalanobis"], data, alarms=["EpisodeMaximum", "Quantile"], replicates=50)


def test_the_better_detector_is_first_and_ties_are_shown(found):
    rows = found.leaderboard()
    assert [row["detector"] for row in rows] == ["Mahalanobis", "Random"]
    assert [row["ties"] for row in rows] == ["a", "b"]
    assert str(found).splitlines()[0].split() == [
        *("rank", "detector", "ties", "Net", "detection", "Time-matched", "AUROC")
    ]
    assert str(found).splitlines()[3].startswith("Mahalanobis separates best: time-matched AUROC")


def test_every_number_is_in_the_data_frame(found, data):
    frame = found.to_pandas()
    assert len(frame) == 2 * 2 * 2, "detectors, alarms and splits"
    detector = make_detector("Mahalanobis").fit(data["train"])
    alarm = EpisodeMaximum().fit(detector.score(data["validation"]))
    line = off.evaluate(detector, data, alarm=alarm, replicates=50)["large"]
    row = frame.query("detector == 'Mahalanobis' and alarm == 'EpisodeMaximum' and split == 'large'").iloc[0]
    for name in ("matched_auroc", "auroc_low", "miss_rate", "false_alarms"):
        assert row[name] == line.row()[name]


def test_alarms_show_what_is_guaranteed_and_what_happened(found):
    row = next(row for row in found.alarms() if row["alarm"] == "EpisodeMaximum")
    assert row["guarantee"].startswith("a false alarm in at most 5% of nominal episodes")
    assert (row["guaranteed"], row["nominal"]) == ("≤ 5%", "10 episodes")
    assert row["verdict"] == "undecided: 4,200 nominal episodes would decide"
    frame = found.to_pandas().query("alarm == 'EpisodeMaximum'")
    assert set(frame["guarantee_n"]) == {10}
    assert row["verdict"] in str(found)


def test_alarms_of_one_class_have_names_of_their_own(data):
    enough = data | {"validation": [episode(seed) for seed in range(100, 160)]}
    listed = off.compare("Random", enough, alarms=["EpisodeMaximum", "PacEpisodeMaximum"], replicates=0)
    assert [row["alarm"] for row in listed.alarms()] == ["EpisodeMaximum", "PacEpisodeMaximum"]
    assert "on average" in listed.alarms()[0]["guarantee"]
    assert "in at least 95% of calibrations" in listed.alarms()[1]["guarantee"]
    both = {"strict": EpisodeMaximum(alpha=0.1), "loose": EpisodeMaximum(alpha=0.2)}
    named = off.compare("Random", data, alarms=both, replicates=0)
    assert [(row["alarm"], row["guaranteed"]) for row in named.alarms()] == [("strict", "≤ 10%"), ("loose", "≤ 20%")]
    with pytest.raises(InvalidParameter, match="two alarms are called 'EpisodeMaximum'; give a mapping"):
        off.compare("Random", data, alarms=list(both.values()), replicates=0)


def test_a_guarantee_is_not_tested_on_the_episodes_of_its_calibration(data):
    without = {name: part for name, part in data.items() if name != "test"}
    (row,) = off.compare(["Random"], without, alarms=["EpisodeMaximum"], replicates=0).guarantees()
    assert (row["measured"], row["verdict"]) == (None, "not tested: no nominal episodes")


def test_the_report_is_a_page_with_tables(found, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    page = found.write_report(tmp_path / "report")
    assert "Mahalanobis" in page.read_text()
    payload = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)[1])
    rows = payload["examples"]["rows"]
    assert len(rows) == 2 * 2 * 2, "detectors, splits and episodes"
    assert {row["onset"] for row in rows} == {15}
    assert all(set(row["thresholds"]) == set(row["alarms"]) == {"EpisodeMaximum", "Quantile"} for row in rows)
    assert (tmp_path / "report" / "tables" / "leaderboard.csv").is_file()


def test_a_fitted_detector_is_used_as_it_is(data):
    fitted = on_transitions(KNN()).fit(data["train"])
    both = off.compare(
        {"mine": fitted, "noise": Random()}, {"large": data["large"], "train": data["train"]}, replicates=0
    )
    assert [row["detector"] for row in both.leaderboard()] == ["mine", "noise"]


@pytest.mark.parametrize(
    ("detectors", "options", "words"),
    [
        ([], {}, "no detectors"),
        ([3], {}, "entry 3; expected a detector or its name"),
        (7, {}, "detectors is 7"),
        (["KNN", "KNN"], {}, "two detectors are called 'KNN'"),
        (["KNN"], {"alarms": 3}, "alarms is 3"),
    ],
)
def test_invalid_arguments_are_named(detectors, options, words, data):
    with pytest.raises(InvalidParameter, match=words):
        off.compare(detectors, data, **options)


def test_missing_splits_are_named(data):
    with pytest.raises(InvalidParameter, match="no split 'train'"):
        off.compare(["KNN"], {"large": data["large"]})
    with pytest.raises(InvalidParameter, match="no split 'validation'"):
        off.compare(["KNN"], {"train": data["train"], "large": data["large"]}, alarms=["Quantile"])
