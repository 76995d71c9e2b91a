"""All ten worlds and all 25 types of anomalies of the paper exist."""

import pytest

from offnominal.anomalies import anomalies
from offnominal.laws import anomalies_of
from offnominal.worlds import worlds

pytestmark = pytest.mark.long

SIGNALS = (
    *(f"{on}/{kind}" for on in ("observation", "action") for kind in ("noise", "scaling", "offset", "drift")),
    "observation/temporal_noise",
    "action/temporal_noise",
    "observation/quantisation",
    "action/delay",
)
# Published names of the dynamics anomalies of each family, and ours. Those of robots and agents are types of their own.
DYNAMICS = {
    "MJC": {"robot mass": "mass", "robot force": "force", "robot friction": "friction"},
    "SAP": {"mass agent": "mass", "force agent": "force", "moving objects": "moving_objects"},
    "URM": {"robot speed": "robot_speed", "moving goal": "moving_goal", "robot friction": "robot_friction"},
    "URR": {
        "control latency": "control_latency",
        "control smoothing": "control_smoothing",
        "moving goal": "moving_goal",
    },
    "CAR": {"brake fail": "brake_fail", "steer fail": "steer_fail", "slippery road": "slippery_road"},
}
WORLDS = [id for id in worlds.ids() if id.partition("-")[0] in DYNAMICS and id != "CAR-LaneKeep-v1"]


def test_there_are_ten_worlds_in_five_families():
    assert len(WORLDS) == 10
    assert {id.partition("-")[0] for id in WORLDS} == set(DYNAMICS)


def test_there_are_25_types_of_anomalies():
    dynamics = {published for family in DYNAMICS.values() for published in family}
    assert (len(SIGNALS), len(dynamics)) == (12, 13)
    assert all(id in anomalies for id in SIGNALS)


@pytest.mark.parametrize("world", WORLDS)
def test_every_world_has_the_published_fifteen(world):
    published = {*SIGNALS, *(f"dynamics/{name}" for name in DYNAMICS[world.partition("-")[0]].values())}
    assert len(published) == 15
    assert published <= set(anomalies_of(world))


@pytest.mark.parametrize("world", WORLDS)
def test_every_world_has_the_published_reference_returns(world):
    card = worlds.card(world)
    assert card.expert_return is not None
    assert card.random_return is not None
    assert card.expert_return > card.random_return
