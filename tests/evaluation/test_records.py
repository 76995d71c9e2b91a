"""Records give the delay of every threshold."""

import numpy as np
from hypothesis import given, settings

from offnominal.evaluation.records import Records
from offnominal.evaluation.step_scores import StepScores

from .cases import scored


@settings(max_examples=60)
@given(scored())
def test_the_first_record_above_a_threshold_is_the_alarm(case):
    scores, onsets = case
    records = Records.of(StepScores.of(scores), onsets)
    struck = [e for e, row in enumerate(scores) if onsets[e] < len(row)]
    assert records.faulty.tolist() == struck
    for e in struck:
        row, mine = scores[e], slice(records.bounds[e], records.bounds[e + 1])
        values, delays = records.values[mine], records.delays[mine]
        assert (np.diff(values) > 0).all()
        assert records.exposures[e] == len(row) - onsets[e]
        assert records.before[e] == max(row[: onsets[e]], default=-np.inf)
        assert (records.owner[mine] == e).all()
        for threshold in np.arange(-5.0, 5.0):
            above = np.flatnonzero(row[onsets[e] :] > threshold)
            assert delays[values > threshold].tolist()[:1] == above[:1].tolist()
    assert len(records.owner) == len(records.values) == records.bounds[-1]


def test_a_score_of_minus_infinity_is_a_record_at_the_onset():
    records = Records.of(StepScores.of([[-np.inf, -np.inf, 0.0]]), [0])
    assert records.values.tolist() == [-np.inf, 0.0]
    assert records.delays.tolist() == [0, 2]
