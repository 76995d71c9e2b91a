"""Plausible ranges: from the cards alone, and no named strength is beyond one."""

import math
from itertools import product

import pytest

from offnominal.anomalies import make_anomaly
from offnominal.anomalies.catalogue import anomalies_with
from offnominal.anomalies.plausibility import PlausibleRange, plausible_range
from offnominal.anomalies.strengths import Strength, beyond_limits, calibrated_strengths
from offnominal.worlds import worlds

CALIBRATED = [id for id in worlds.ids() if id.startswith(("CAR-", "MJC-", "SAP-", "UR"))]


@pytest.mark.parametrize("world", CALIBRATED)
def test_every_anomaly_of_a_calibrated_world_has_a_plausible_range_with_a_reason(world):
    card = worlds.card(world)
    for anomaly in anomalies_with([each.name for each in card.physics_parameters]):
        found = plausible_range(card, make_anomaly(anomaly))
        assert math.isfinite(found.low) or math.isfinite(found.high)
        assert found.reason


@pytest.mark.parametrize("world", CALIBRATED)
def test_neutral_parameters_are_plausible_and_every_channel_has_a_range(world):
    card = worlds.card(world)
    for parameter in card.physics_parameters:
        assert parameter.neutral in plausible_range(card, make_anomaly(f"dynamics/{parameter.name}"))
    for channel in (*card.observation, *card.action):
        assert -math.inf < channel.low < channel.high < math.inf
        assert channel.range_of


@pytest.mark.parametrize(
    ("anomaly", "low", "high"),
    [
        ("observation/noise", 0.0, 1.9199),
        ("observation/offset", -1.9199, 1.9199),
        ("observation/drift", -1.9199 / 200, 1.9199 / 200),
        ("action/temporal_noise", 0.0, 3.0),
        ("action/scaling", 0.0, 3.0),
        ("action/delay", 0.0, 50),
    ],
)
def test_the_narrowest_sensor_and_the_weakest_actuator_decide(anomaly, low, high):
    found = plausible_range(worlds.card("MJC-Reacher3D-v0"), make_anomaly(anomaly))
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6)


def test_a_delay_lasts_at_most_a_quarter_of_a_short_task():
    assert plausible_range(worlds.card("SAP-Goal0-v0"), make_anomaly("action/delay")).high == 3


def test_a_world_without_ranges_has_no_limits():
    card = worlds.card("OOD-Pendulum-v0")
    for target, kind in product(("observation", "action"), ("noise", "offset", "drift", "scaling")):
        assert plausible_range(card, make_anomaly(f"{target}/{kind}")) == PlausibleRange()


def test_only_levels_from_before_there_were_limits_are_beyond_them():
    newer = [line for line in calibrated_strengths() if len(line.policies.split()) > 1]
    assert newer
    assert beyond_limits(newer) == []
    assert all(math.isnan(line.limit) for line in calibrated_strengths() if line not in newer)


def line(**changes):
    made = Strength("SAP-Goal0-v0", "action/offset", "", "extreme", 0.5, True, 1.0, 0.5, 0.49, 0.51, limit=3.0)
    return made.replace(**changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"parameter": 3.01}, "3.01 is beyond 3"),
        ({"parameter": -3.01}, "-3.01 is beyond 3"),
        ({"parameter": 3.01, "limit": math.nan, "signal": 0.5}, "3.01 is beyond 3"),
        ({"limit": 5.0}, "calibrated with the limit 5, which is 3 now"),
        ({"world": "URM-Reach-v0", "anomaly": "dynamics/payload", "limit": 6.0}, "which is 3 now"),
    ],
)
def test_a_false_limit_and_a_parameter_beyond_it_are_noticed(changes, words):
    (problem,) = beyond_limits([line(**changes)])
    assert words in problem
    assert beyond_limits([line(), line(attainable=False, parameter=1461.0)]) == []
