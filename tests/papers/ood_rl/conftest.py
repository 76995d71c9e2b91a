"""Agents that never learned, where trained ones are looked for."""

import pytest
from gymnasium.spaces import Box, Discrete

from offnominal.agents.files import save_policy
from offnominal.agents.uncertainty import DenseNetworks, UncertainPolicy
from offnominal.core.directories import DATA_VARIABLE
from offnominal.papers.ood_rl.agents import agent, agent_path, algorithm_of
from offnominal.papers.ood_rl.settings import CARTPOLE, PENDULUM
from offnominal.rollouts.policy_card import evaluated_card


def untrained(world, kind, seed):
    members = 3 if kind == "ensemble" else 1
    if world == CARTPOLE:
        network, space = DenseNetworks.random((4, 8, 2), members=members, seed=seed), Discrete(2)
    else:
        network, space = DenseNetworks.random((3, 8, 1), members=members, seed=seed), Box(-2.0, 2.0, (1,))
    return UncertainPolicy(network, space, kind=kind, probability=0.0 if kind == "ensemble" else 0.2, passes=3)


@pytest.fixture(scope="session")
def untrained_agents(tmp_path_factory):
    """A home with two ensembles and a dropout agent of CartPole, and an ensemble of Pendulum."""
    home = tmp_path_factory.mktemp("agents")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(home))
        for world, kind, number in (
            (CARTPOLE, "ensemble", 1),
            (CARTPOLE, "ensemble", 2),
            (CARTPOLE, "dropout", 1),
            (PENDULUM, "ensemble", 1),
        ):
            policy = untrained(world, kind, number)
            card = evaluated_card(world, algorithm_of(world, kind), policy, episodes=2)
            save_policy(agent_path(world, kind, number), policy, card)
    return home


@pytest.fixture
def agents_at_hand(untrained_agents, monkeypatch):
    monkeypatch.setenv(DATA_VARIABLE, str(untrained_agents))
    agent.cache_clear()
    yield
    agent.cache_clear()
