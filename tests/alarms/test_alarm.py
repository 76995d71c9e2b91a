"""The contract of alarms: online equals batch, states are immutable, invalid input is a named error."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import offnominal
from offnominal.alarms import Alarm, EpisodeCusum, EpisodeEwma, EpisodeMaximum, Maximum, TimeBand, alarms, make_alarm
from offnominal.alarms import simulate_scores as simulate
from offnominal.alarms.thresholds import _Threshold
from offnominal.core.errors import InvalidParameter, InvalidScores, NotFitted, UnknownName
from offnominal.detectors.observation_limits import MAX_SCORE

SCORES = simulate(100, steps=(3, 9), seed=20)
FITTED = {id: make_alarm(id).fit(SCORES) for id in alarms.ids()}
EPISODES = st.lists(
    hnp.arrays(np.float64, st.integers(1, 14), elements=st.floats(-10, 10) | st.sampled_from([0.0, 1.0, 3.0])),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60)
@given(episodes=EPISODES, id=st.sampled_from(sorted(FITTED)))
def test_online_equals_batch_for_rows_that_end_at_different_times(episodes, id):
    alarm = FITTED[id]
    batch = alarm.alarm(episodes)
    state = alarm.start(len(episodes))
    for t in range(max(map(len, episodes))):
        state, raised = alarm.update(state, [episode[min(t, len(episode) - 1)] for episode in episodes])
        for row, episode in enumerate(episodes):
            assert t >= len(episode) or raised[row] == batch[row][t]
    for episode, together in zip(episodes, batch, strict=True):
        np.testing.assert_array_equal(alarm.alarm([episode])[0], together)


@pytest.mark.parametrize("id", alarms.ids())
def test_a_restarted_row_begins_a_new_episode_and_the_others_continue(id):
    alarm, (first, second) = FITTED[id], (np.full(6, 5.0), np.linspace(0.0, 9.0, 6))
    state = alarm.start(2)
    for t in range(3):
        state, _ = alarm.update(state, [first[t], second[t]])
    assert state.steps.tolist() == [3, 3]
    online, state = [], alarm.restart(state, np.array([0]))
    for t in range(3):
        state, raised = alarm.update(state, [first[t], second[t + 3]])
        online.append(raised.tolist())
    expected = [alarm.alarm([first])[0][:3], alarm.alarm([second])[0][3:]]
    assert np.array_equal(np.array(online).T, expected)
    assert state.steps.tolist() == [3, 6]


@pytest.mark.parametrize("id", alarms.ids())
def test_a_state_is_not_changed_by_its_use(id):
    alarm = FITTED[id]
    state, _ = alarm.update(alarm.start(2), [9.0, 0.0])
    before = (state.steps.copy(), state.memory.copy())
    alarm.update(state, [4.0, 4.0])
    alarm.restart(state, np.array([True, False]))
    assert np.array_equal(state.steps, before[0])
    assert np.array_equal(state.memory, before[1])


@pytest.mark.parametrize("id", alarms.ids())
def test_fit_returns_the_alarm_and_is_reproducible(id):
    alarm = make_alarm(id)
    assert alarm.fit(simulate(100, steps=4, seed=1)) is alarm
    assert alarm.fit(SCORES).to_dict() == FITTED[id].to_dict()


@pytest.mark.parametrize("id", alarms.ids())
def test_a_constructor_only_stores(id):
    alarm = make_alarm(id)
    assert not alarm.fitted
    assert not [name for name in vars(alarm) if name.endswith("_")]
    assert FITTED[id].fitted


@pytest.mark.parametrize(
    "use",
    [
        lambda alarm: alarm.alarm([[1.0]]),
        lambda alarm: alarm.first_alarms([[1.0]]),
        lambda alarm: alarm.statistic([[1.0]]),
        lambda alarm: alarm.update(alarm.start(), [1.0]),
        lambda alarm: alarm.to_dict(),
    ],
)
def test_use_before_fit_is_an_error(use):
    for alarm in (Maximum(), EpisodeMaximum(), EpisodeEwma()):
        with pytest.raises(NotFitted, match=rf"{type(alarm).__name__}\(.* call fit"):
            use(alarm)
    half = EpisodeEwma()
    half.threshold_ = 1.0
    with pytest.raises(NotFitted):
        use(half)
    for use_of_its_own in (lambda: TimeBand().band(3), lambda: EpisodeMaximum().rate_distribution):
        with pytest.raises(NotFitted):
            use_of_its_own()


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ([[1.0, np.nan]], "score of episode 0 is nan at step 1"),
        ([[1.0], [1.0, 2.0, -np.inf]], "score of episode 1 is -inf at step 2"),
        ([[1.0], []], r"scores of episode 1 have shape \(0,\)"),
        ([1.0, 2.0], r"scores of episode 0 have shape \(\)"),
        ([np.ones((3, 2))], r"shape \(3, 2\)"),
        (["strange"], "scores are of type <U7; expected numbers"),
        ([[[1.0], [1.0, 2.0]]], "scores are a list that is no array; expected numbers"),
        (3.0, "scores are a float"),
    ],
)
def test_invalid_scores_are_an_error(bad, problem):
    with pytest.raises(InvalidScores, match=problem):
        Maximum().fit(bad)
    with pytest.raises(InvalidScores, match=problem):
        FITTED["Maximum"].alarm(bad)


def test_no_episode_is_an_error_in_fit_and_gives_no_alarms():
    with pytest.raises(InvalidScores, match="no episode was given"):
        Maximum().fit([])
    assert FITTED["EpisodeEwma"].alarm([]) == []


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ([1.0], r"shape \(1,\); expected \(2,\)"),
        ([[1.0, 2.0]], r"shape \(1, 2\)"),
        (1.0, r"shape \(\)"),
        ([1.0, np.nan], "score of row 1 is nan"),
        ([np.inf, 1.0], "score of row 0 is inf"),
    ],
)
def test_a_step_with_bad_scores_is_an_error(row, problem):
    alarm = FITTED["EpisodeCusum"]
    with pytest.raises(InvalidScores, match=problem):
        alarm.update(alarm.start(2), row)


@pytest.mark.parametrize("n", [0, -1, 1.5])
def test_an_invalid_number_of_rows_is_an_error(n):
    with pytest.raises(InvalidParameter):
        Maximum().start(n)


def test_a_failed_fit_keeps_the_previous_threshold():
    alarm = EpisodeEwma().fit(SCORES)
    before = alarm.to_dict()
    with pytest.raises(InvalidScores, match="too large to be summed"):
        alarm.fit([np.full(3, -1e308) for _ in range(100)])
    assert alarm.to_dict() == before


@dataclass(eq=False)
class Jump(_Threshold):
    """Watches how far a score is from the one before; its memory is the array it was given."""

    factor: float = 1.0
    largest_: float = field(init=False, repr=False)

    def fit_threshold(self, episodes):
        self.largest_ = float(np.max(np.concatenate(episodes)))
        self.threshold_ = self.factor

    def start(self, n=1):
        state = super().start(n)
        return type(state)(state.steps, np.full(n, self.largest_))

    def update_statistic(self, state, scores):
        return state.after(scores), scores - state.memory


def test_an_alarm_may_keep_the_scores_it_is_given_and_start_as_it_likes():
    alarm = Jump(factor=2.0).fit([[1.0, 4.0]])
    assert [values.tolist() for values in alarm.statistic([[5.0, 7.0, 2.0], [4.0]])] == [[1.0, 2.0, -5.0], [0.0]]
    state, buffer = alarm.start(), np.array([5.0])
    state, _ = alarm.update(state, buffer)
    buffer[:] = 100.0
    state, raised = alarm.update(state, [7.5])
    assert raised.tolist() == [True]
    assert alarm.restart(state, np.array([0])).memory.tolist() == [4.0]
    assert Jump.id == "Jump"


@pytest.mark.parametrize("id", alarms.ids())
def test_every_alarm_documents_what_is_guaranteed_and_what_is_not(id):
    alarm = FITTED[id]
    text = type(alarm).__doc__
    assert "\n    Guaranteed:\n" in text
    assert "\n    Not guaranteed:\n" in text
    assert alarm.guarantee.assumption


def test_alarms_are_found_by_name():
    assert make_alarm("PacEpisodeMaximum").confidence == 0.95  # type: ignore[attr-defined]
    assert make_alarm("EpisodeMaximum", alpha=0.2).alpha == 0.2  # type: ignore[attr-defined]
    alarm = Maximum()
    assert make_alarm(alarm) is alarm
    with pytest.raises(UnknownName, match=r"no alarm named 'EpisodeMax'\. Did you mean 'EpisodeMaximum'"):
        make_alarm("EpisodeMax")


def test_the_package_exports_its_alarms():
    assert offnominal.alarms.EpisodeMaximum is EpisodeMaximum
    assert offnominal.Alarm is Alarm


@pytest.mark.parametrize("id", alarms.ids())
def test_an_invalid_reading_raises_every_alarm_and_keeps_the_statistic_finite(id):
    alarm, scores = FITTED[id], np.concatenate([SCORES[0], SCORES[1]])
    scores[5:8] = MAX_SCORE
    assert alarm.alarm([scores])[0][5:8].all()
    assert np.isfinite(alarm.statistic([scores])[0]).all()
    state = alarm.start()
    for score in scores:
        state, _ = alarm.update(state, [score])
    assert np.isfinite(state.memory).all()


@pytest.mark.parametrize("alarm", [EpisodeEwma(), EpisodeCusum(), TimeBand()])
def test_scores_that_hardly_differ_do_not_make_a_statistic_infinite(alarm):
    alarm.fit([np.full(4, 1e-310 * (number % 3)) for number in range(100)])
    (statistic,) = alarm.statistic([[MAX_SCORE, -1.7e308, MAX_SCORE]])
    assert np.isfinite(statistic).all()


@pytest.mark.parametrize("id", alarms.ids())
def test_an_alarm_is_not_calibrated_on_invalid_readings(id):
    with pytest.raises(InvalidScores, match="score of episode 1 is 1e\\+30 at step 2, that of an invalid reading"):
        make_alarm(id).fit([SCORES[0], [1.0, 2.0, MAX_SCORE], *SCORES[2:]])
