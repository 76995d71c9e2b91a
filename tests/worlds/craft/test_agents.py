"""Agents of recorded sets: they differ, they are reproducible, and they act on what they have perceived."""

from dataclasses import replace
from itertools import pairwise

import pytest

from offnominal.core.errors import InvalidParameter
from offnominal.worlds.craft import new_game, set_novelty
from offnominal.worlds.craft.agents import MIXTURES, STYLES, CraftAgent, Mixture, Reactions, mixture, play
from offnominal.worlds.craft.agents.ordered_planner import GOALS, OrderedPlanner
from offnominal.worlds.craft.agents.played_frames import may_see, symbols_of
from offnominal.worlds.craft.draws import Draws
from offnominal.worlds.craft.first_person import first_person
from offnominal.worlds.craft.novelty_truth import novel_fraction
from offnominal.worlds.craft.planner import PogoPlanner, solve

LIMIT = 401


def played(agents, seed=0, novelty="", level=1):
    state = new_game("v2", seed=seed)
    twin = state.copy() if novelty else None
    if novelty:
        set_novelty(state, novelty, level)
    agent = agents.agent(seed=seed, episode=0)
    frames = [(each.text, each.met) for each in play(state, agent, twin=twin, frames=LIMIT, images=False)]
    return state, [text for text, _ in frames], [met for _, met in frames]


def only(style, **reactions):
    return Mixture("only", "", {style: 1.0}, Reactions(**reactions))


@pytest.mark.parametrize("style", ["planner", "gatherer", "shuffled", "detours", "clumsy"])
def test_planners_reach_the_goal(style):
    for seed in range(4):
        state, commands, _ = played(only(style), seed)
        assert state.solved
        assert len(commands) < 80


def test_an_explorer_does_not_reach_the_goal():
    state, commands, _ = played(only("explorer"))
    assert state.over
    assert (state.solved, commands[-1]) == (False, "GIVE_UP")


def test_the_planner_is_the_expert_of_the_world():
    state = new_game("v2", seed=3)
    assert played(only("planner"), 3)[1][1:] == solve(state, PogoPlanner(asks=False))


def test_every_order_of_goals_is_possible():
    orders = {tuple(GOALS), tuple(GOALS[::-1]), (*GOALS[3:], *GOALS[:3]), ("rubber",), ()}
    for order in orders:
        state = new_game("v2", seed=5)
        solve(state, OrderedPlanner(order))
        assert state.solved, order


def test_an_episode_depends_on_its_seed_and_number_only():
    first, second = (played(MIXTURES["published"], 7)[1] for _ in range(2))
    assert first == second
    kinds = {MIXTURES["published"].agent(seed=0, episode=number).style.name for number in range(100)}
    assert kinds == {"planner", "gatherer", "shuffled", "detours", "clumsy"}


def test_many_seeds_give_many_orders():
    def order(seed):
        commands = played(MIXTURES["published"], seed)[1]
        verbs = [command.split()[0] for command in commands if not command.startswith("TURN")]
        return tuple(verb for verb, after in pairwise([*verbs, ""]) if verb != after)

    assert len({order(seed) for seed in range(12)}) > 8


def test_a_novelty_that_is_perceived_is_met_at_once():
    state = new_game("v2", seed=0)
    twin = state.copy()
    set_novelty(state, "fence", 3)
    agent = MIXTURES["planner"].agent(seed=0, episode=0)
    for frame in play(state, agent, twin=twin, frames=20, images=True):
        assert frame.met or novel_fraction(frame.state, frame.image) == 0.0


@pytest.mark.parametrize(("novelty", "level"), [("inserted_item", 4), ("fence", 1), ("jungle_trees", 3), ("thief", 1)])
def test_what_can_be_seen_is_looked_at(novelty, level):
    for seed in range(3):
        state = new_game("v2", seed=seed)
        twin = state.copy()
        set_novelty(state, novelty, level)
        for yaw in (0, 90, 180, 270):
            state.yaw = twin.yaw = yaw
            assert may_see(state, twin) or novel_fraction(state, first_person(state, size=64)) == 0.0


def test_an_agent_that_has_perceived_a_supplier_asks_it():
    found = [played(only("asking"), seed, "supplier")[1:] for seed in range(6)]
    met = [(commands, met.index(True)) for commands, met in found if any(met)]
    assert len(met) > 2
    for commands, first in met:
        assert "INTERACT 111" in commands[first:]
        assert "INTERACT 111" not in commands[: first + 1]


def test_agents_give_up_after_a_theft_or_at_unknown_trees():
    state, commands, _ = played(only("gatherer", leaves_after_theft=1.0), 1, "thief")
    assert (state.solved, commands[-1]) == (False, "GIVE_UP")
    assert len(commands) < 30
    assert played(only("gatherer", leaves_unknown_trees=True), 1, "jungle_trees")[1][-1] == "GIVE_UP"
    assert played(only("gatherer"), 1, "jungle_trees")[0].solved


def test_some_agents_explore_after_an_unknown_item():
    patient = only("gatherer", explores=1.0, shortest=20, longest=20)
    assert len(played(patient, 2, "inserted_item", 5)[1]) > len(played(only("gatherer"), 2, "inserted_item", 5)[1]) + 10


def test_reactions_change_nothing_in_a_nominal_episode():
    extreme = Reactions(1.0, 1.0, 10, 10, 1.0, True, 1.0)
    for seed in range(3):
        plain = played(MIXTURES["published"], seed)[1]
        assert plain == played(replace(MIXTURES["published"], reactions=extreme), seed)[1]


def test_symbols_do_not_tell_variants_of_a_block():
    state = new_game("v2", seed=0)
    frame = next(play(state, CraftAgent(STYLES["planner"], Draws.named(0, 0, "policy")), frames=1, images=False))
    assert symbols_of(state, frame.result)[7] == 1


def test_an_unknown_mixture_is_refused():
    with pytest.raises(InvalidParameter, match="agents is 'publishd'"):
        mixture("publishd")


def test_a_mixture_of_unknown_agents_or_without_shares_is_refused():
    with pytest.raises(InvalidParameter, match="a kind of agent is 'robot'"):
        Mixture("mine", "a new one", {"robot": 1.0})
    with pytest.raises(InvalidParameter, match="the share of planner is -1"):
        Mixture("mine", "a new one", {"planner": -1.0})
    with pytest.raises(InvalidParameter, match="no share of the mixture 'mine' is above 0"):
        Mixture("mine", "a new one", {"planner": 0.0})
