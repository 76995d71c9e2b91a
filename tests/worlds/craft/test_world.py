"""The pogo-stick task as a world: twins, observations that report what is sensed, and its scripted expert."""

import numpy as np
import pytest

import offnominal as off
from offnominal.anomalies import Fault, Schedule
from offnominal.core.errors import InvalidParameter, UnknownName
from offnominal.core.policy import RandomPolicy
from offnominal.datasets.policy_source import resolve_policy
from offnominal.rollouts import collect, twins
from offnominal.worlds.craft import blocks as b
from offnominal.worlds.craft.action_table import action_numbers, commands_of
from offnominal.worlds.craft.card import CARDS
from offnominal.worlds.craft.novelties import NOVELTIES
from offnominal.worlds.craft.pogo_player import PogoPlayer
from offnominal.worlds.craft.symbols import COUNTED, FRONT, HELD, MAP, SIZE, belief, encode
from offnominal.worlds.craft.world import PogoWorld

ROWS = np.arange(3)


@pytest.fixture
def world():
    made = PogoWorld(3)
    made.reset(ROWS, ROWS + 5, np.zeros(3, np.int64))
    return made


def of_version_1(n):
    return PogoWorld(n, version="v1")


def test_every_sensed_novelty_is_a_physics_parameter():
    for version in ("v1", "v2"):
        parameters = [each.name for each in CARDS[f"CRAFT-Pogo-{version}"].physics_parameters]
        assert parameters == [name for name, each in NOVELTIES.items() if version in each.versions and each.is_sensed]
    with pytest.raises(UnknownName, match="no physics parameter 'log_yield'"):
        PogoWorld(1).set_physics_parameter("log_yield", ROWS[:1], np.ones(1))


def test_commands_are_numbered():
    for version in ("v1", "v2"):
        commands = commands_of(version)
        assert len(set(commands)) == len(commands)
        assert commands[0] == "NOP"
        assert [action_numbers(version)[command] for command in commands[:50]] == list(range(50))


def test_the_vector_counts_the_inventory(world):
    vector = world.observations[0]
    assert vector.shape == (SIZE,) == (len(world.card.observation),)
    assert vector[COUNTED.index(b.IRON_PICKAXE)] == 1.0
    assert (vector[HELD], vector[FRONT]) == (0.0, world.games[0].block(world.games[0].front))
    window = vector[MAP:].reshape(32, 32)
    assert np.array_equal(window, world.games[0].layer[:32, :32])


def test_a_vector_reports_what_the_player_senses(world):
    for row in ROWS:
        game = world.games[row]
        game.drop((5, 9), b.LOG, 2)
        encode(game, world.observations[row])
        known = np.zeros((48, 48), np.uint8)
        found = belief(world.observations[row], "v2", known)
        assert (found.cell, found.yaw, found.layout, found.rules) == (game.cell, game.yaw, game.layout, game.rules)
        assert found.inventory.totals() == game.inventory.totals()
        assert [(each.kind, each.id, each.cell) for each in found.actors] == [
            (each.kind, each.id, each.cell) for each in game.actors
        ]
        assert found.drops == {(5, 9): ((b.LOG, 2),)}
        assert np.array_equal(found.layer[:32, :32], game.layer[:32, :32])
        assert not (found.layer == b.SAFE).any()


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e30, 7.3])
def test_senseless_observations_do_not_stop_the_expert(value):
    policy = PogoPlayer()
    actions, state = policy.act(np.full((2, SIZE), value, np.float32), None)
    again, _ = policy.act(np.full((2, SIZE), value, np.float32), state)
    assert actions.shape == again.shape == (2,)


def test_the_expert_solves_both_versions_and_noise_does_not_stop_it():
    episodes = collect(PogoWorld, PogoPlayer(), 20)
    assert all(episode.success for episode in episodes)
    assert 45 <= 1 + np.mean([len(episode) for episode in episodes]) <= 56
    assert all(episode.success for episode in collect(of_version_1, PogoPlayer("v1", walks=True), 3))
    noisy = collect(PogoWorld, PogoPlayer(), 4, faults=Fault("observation/noise", 2.0, 3), max_steps=60)
    assert len(noisy) == 4


def test_the_planner_is_the_expert_of_the_world():
    for version, walks in (("v1", True), ("v2", False)):
        found = off.expert(f"CRAFT-Pogo-{version}")
        assert isinstance(found, PogoPlayer)
        assert (found.version, found.walks) == (version, walks)
    assert resolve_policy("CRAFT-Pogo-v2", None).name == "scripted"
    assert isinstance(resolve_policy("CRAFT-Pogo-v2", None, algorithm="scripted").policy, PogoPlayer)
    with pytest.raises(UnknownName, match="no trained policy"):
        off.expert("CRAFT-Pogo-v2", "tqc")


def test_the_expert_has_no_hidden_state(world):
    policy = PogoPlayer()
    state = policy.start(ROWS, ROWS)
    first, later = policy.act(world.observations, state)
    again, _ = policy.act(world.observations, state)
    assert np.array_equal(first, again)
    one, _ = policy.act(world.observations[1:2], policy.take(state, np.array([1])))
    assert one[0] == first[1]
    assert len(policy.record_actions(later, first)) == 3


@pytest.mark.parametrize("name", ["fence", "thief", "recipe", "inserted_item"])
def test_a_novelty_can_begin_in_mid_episode_and_end(name):
    schedule = Schedule(onset=12, duration=8)
    for pair in twins(PogoWorld, PogoPlayer(), 2, faults=Fault(f"dynamics/{name}", 1, schedule), seed=3):
        assert pair.effective_onset == 12
        assert pair.faulty.active.sum() == 8


def test_several_novelties_at_once_are_all_there(world):
    for name in ("fence", "thief", "inserted_item"):
        world.set_physics_parameter(name, ROWS[:1], np.ones(1))
    assert world.current_physics(0)["thief"] == 1
    assert world.current_physics(1)["thief"] == 0
    layer = world.games[0].layer
    assert (layer == b.FENCE).any()
    assert (layer == b.inserted_item("anvil").id).any()
    assert any(actor.kind == "Thief" for actor in world.games[0].actors)


def test_random_commands_keep_the_reward_within_the_budget():
    episodes = collect(PogoWorld, RandomPolicy(PogoWorld(1).action_space), 4, max_steps=120)
    assert all(-1.1 < episode.total_reward <= 0.0 for episode in episodes)


def test_an_unknown_version_is_refused():
    with pytest.raises(InvalidParameter, match="version"):
        PogoWorld(1, version="v9")
