"""Agents that never learned, where trained ones are looked for."""

import pytest
from gymnasium.spaces import Box, Discrete

from offnominal.agents.files import save_policy
from offnominal.agents.uncertain import DenseMembers, UncertainPolicy
from offnominal.core.home import VARIABLE
from offnominal.rollouts.judged_card import judged_card
from offnominal.studies.ood_rl.agents import agent, algorithm_of, place_of
from offnominal.studies.ood_rl.settings import CARTPOLE, PENDULUM


def untrained(world, kind, seed):
    members = 3 if kind == "ensemble" else 1
    if world == CARTPOLE:
        network, space = DenseMembers.random((4, 8, 2), members=members, seed=seed), Discrete(2)
    else:
        network, space = DenseMembers.random((3, 8, 1), members=members, seed=seed), Box(-2.0, 2.0, (1,))
    return UncertainPolicy(network, space, kind=kind, probability=0.0 if kind == "ensemble" else 0.2, passes=3)


@pytest.fixture(scope="session")
def untrained_agents(tmp_path_factory):
    """A home with two ensembles and a dropout agent of CartPole, and an ensemble of Pendulum."""
    home = tmp_path_factory.mktemp("agents")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(home))
        for world, kind, number in (
            (CARTPOLE, "ensemble", 1),
            (CARTPOLE, "ensemble", 2),
            (CARTPOLE, "dropout", 1),
            (PENDULUM, "ensemble", 1),
        ):
            policy = untrained(world, kind, number)
            card = judged_card(world, algorithm_of(world, kind), policy, episodes=2)
            save_policy(place_of(world, kind, number), policy, card)
    return home


@pytest.fixture
def agents_at_hand(untrained_agents, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(untrained_agents))
    agent.cache_clear()
    yield
    agent.cache_clear()
