"""A saved monitor goes on exactly where it was; other or damaged files are refused."""

import json
import shutil

import numpy as np
import pytest

from offnominal.agents import expert
from offnominal.alarms import EDetector, EpisodeMaximum, OnlineMonitor, WindowMaximum, make_alarm
from offnominal.core.array_text import array_from_plain, array_to_plain
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, MissingFile
from offnominal.detectors import load_detector, make_detector
from offnominal.rollouts import collect

WORLD = "SAP-Goal0-v0"


@pytest.fixture(scope="module")
def episodes():
    return collect(WORLD, expert(WORLD), 40, seed=3)


def monitor_of(episodes, detector="Mahalanobis", alarm=None, **options):
    fitted = make_detector(detector, **options).fit(episodes[:20])
    alarm = alarm or EpisodeMaximum(0.1)
    return OnlineMonitor(fitted, alarm.fit(fitted.score(episodes[20:])), n=2)


def feed(monitor, episodes, start, stop):
    outputs = []
    for t in range(start, stop):
        o = np.stack([each.observations[t] for each in episodes[:2]])
        a = np.stack([each.actions[t] for each in episodes[:2]])
        after = np.stack([each.observations[t + 1] for each in episodes[:2]])
        outputs.append(monitor.update(o, a, after))
    return outputs


@pytest.mark.parametrize(
    ("detector", "options"),
    [
        ("Mahalanobis", {"view": "window", "window_length": 3}),
        ("Random", {}),
        ("Time", {}),
        pytest.param("LSTM-DM", {"n_epochs": 1}, marks=pytest.mark.long),
    ],
)
def test_the_next_scores_after_a_restart_are_identical(tmp_path, episodes, detector, options):
    monitor = monitor_of(episodes, detector, **options)
    feed(monitor, episodes, 0, 4)
    monitor.reset(np.array([1]))
    monitor.save(tmp_path)
    restarted = OnlineMonitor.load(tmp_path)
    ours, theirs = feed(monitor, episodes, 4, 8), feed(restarted, episodes, 4, 8)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(one.scores, other.scores)
        np.testing.assert_array_equal(one.raised, other.raised)
        np.testing.assert_array_equal(one.alarmed, other.alarmed)
    np.testing.assert_array_equal(monitor.steps, restarted.steps)


def test_a_fresh_start_would_give_other_scores(tmp_path, episodes):
    monitor = monitor_of(episodes, "Mahalanobis", view="window", window_length=3)
    feed(monitor, episodes, 0, 4)
    monitor.save(tmp_path)
    restarted = OnlineMonitor.load(tmp_path)
    restarted.reset()
    ours, theirs = feed(monitor, episodes, 4, 5), feed(restarted, episodes, 4, 5)
    assert (ours[0].scores != theirs[0].scores).all()


@pytest.mark.parametrize(
    "alarm", [WindowMaximum(window=3), EDetector(), make_alarm("EpisodeCusum")], ids=lambda a: a.id
)
def test_the_memory_of_the_alarm_is_kept(tmp_path, episodes, alarm):
    random = np.random.default_rng(0)
    scores = [random.random(200) for _ in range(40)]
    monitor = OnlineMonitor(make_detector("Time").fit(episodes[:5]), alarm.fit(scores), n=1)
    o, a = episodes[0].observations, episodes[0].actions
    for t in range(3):
        monitor.update(o[t : t + 1], a[t : t + 1], o[t + 1 : t + 2])
    monitor.save(tmp_path)
    restarted = OnlineMonitor.load(tmp_path)
    np.testing.assert_array_equal(monitor._alarm_state.memory, restarted._alarm_state.memory)
    np.testing.assert_array_equal(monitor._alarm_state.steps, restarted._alarm_state.steps)


def test_a_detector_saves_itself(tmp_path, episodes):
    detector = make_detector("KNN").fit(episodes[:10])
    detector.save(tmp_path / "knn")
    np.testing.assert_array_equal(detector.score(episodes)[0], load_detector(tmp_path / "knn").score(episodes)[0])


def test_files_of_another_detector_are_refused(tmp_path, episodes):
    monitor_of(episodes).save(tmp_path / "one")
    monitor_of(episodes[::-1]).save(tmp_path / "other")
    shutil.copy(tmp_path / "one" / "state.json", tmp_path / "other" / "state.json")
    with pytest.raises(DamagedFile, match="another detector or alarm"):
        OnlineMonitor.load(tmp_path / "other")


def test_missing_changed_and_wrong_states_are_refused(tmp_path, episodes):
    monitor_of(episodes, "Time").save(tmp_path)
    path = tmp_path / "state.json"
    intact = read_checked_json(path)
    wrong = {
        "n": 0,
        "steps": [1],
        "alarmed": [1, 0],
        "recent": [[]],
        "detector": [],
        "alarm": [array_to_plain(np.zeros(3)), array_to_plain(np.zeros(2))],
    }
    for name, value in wrong.items():
        write_checked_json(path, {**intact, name: value})
        with pytest.raises(DamagedFile):
            OnlineMonitor.load(tmp_path)
    write_checked_json(path, {name: value for name, value in intact.items() if name != "recent"})
    with pytest.raises(DamagedFile, match="not the state of a monitor"):
        OnlineMonitor.load(tmp_path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "n": 1}))
    with pytest.raises(DamagedFile, match="was changed"):
        OnlineMonitor.load(tmp_path)
    path.unlink()
    with pytest.raises(MissingFile):
        OnlineMonitor.load(tmp_path)


def test_arrays_as_text_are_exact_and_damage_is_named():
    for array in (np.array([0.1, np.nan, -np.inf]), np.zeros((0, 3), np.int32), np.array([True, False])):
        found = array_from_plain(json.loads(json.dumps(array_to_plain(array))))
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)
    intact = array_to_plain(np.zeros(3))
    for change in ({"shape": [4]}, {"dtype": "O"}, {"dtype": "no"}, {"data": "?"}, {"shape": [-3]}, {"shape": 3}):
        with pytest.raises(DamagedFile, match="array is damaged"):
            array_from_plain({**intact, **change})
    with pytest.raises(DamagedFile, match="expected the entries"):
        array_from_plain([1.0])
