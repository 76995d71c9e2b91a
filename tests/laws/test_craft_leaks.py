"""The law of leaks of NovelCraft sets: shipped agents keep it, and planted leaks are refused."""

from dataclasses import replace

import pytest

from offnominal.laws import check_craft_leaks, needed_samples
from offnominal.laws.craft_leaks import CHANNELS, BeforeNovelty, craft_channels
from offnominal.worlds.craft.agents.agent_mixture import MIXTURES, Mixture

pytestmark = pytest.mark.long

TWIN = "an episode equals its nominal twin until its novelty is met"


def broken(report):
    return [finding.law for finding in report if finding.problem]


@pytest.mark.parametrize("agents", ["published", "diverse", "planner"])
def test_nothing_differs_before_a_novelty_is_met(agents):
    report = check_craft_leaks(agents, pairs=2)
    assert report.ok
    assert [finding.law for finding in report if finding.holds] == [TWIN]


def test_agents_that_ask_strangers_do_so_when_they_see_one(monkeypatch):
    monkeypatch.setitem(MIXTURES, "asking", Mixture("asking", "", {"asking": 1.0}))
    assert check_craft_leaks("asking", pairs=3).ok


def test_agents_that_read_the_map_are_refused(monkeypatch):
    monkeypatch.setitem(MIXTURES, "asking", Mixture("asking", "", {"asking": 1.0}, reads_map=True))
    report = check_craft_leaks("asking", pairs=3)
    assert broken(report) == [TWIN]
    (problem,) = [finding.problem for finding in report if finding.problem]
    assert "before its novelty is met" in problem


def test_other_agents_in_episodes_with_a_novelty_are_refused():
    report = check_craft_leaks("published", pairs=2, changes=lambda plan: replace(plan, agents="planner"))
    assert broken(report) == [TWIN]


def test_the_channels_refuse_agents_that_do_something_else_where_there_is_a_novelty(monkeypatch):
    monkeypatch.setitem(MIXTURES, "explorers", Mixture("explorers", "", {"explorer": 1.0}))
    explore = check_craft_leaks("published", episodes=100, changes=lambda plan: replace(plan, agents="explorers"))
    assert "its sequence of actions does not tell" in broken(explore)


def test_too_few_episodes_decide_nothing():
    report = check_craft_leaks("published", episodes=40)
    assert not broken(report)
    assert [bool(finding.skipped) for finding in report] == [False, True, True, True]


@pytest.mark.slow
def test_the_channels_of_the_published_mixture_do_not_tell():
    report = check_craft_leaks("published", episodes=2 * needed_samples(len(CHANNELS)))
    assert not [finding.law for finding in report if not finding.holds]


def test_channels_are_those_of_the_frames_before_the_novelty():
    symbols = ((0,) * 5 + (1,) + (0,) * 16 + (128, 0, 3, 3, 0, 0, True, False),)
    found = craft_channels(BeforeNovelty(("SENSE_ALL NONAV",), symbols, True))
    assert tuple(found) == CHANNELS
    assert found["number of steps"] == [1.0, 1.0]
    assert found["inventory"][5] == 0.0
    assert found["sequence of actions"][-1] == 0.0
