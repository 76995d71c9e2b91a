"""Saved alarms are restored exactly; invalid files are named errors."""

import json

import numpy as np
import pytest

from offnominal.alarms import EpisodeMaximum, TimeBand, alarm_from_dict, alarms, load_alarm, make_alarm, save_alarm
from offnominal.alarms import simulate_scores as simulate
from offnominal.core.checksum import NoChecksum, with_checksum
from offnominal.core.errors import DamagedFile, MissingFile, NotFitted, UnknownName, UnsupportedFormat
from offnominal.core.files import write_json

SCORES = simulate(100, steps=(3, 9), seed=30)
FRESH = [3.0 * episode for episode in simulate(20, steps=(3, 20), seed=31)]


@pytest.mark.parametrize("id", alarms.ids())
def test_a_loaded_alarm_raises_the_same_alarms_to_the_last_bit(id, tmp_path):
    alarm = make_alarm(id).fit(SCORES)
    save_alarm(tmp_path / "alarm.json", alarm)
    loaded = load_alarm(tmp_path / "alarm.json")
    assert type(loaded) is type(alarm)
    assert repr(loaded) == repr(alarm)
    assert loaded.to_dict() == alarm.to_dict()
    assert loaded.guarantee == alarm.guarantee
    assert loaded.rate_distribution == alarm.rate_distribution
    for one, other in zip(alarm.statistic(FRESH), loaded.statistic(FRESH), strict=True):
        np.testing.assert_array_equal(one, other)
    assert [path.name for path in tmp_path.iterdir()] == ["alarm.json"]


def test_a_file_is_readable_json_without_anything_else(tmp_path):
    save_alarm(str(tmp_path / "alarm.json"), EpisodeMaximum(np.float32(0.25)).fit([[1.0], [2.0], [4.0]]))
    data = json.loads((tmp_path / "alarm.json").read_text())
    assert len(data.pop("checksum")) == 64
    assert data == {
        "format": 1,
        "alarm": "EpisodeMaximum",
        "options": {"alpha": 0.25, "confidence": None},
        "learned": {"threshold_": 4.0, "n_ranked_": 3, "rank_": 3},
    }


def test_an_unfitted_alarm_is_not_saved(tmp_path):
    with pytest.raises(NotFitted):
        save_alarm(tmp_path / "alarm.json", EpisodeMaximum())
    assert not list(tmp_path.iterdir())


def changed(**changes):
    data = TimeBand().fit(SCORES).to_dict()
    for name, value in changes.items():
        place, _, key = name.partition("__")
        if key:
            data[place][key] = value
        else:
            data[place] = value
    return data


@pytest.mark.parametrize(
    ("data", "error", "problem"),
    [
        ([], DamagedFile, "not an alarm|a list; expected a JSON object"),
        ({"format": 1}, DamagedFile, "not an alarm"),
        (changed(format=2), UnsupportedFormat, "format 2; this version reads format 1"),
        (changed(alarm="TimeBend"), UnknownName, "Did you mean 'TimeBand'"),
        (changed(options__alpha=7), DamagedFile, "alpha is 7"),
        (changed(options__beta=7), DamagedFile, "options are not valid for TimeBand"),
        (changed(options=None), DamagedFile, "options are not valid for TimeBand"),
        (changed(learned__threshold_=float("nan")), DamagedFile, "threshold_ is nan"),
        (changed(learned__threshold_=True), DamagedFile, "threshold_ is True"),
        (changed(learned__threshold_="3.0"), DamagedFile, "threshold_ is '3.0'"),
        (changed(learned__centres_=[]), DamagedFile, r"centres_ is \[\]"),
        (changed(learned__widths_=[1.0, None]), DamagedFile, "widths_ are"),
        (changed(learned__widths_=[1.0, [2.0, 3.0]]), DamagedFile, "widths_ are"),
        (changed(learned={}), DamagedFile, "incomplete; expected threshold_, n_ranked_, rank_, centres_, widths_"),
        (changed(learned__widths_=[1.0, 2.0]), DamagedFile, "expected a centre and a positive width for each step"),
        (changed(learned__widths_=[0.0] * 9), DamagedFile, "expected a centre and a positive width for each step"),
        (changed(learned__threshold_=[1.0]), DamagedFile, r"threshold_ is \[1.0\]; expected a finite number"),
        (changed(learned__rank_=1.5), DamagedFile, "rank_ is 1.5"),
        (changed(learned__rank_=1000), DamagedFile, "rank_ is 1000; expected an integer from 1 to 80"),
        (changed(learned__rank_=76), DamagedFile, "rank_ is 76 of 80 for alpha 0.05; expected 77"),
        (changed(learned__n_ranked_=100), DamagedFile, "rank_ is 77 of 100 for alpha 0.05; expected 96"),
        (changed(options__alpha=0.04), DamagedFile, "rank_ is 77 of 80 for alpha 0.04; expected 78. Fit the alarm"),
        (changed(options__confidence=0.95), DamagedFile, "for alpha 0.05 with confidence 0.95; expected"),
        (changed(more=1), DamagedFile, "not an alarm"),
        (changed(learned__n_ranked_=10**400), DamagedFile, "n_ranked_ is 1000"),
        (changed(options__half_window=10**12), DamagedFile, "half_window is 1000000000000"),
        (changed(alarm=["TimeBand"]), DamagedFile, "expected a string"),
        (changed(learned__more=1.0), DamagedFile, "incomplete"),
        (changed(learned=3), DamagedFile, "incomplete"),
    ],
)
def test_data_that_is_not_an_alarm_is_an_error(data, error, problem, tmp_path):
    with pytest.raises(error, match=problem):
        alarm_from_dict(data)
    write_json(tmp_path / "alarm.json", with_checksum(data) if isinstance(data, dict) else data)
    with pytest.raises(error, match=problem) as raised:
        load_alarm(tmp_path / "alarm.json")
    assert error is UnknownName or "alarm.json" in str(raised.value)


def test_a_changed_threshold_is_noticed(tmp_path):
    alarm = EpisodeMaximum().fit(SCORES)
    save_alarm(tmp_path / "alarm.json", alarm)
    text = (tmp_path / "alarm.json").read_text()
    (tmp_path / "alarm.json").write_text(text.replace(f'"threshold_": {alarm.threshold_}', '"threshold_": 0.73'))
    with pytest.raises(DamagedFile, match=r"alarm.json was changed"):
        load_alarm(tmp_path / "alarm.json")


def test_an_alarm_of_an_early_version_has_no_checksum_and_is_read_with_a_warning(tmp_path):
    alarm = EpisodeMaximum().fit(SCORES)
    write_json(tmp_path / "alarm.json", alarm.to_dict())
    with pytest.warns(NoChecksum, match="alarm.json has no checksum"):
        assert load_alarm(tmp_path / "alarm.json").to_dict() == alarm.to_dict()


def test_a_missing_or_invalid_file_is_an_error(tmp_path):
    with pytest.raises(MissingFile, match="does not exist"):
        load_alarm(tmp_path / "alarm.json")
    (tmp_path / "alarm.json").write_text("{")
    with pytest.raises(DamagedFile, match="is not valid JSON"):
        load_alarm(tmp_path / "alarm.json")
