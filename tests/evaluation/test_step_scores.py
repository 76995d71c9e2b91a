"""Invalid input is a named error that gives the position."""

import numpy as np
import pytest

from offnominal.core.errors import InvalidParameter, InvalidScores
from offnominal.evaluation import (
    InvalidLabels,
    measure_alarm_budget,
    measure_discrimination,
    measure_time_matched,
    measure_timing,
)
from offnominal.evaluation.step_scores import StepScores, flags, onset_steps

GOOD = [np.array([0.1, 0.2]), np.array([0.3, 0.4, 0.5])]
LABELS = [np.array([False, True]), np.array([False, True, True])]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([], "no scores"),
        ([GOOD[0], np.array([0.1, np.nan, np.nan])], "episode 1 contain NaN, first at transition 1"),
        (GOOD[1], "episode 0 are an array of float64 with shape ()"),
        ([GOOD[0], np.ones((3, 1))], r"episode 1 .* shape \(3, 1\)"),
        ([GOOD[0], np.array(["a", "b", "c"])], "episode 1"),
        ([GOOD[0], np.array([True, False, True])], "episode 1 are an array of bool"),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(scores, words):
    with pytest.raises(InvalidScores, match=words):
        measure_discrimination(scores, LABELS)
    with pytest.raises(InvalidScores, match=words.replace("scores", "nominal scores")):
        measure_time_matched(GOOD, LABELS, scores)
    with pytest.raises(InvalidScores, match=words.replace("scores", "nominal scores")):
        measure_alarm_budget(GOOD, [1, 1], scores)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (LABELS[:1], "labels of 1 episodes; expected 2"),
        ([LABELS[0], LABELS[0]], "episode 1 has 2 labels for 3 transitions"),
        ([LABELS[0], np.array([0, 1, 1])], "episode 1 are of type int64; expected booleans"),
        ([LABELS[0], np.array([[False, True, True]])], "episode 1"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels, words):
    with pytest.raises(InvalidLabels, match=words):
        measure_discrimination(GOOD, labels)
    with pytest.raises(InvalidLabels, match=words):
        measure_time_matched(GOOD, labels, GOOD)


def test_alarms_and_onsets_that_do_not_fit_are_refused():
    with pytest.raises(InvalidLabels, match="no alarms"):
        measure_timing([], [])
    with pytest.raises(InvalidLabels, match="no nominal alarms"):
        measure_timing(LABELS, [1, 1], nominal=[])
    with pytest.raises(InvalidLabels, match="alarms of episode 0 are of type float64"):
        measure_timing([row.astype(float) for row in LABELS], [1, 1])
    with pytest.raises(InvalidLabels, match="onsets of 1 episodes; expected 2"):
        measure_timing(LABELS, [1])
    with pytest.raises(InvalidLabels, match="onsets of 3 episodes"):
        measure_alarm_budget(GOOD, [1, 1, 1], GOOD)


@pytest.mark.parametrize("replicates", [-1, 2.0, True])
def test_a_wrong_number_of_replicates_is_refused(replicates):
    with pytest.raises(InvalidParameter, match="replicates"):
        measure_discrimination(GOOD, LABELS, replicates=replicates)


def test_steps_know_their_episode_and_their_time():
    steps = StepScores.of([[1, 2, 3], [], [4, 5]])
    assert len(steps) == 3
    assert steps.values.dtype == np.float64
    assert steps.lengths.tolist() == [3, 0, 2]
    assert steps.episode.tolist() == [0, 0, 0, 2, 2]
    assert steps.time.tolist() == [0, 1, 2, 0, 1]
    assert steps.time_baseline().values.tolist() == [0, 1, 2, 0, 1]


def test_half_precision_scores_keep_their_ties():
    rows = [np.array([0.1, 0.1, 0.2], np.float32), np.array([1, 2], np.int8)]
    assert StepScores.of(rows).values[0] == StepScores.of(rows).values[1] < StepScores.of(rows).values[2]


def test_flags_of_empty_episodes_are_empty():
    assert flags([np.zeros(0, np.bool_)], np.array([0])).shape == (0,)


def test_an_onset_after_the_end_is_none():
    assert onset_steps([0, 4, 5, None], np.array([5, 5, 5, 5])).tolist() == [0, 4, -1, -1]
