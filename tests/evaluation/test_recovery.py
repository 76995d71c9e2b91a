"""Alarms after the end of a fault are measured against nominal episodes at the same times."""

import numpy as np
import pytest

from offnominal.core.episode import Event
from offnominal.core.errors import InvalidParameter
from offnominal.evaluation import evaluate_split, measure_recovery
from offnominal.evaluation.errors import InvalidLabels
from offnominal.evaluation.ground_truth import GroundTruth
from offnominal.evaluation.recovery import GRACE

pytestmark = pytest.mark.long

STEPS = np.arange(60)
LABELS = (STEPS >= 5) & (STEPS < 15)


def test_an_alarm_that_stops_in_time_is_not_lasting():
    found = measure_recovery([STEPS < 15 + GRACE], [LABELS], replicates=0)
    assert (found.lasting.value, found.in_alarm.value) == (0.0, 20.0)


def test_an_alarm_one_step_later_is():
    assert measure_recovery([STEPS < 16 + GRACE], [LABELS], replicates=0).lasting.value == 1.0


def test_an_alarm_that_is_always_raised_has_no_net_alarm():
    always = [np.ones(60, bool)] * 4
    found = measure_recovery(always, [LABELS] * 4, nominal=always, replicates=0)
    assert (found.lasting.value, found.net.value) == (1.0, 0.0)


def test_alarms_that_depend_on_the_time_alone_have_no_net_alarm():
    late = [STEPS > 50] * 4
    found = measure_recovery(late, [LABELS] * 4, nominal=late, replicates=50)
    assert (found.net.value, found.net.draws.max(), found.net.draws.min()) == (0.0, 0.0, 0.0)


def test_only_nominal_episodes_that_last_so_long_are_paired():
    nominal = [np.ones(30, bool), np.zeros(60, bool)]
    found = measure_recovery([STEPS > 50] * 2, [LABELS] * 2, nominal=nominal, replicates=0)
    assert found.net.value == 1.0


def test_episodes_that_end_in_the_grace_do_not_count():
    short = np.arange(15 + GRACE) >= 5
    found = measure_recovery([short, STEPS > 50], [short & (np.arange(len(short)) < 15), LABELS], replicates=0)
    assert (found.episodes, found.lasting.value) == (1, 1.0)


def test_intervals_count_faulty_and_nominal_episodes():
    rng = np.random.default_rng(0)
    alarms, nominal = ([np.full(60, flag) for flag in rng.random(40) < share] for share in (0.8, 0.3))
    found = measure_recovery(alarms, [LABELS] * 40, nominal=nominal, replicates=500)
    assert found.net.value == pytest.approx(0.5, abs=0.2)
    assert 0.2 < found.net.high - found.net.low < 0.6


def test_injected_faults_that_end_have_events_and_recovery():
    truth = GroundTruth(LABELS, (Event("action/offset", 1.0, 5, 15),))
    scores = [LABELS.astype(float)] * 3
    nominal = [np.zeros(60)] * 3
    raised, quiet = [row > 0.5 for row in scores], [row > 0.5 for row in nominal]
    found = evaluate_split(
        scores, [truth] * 3, nominal=nominal, alarms=raised, nominal_alarms=quiet, replicates=0
    ).numbers()
    assert found["event_detected"].value == 1.0
    assert found["recovery_alarm"].value == found["net_recovery_alarm"].value == 0.0


def test_faults_that_last_have_neither():
    active = STEPS >= 5
    truth = GroundTruth(active, (Event("action/offset", 1.0, 5),))
    found = evaluate_split([active.astype(float)] * 3, [truth] * 3, alarms=[active] * 3, replicates=0).numbers()
    assert not {"event_detected", "recovery_alarm"} & set(found)


def test_invalid_input_is_named():
    with pytest.raises(InvalidLabels, match="no labels"):
        measure_recovery([], [])
    with pytest.raises(InvalidParameter, match="grace"):
        measure_recovery([STEPS > 3], [LABELS], grace=0)
