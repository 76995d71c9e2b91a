"""A threshold per mode keeps its promise in every mode; a mode that was not seen has a stated rule."""

from dataclasses import dataclass

import numpy as np
import pytest

from offnominal.alarms import (
    EpisodeMaximum,
    ModeThresholds,
    Segmentation,
    TooFewEpisodes,
    UnseenMode,
    load_alarm,
    save_alarm,
    simulate_scores,
)
from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted
from offnominal.laws import check_alarm

pytestmark = pytest.mark.long

ALPHA = 0.1


def tasks(n, seed):
    """Return episodes of two tasks, one with scores three times as large, and their tasks."""
    modes = np.arange(n) % 2
    scores = simulate_scores(n, steps=30, seed=seed)
    return [(1.0 + 2.0 * mode) * each for mode, each in zip(modes, scores, strict=True)], modes


def gaits(n, seed):
    """Return episodes that change between three modes, and the mode of each step."""
    modes = [np.roll(np.arange(30) // 10, number) for number in range(n)]
    scores = simulate_scores(n, steps=30, seed=seed)
    return [(1.0 + mode) * each for mode, each in zip(modes, scores, strict=True)], modes


def rates(alarm, make, *, by_mode, calibrations=60, n=400):
    """Return the mean share of new episodes with an alarm, per task or over all."""
    found = []
    for number in range(calibrations):
        alarm.fit(*make(120, 2 * number))
        scores, modes = make(n, 2 * number + 1)
        raised = np.array([each.any() for each in alarm.alarm(scores, modes)])
        found.append([raised[modes == mode].mean() for mode in (0, 1)] if by_mode else [raised.mean()])
    return np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(calibrations)


def test_the_promise_holds_in_each_mode_and_one_threshold_for_all_breaks_it():
    alarm = ModeThresholds(ALPHA)
    share, error = rates(alarm, tasks, by_mode=True)
    assert (share <= ALPHA + 3.0 * error).all()
    assert (share > ALPHA - 0.04).all()
    scores, modes = tasks(4000, 9)
    raised = np.array([each.any() for each in EpisodeMaximum(ALPHA).fit(tasks(120, 8)[0]).alarm(scores)])
    assert raised[modes == 1].mean() > 1.5 * ALPHA
    assert raised[modes == 0].mean() < 0.2 * ALPHA


@dataclass(eq=False)
class Careless(ModeThresholds):
    """Gives each mode of an episode the whole of alpha."""

    def _level(self, modes):
        return self.alpha


@pytest.mark.parametrize(("kind", "kept"), [(ModeThresholds, True), (Careless, False)])
def test_the_promise_holds_over_the_modes_of_an_episode(kind, kept):
    share, error = rates(kind(ALPHA), gaits, by_mode=False, calibrations=30)
    assert (share[0] <= ALPHA + 3.0 * error[0]) == kept


def test_it_keeps_the_laws_of_alarms():
    report = check_alarm(ModeThresholds(ALPHA))
    assert report.ok, report
    assert not [finding for finding in report if finding.skipped]


@dataclass(eq=False)
class Low(ModeThresholds):
    """Takes thresholds that are too low."""

    def fit_threshold(self, episodes):
        super().fit_threshold(episodes)
        self.thresholds_ = self.thresholds_ * 0.8
        self.threshold_ = float(self.thresholds_[0])


def test_a_planted_violation_breaks_the_law():
    assert "level 0.1" in next(iter(check_alarm(Low(ALPHA)))).problem


def test_online_equals_batch():
    alarm = ModeThresholds(ALPHA).fit(*gaits(120, 0))
    scores, modes = gaits(3, 1)
    scores[1][5:] *= 4.0
    state, rows = alarm.start(3), []
    for now, values in zip(np.array(modes).T, np.array(scores).T, strict=True):
        state, raised = alarm.update(alarm.in_mode(state, now), values)
        rows.append(raised)
    batch = alarm.alarm(scores, modes)
    assert np.array_equal(np.array(rows).T, batch)
    assert batch[1].any()
    assert np.isnan(alarm.restart(state, [1]).memory).tolist() == [False, True, False]


def test_an_unseen_mode_is_an_error_an_alarm_or_has_the_largest_threshold():
    scores, modes = tasks(60, 0)
    high = 1e6
    strict = ModeThresholds(ALPHA).fit(scores, modes)
    with pytest.raises(UnseenMode, match=r"did not have mode 7; it had 0, 1\. Calibrate with it"):
        strict.alarm([[1.0]], [7])
    with pytest.raises(UnseenMode, match="mode -1"):
        strict.in_mode(strict.start(), [-1])
    wary = ModeThresholds(ALPHA, unseen="alarm").fit(scores, modes)
    assert wary.alarm([[0.0, -9.0], [0.0, 0.0]], [7, 1])[0].tolist() == [True, True]
    lenient = ModeThresholds(ALPHA, unseen="largest").fit(scores, modes)
    between = float(lenient.thresholds_.max()) - 0.1
    assert lenient.first_alarms([[between, high], [between, 0.0]], [7, 0]) == [1, 0]


def test_modes_must_be_given_and_be_integers():
    alarm = ModeThresholds(ALPHA).fit(*tasks(60, 0))
    with pytest.raises(InvalidParameter, match="no modes were given"):
        alarm.alarm([[1.0]])
    with pytest.raises(InvalidParameter, match="no mode was given for an episode"):
        alarm.update(alarm.start(), [1.0])
    for wrong in (["walk"], [0.5], [[0, 1]], [0, 1], "a", 3):
        with pytest.raises(InvalidParameter, match="mode"):
            alarm.alarm([[1.0]], wrong)
    with pytest.raises(TooFewEpisodes, match=r"mode 5 is in 1 nominal episodes, too few for alpha 0.1; give 9 or more"):
        ModeThresholds(ALPHA).fit([[1.0]] * 20, [0] * 19 + [5])
    with pytest.raises(TooFewEpisodes, match="over 3 modes"):
        ModeThresholds(ALPHA).fit(*gaits(20, 0))


def test_a_saved_alarm_is_the_same_and_a_changed_one_is_refused(tmp_path):
    alarm = ModeThresholds(ALPHA, unseen="alarm").fit(*gaits(60, 0))
    save_alarm(tmp_path / "alarm.json", alarm)
    loaded = load_alarm(tmp_path / "alarm.json")
    assert isinstance(loaded, ModeThresholds)
    scores, modes = gaits(5, 3)
    pairs = zip(loaded.alarm(scores, modes), alarm.alarm(scores, modes), strict=True)
    assert all(np.array_equal(first, second) for first, second in pairs)
    assert loaded.guarantee == alarm.guarantee
    for name, value in (
        ("modes_", np.array([0.0, 0.5, 2.0])),
        ("thresholds_", np.array([1.0, 2.0])),
        ("n_ranked_", np.array([60.0, 3.0, 60.0])),
        ("threshold_", 0.1),
        ("changing_", 2),
    ):
        changed = load_alarm(tmp_path / "alarm.json")
        setattr(changed, name, value)
        save_alarm(tmp_path / "changed.json", changed)
        with pytest.raises(DamagedFile, match=name):
            load_alarm(tmp_path / "changed.json")


def test_a_recalibration_needs_modes_too():
    scores, modes = tasks(100, 0)
    alarm = ModeThresholds(ALPHA).fit(scores, modes)
    again = alarm.recalibrate(scores, np.arange(100), since=40, modes=modes)
    assert np.array_equal(again.thresholds_, ModeThresholds(ALPHA).fit(scores[40:], modes[40:]).thresholds_)
    with pytest.raises(InvalidParameter, match="no modes were given"):
        alarm.recalibrate(scores, np.arange(100), since=40)


def test_modes_are_found_in_observations_and_saved(tmp_path):
    random = np.random.default_rng(0)
    centres = np.array([[0.0, 0.0, 5.0], [9.0, 0.0, 5.0], [0.0, 7.0, 5.0]])
    truth = random.integers(0, 3, (4, 200))
    episodes = [centres[row] + [0.3, 0.3, 0.0] * random.normal(size=(200, 3)) for row in truth]
    found = Segmentation(3).fit(episodes[:3])
    labels = found.labels(episodes[3])
    names = {mode: labels[truth[3] == mode] for mode in range(3)}
    assert all(len(set(each[each >= 0].tolist())) == 1 for each in names.values())
    assert (labels >= 0).mean() > 0.95
    assert found.labels([[99.0, 99.0, 5.0]]).tolist() == [-1]
    found.save(tmp_path / "modes.json")
    assert np.array_equal(Segmentation.load(tmp_path / "modes.json").labels(episodes[3]), labels)
    text = (tmp_path / "modes.json").read_text(encoding="utf-8")
    (tmp_path / "modes.json").write_text(text.replace("5.0", "6.0"), encoding="utf-8")
    with pytest.raises(DamagedFile):
        Segmentation.load(tmp_path / "modes.json")


def test_invalid_observations_are_named_errors():
    with pytest.raises(NotFitted, match="call fit"):
        Segmentation().labels([[1.0]])
    with pytest.raises(InvalidParameter, match="fewer different observations than 3"):
        Segmentation(3).fit([np.zeros((9, 2))])
    with pytest.raises(InvalidParameter, match="not finite"):
        Segmentation(1).fit([[[np.nan]]])
    with pytest.raises(InvalidParameter, match="different channels"):
        Segmentation(1).fit([np.zeros((3, 2)), np.zeros((3, 1))])
    with pytest.raises(InvalidParameter, match="observations"):
        Segmentation(1).fit([np.zeros((3, 2))]).labels(np.zeros((3, 5)))
