"""Ours beside print."""

import numpy as np
import pyarrow as pa
import pytest

from offnominal.core.errors import UnknownName
from offnominal.papers.catalogue import figures_of, tables_of
from offnominal.papers.ood_rl.published import published_rows
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM, PONG
from offnominal.studies.results import RunResults

from .test_results import row


def compared(number, rows):
    (table,) = tables_of("ood-rl", [number])
    return table.compare(RunResults("ood-rl", "", "", "", {}, pa.Table.from_pylist(rows), pa.table({})))


@pytest.mark.parametrize("published", [each for each in published_rows() if len(each.trials) == 5])
def test_published_means_deviations_and_maxima_are_those_of_the_published_trials(published):
    trials = np.array(published.trials)
    assert trials.mean() == pytest.approx(published.mean, abs=6e-4)
    assert trials.std(ddof=1) == pytest.approx(published.std, abs=6e-4)
    assert trials.max() == published.best


def test_known_settings_stand_beside_print():
    rows = [
        row(CARTPOLE, 0, trial, anomaly="dynamics/pole_length", value=2.0, auc=auc)
        for trial, auc in enumerate((0.85, 0.95))
    ]
    known, *apart = compared(6, rows)
    assert (known.labels["setting"], known.ours.value, known.published) == (
        "length of the pole 2",
        pytest.approx(0.9),
        0.88,
    )
    assert known.verdict == "match"
    assert [line.published for line in apart] == [0.055, 0.044]


def test_a_published_number_of_an_unknown_setting_has_the_range_of_ours_and_no_verdict():
    rows = [row(PENDULUM, 0, 0, value=value, returns=-900.0, auc=auc) for value, auc in ((20.0, 0.6), (200.0, 0.8))]
    gravity = next(line for line in compared(9, rows) if "0.661 ± 0.060" in line.note)
    assert (gravity.ours.low, gravity.ours.high, gravity.verdict) == (0.6, 0.8, "")
    best = [line.note.split(",")[0] for line in compared(4, rows) if "published" in line.note]
    assert best == ["published 0.727", "published 0.602"]


def test_where_no_agent_fails_all_settings_are_compared():
    pixelate = {"anomaly": "camera/pixelate", "returns": 21.0}
    rows = [row(PONG, 0, 0, value=value, auc=auc, **pixelate) for value, auc in ((1.0, 0.5), (5.0, 0.8))]
    lines = compared(12, rows)
    assert [(line.ours.low, line.ours.high) for line in lines] == [(0.5, 0.8)] * 2
    rows.append(row(PONG, 0, 0, value=4.0, auc=0.9, anomaly="camera/pixelate", returns=6.0))
    failed, *apart = compared(12, rows)
    assert failed.ours.value == 0.9
    assert [(line.ours.low, line.ours.high) for line in apart] == [(0.9, 0.9)] * 2


def test_tables_of_pong_are_made_from_a_run_of_pong():
    scales = {table.number: table.scale for table in tables_of("ood-rl")}
    assert {number for number, scale in scales.items() if scale == "pong"} == {5, *range(12, 20)}
    assert set(scales.values()) == {"pong", "laptop"}


def test_a_world_that_was_not_run_is_said_to_be_missing():
    lines = compared(18, [row(CARTPOLE, 0, 0, value=98.0)])
    assert [(line.published, line.ours.value) for line in lines] == [(0.823, None), (0.634, None)]
    assert "not in this run" in lines[0].note


def test_every_published_number_is_of_a_world_of_the_study():
    assert {each.world for each in published_rows()} == {CARTPOLE, PENDULUM, PONG}


def test_the_reason_of_an_unknown_table_is_given():
    with pytest.raises(UnknownName, match="neither its content"):
        tables_of("ood-rl", [2])
    with pytest.raises(UnknownName, match="corrupted frames"):
        figures_of("ood-rl", [6])
    assert [figure.file for figure in figures_of("ood-rl", [4, 5])] == ["q_values", "actions"]
