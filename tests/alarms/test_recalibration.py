"""A calibration that is made again uses the episodes since a time only, and its file says so."""

from copy import deepcopy

import numpy as np
import pytest

from offnominal.alarms import (
    ACI,
    EDetector,
    EpisodeMaximum,
    TooFewEpisodes,
    WindowMaximum,
    alarm_from_dict,
    alarms,
    load_alarm,
    make_alarm,
    save_alarm,
    simulate_scores,
)
from offnominal.core.errors import DamagedFile, InvalidParameter, InvalidScores

SCORES = simulate_scores(60, steps=50) + [0.5 * scores for scores in simulate_scores(40, steps=50, seed=1)]
TIMES = np.arange(100.0)[::-1]
"""The last episodes of the list are the earliest ones."""


@pytest.mark.parametrize("kind", [*alarms.ids(), ACI(window=10), WindowMaximum(window=10), EDetector(1000, window=10)])
def test_it_is_a_fit_to_the_episodes_since_then(kind):
    alarm = deepcopy(make_alarm(kind)).fit(SCORES)
    again = alarm.recalibrate(SCORES, TIMES, since=40.0)
    assert again.threshold_ == deepcopy(make_alarm(kind)).fit(SCORES[:60]).threshold_
    assert again.guarantee == alarm.guarantee
    assert not alarm.recalibrations
    (made,) = again.recalibrations
    assert (made.episodes, made.left_out, made.threshold_before) == (60, 40, alarm.threshold_)
    loaded = alarm_from_dict(again.to_dict())
    assert loaded.recalibrations == again.recalibrations
    assert not loaded.fit(SCORES).recalibrations


def test_a_guarantee_after_a_repair_holds_again():
    """The threshold from before is too high after a repair, and hides faults; the new one has the promised share."""
    new = simulate_scores(3000, steps=50, seed=2)
    repaired = [0.5 * scores for scores in new]
    before = EpisodeMaximum(0.1).fit(SCORES[:60])
    again = before.recalibrate(SCORES, np.arange(100.0), since=60.0)
    shares = [np.mean([scores.max() > alarm.threshold_ for scores in repaired]) for alarm in (before, again)]
    assert shares[0] < 0.02
    assert 0.03 < shares[1] < 0.2


def test_the_file_keeps_every_record_and_refuses_a_changed_one(tmp_path):
    alarm = EpisodeMaximum(0.1).fit(SCORES)
    for since in (10.0, 50.0):
        alarm = alarm.recalibrate(SCORES, TIMES, since=since)
    save_alarm(tmp_path / "alarm.json", alarm)
    assert [each.since for each in load_alarm(tmp_path / "alarm.json").recalibrations] == [10.0, 50.0]
    for wrong in ([{"since": 1.0}], "yes", [3], [alarm.recalibrations[0].to_dict() | {"threshold": 9.0}]):
        with pytest.raises(DamagedFile, match="ecalibration"):
            alarm_from_dict(alarm.to_dict() | {"recalibrations": wrong})


def test_wrong_input_is_a_named_error():
    alarm = EpisodeMaximum(0.1).fit(SCORES)
    with pytest.raises(TooFewEpisodes, match="of 100 episodes, 5 began at 95 or later: 5 nominal episodes are too few"):
        alarm.recalibrate(SCORES, TIMES, since=95.0)
    with pytest.raises(InvalidScores, match="0 began at 1000 or later; choose an earlier time"):
        alarm.recalibrate(SCORES, TIMES, since=1000.0)
    for times in (TIMES[:9], np.full(100, np.nan), "noon"):
        with pytest.raises(InvalidParameter, match="times"):
            alarm.recalibrate(SCORES, times, since=3.0)
    with pytest.raises(InvalidParameter, match="since"):
        alarm.recalibrate(SCORES, TIMES, since="noon")
