"""The tail model finds known tails, keeps the laws of alarms, and promises nothing."""

import numpy as np
import pytest

from offnominal.alarms import ParetoTail, TooFewEpisodes, load_alarm, save_alarm
from offnominal.alarms.pareto_tail import pareto_tail
from offnominal.core.errors import DamagedFile, InvalidParameter
from offnominal.laws import check_alarm


@pytest.mark.parametrize("shape", [-0.3, -0.1, 0.2, 0.4])
def test_moments_find_the_shape_of_a_known_tail(shape):
    uniform = (np.arange(1, 100_001) - 0.35) / 100_000
    found = pareto_tail(3.0 * ((1.0 - uniform) ** -shape - 1.0) / shape)
    assert found == pytest.approx((shape, 3.0), abs=0.02)


def test_the_run_length_is_about_the_wanted_one_if_the_tail_is_as_assumed():
    random = np.random.default_rng(0)
    runs = []
    for _ in range(20):
        alarm = ParetoTail(run_length=20_000, window=10).fit([random.exponential(size=20_000)])
        runs.append(1.0 / np.exp(-alarm.threshold_))
    assert 10_000 < np.exp(np.mean(np.log(runs))) < 40_000


def test_it_misses_the_run_length_by_far_if_the_tail_is_another_one():
    random = np.random.default_rng(1)
    scores = np.where(random.random(20_000) < 1e-4, 0.0, random.random(20_000))
    alarm = ParetoTail(run_length=10_000_000, window=10).fit([scores])
    rare = np.where(random.random(200_000) < 1e-4, 100.0, random.random(200_000))
    assert alarm.alarm([rare])[0].sum() >= 10


def test_it_promises_nothing_and_names_its_assumption():
    guarantee = ParetoTail().guarantee
    assert (guarantee.kind, guarantee.level, guarantee.run_length) == ("none", None, None)
    assert guarantee.assumption.startswith("assumed, not guaranteed")


def test_laws_hold():
    report = check_alarm(ParetoTail(run_length=1000, window=5))
    assert report.ok, report


def test_a_saved_alarm_is_the_same_and_a_changed_one_is_refused(tmp_path):
    random = np.random.default_rng(2)
    alarm = ParetoTail(run_length=5000, window=5).fit([random.normal(size=2000)])
    save_alarm(tmp_path / "alarm.json", alarm)
    assert load_alarm(tmp_path / "alarm.json").to_dict() == alarm.to_dict()
    alarm.threshold_ += 0.1
    save_alarm(tmp_path / "changed.json", alarm)
    with pytest.raises(DamagedFile, match="threshold_"):
        load_alarm(tmp_path / "changed.json")


def test_constant_scores_and_too_few_windows():
    constant = ParetoTail(run_length=5000, window=5).fit([np.ones(2000)])
    assert constant.threshold_ == pytest.approx(1.0)
    assert not constant.alarm([np.ones(50)])[0].any()
    with pytest.raises(TooFewEpisodes, match="give 500 steps or more"):
        ParetoTail(run_length=5000, window=5).fit([np.arange(100.0)])
    with pytest.raises(InvalidParameter, match="run_length"):
        ParetoTail(run_length=10, window=100).fit([np.arange(1000.0)])
