"""Policies are judged."""

import pytest

import offnominal as off
from offnominal.agents import scripted
from offnominal.anomalies import Fault
from offnominal.core.errors import InvalidParameter
from offnominal.rollouts.judge import LONG_GAMES, terms

WORLD = "SAP-Goal0-v0"


@pytest.mark.parametrize(
    "anomalies", [None, Fault("action/offset", 0.3), [None, *(Fault("action/offset", 0.1 * k) for k in range(8))]]
)
def test_episodes_that_are_held_in_parts_are_judged_the_same(anomalies, monkeypatch):
    whole = off.judge(WORLD, scripted(WORLD), 9, anomalies=anomalies)
    monkeypatch.setitem(LONG_GAMES, WORLD, {})
    assert off.judge(WORLD, scripted(WORLD), 9, anomalies=anomalies) == whole
    assert whole.episodes == 9
    assert whole.return_interval > 0.0


def test_one_episode_has_no_interval():
    assert off.judge(WORLD, scripted(WORLD), 1).return_interval == 0.0


def test_long_games_are_few_and_fewer_on_the_way():
    assert terms(WORLD, 256, on_the_way=True) == {"n": 256}
    assert terms("OOD-Pong-v0", 256, on_the_way=True)["n"] < terms("OOD-Pong-v0", 256)["n"] < 256


def test_a_list_of_faults_has_one_per_episode():
    with pytest.raises(InvalidParameter, match="a list of 3 entries was given for 2 rows"):
        off.judge(WORLD, scripted(WORLD), 2, anomalies=[None] * 3)
