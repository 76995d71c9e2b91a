"""Shipped policies have the returns of their cards."""

import re
from functools import partial

import numpy as np
import pytest

import offnominal as off
from offnominal.agents import expert, expert_card, expert_cards, scripted_expert
from offnominal.agents.experts import is_scripted
from offnominal.agents.uncertainty import UNCERTAINTY_KINDS
from offnominal.core.errors import UnknownName
from offnominal.worlds import worlds

pytestmark = pytest.mark.long

LEARNED = [card for card in expert_cards() if re.fullmatch(r"tqc-\d", card.algorithm)]
EARLIER = [card for card in expert_cards() if "-published-" in card.algorithm or "-short-" in card.algorithm]
BY_OTHER_ALGORITHMS = [card for card in expert_cards() if re.fullmatch(r"(sac|td3|ppo)-\d", card.algorithm)]
CARDS = [card for card in expert_cards() if card not in LEARNED + BY_OTHER_ALGORITHMS or card.chosen]
SOLVED = {"OOD-CartPole-v0": 195.0, "OOD-Pendulum-v0": -200.0, "OOD-Pong-v0": 15.0}
"""What counts as solved where no expert was published."""
SCRIPTED = [id for id in worlds.ids() if worlds.card(id).scripted_expert is not None]
SEEN, FEW = 30, 12
"""Episodes that are compared with the card: of the expert of a world, and of another policy."""


def test_the_clone_of_the_robot_is_that_of_its_simulation():
    robot, simulation = (expert_card(f"{id}-Reach-v0", "bc") for id in ("URR", "URM"))
    assert robot.sha256 == simulation.sha256
    assert robot.settings["trained_in"] == "URM-Reach-v0"


def test_one_world_has_policies_of_three_algorithms():
    assert {card.algorithm for card in CARDS if card.world == "SAP-Goal0-v0"} >= {"tqc", "sac", "td3"}


def test_five_seeds_learned_without_demonstrations_in_every_world_of_anomaly_gym():
    assert len(LEARNED) == len({card.sha256 for card in LEARNED}) == 50
    for card in LEARNED:
        assert card.algorithm == f"tqc-{card.settings['seed']}"
        assert card.settings["demonstrator"] == "none"
        assert "fine_tuning" not in card.settings
        assert card.settings["n_dropped_quantiles"] == 2
        assert card.steps > 100_000
        assert card.episodes == 1000
    assert {card.settings["seed"] for card in LEARNED} == set(range(5))
    assert {card.world for card in LEARNED} == {
        id for id in worlds.ids() if id.startswith(("CAR-", "MJC-", "SAP-", "URM-", "URR-")) and not is_scripted(id)
    }


def test_three_seeds_of_three_other_algorithms_learned_without_demonstrations():
    worlds_ = ("MJC-CartpoleSwingup-v0", "MJC-HalfCheetah-v0", "SAP-Goal0-v0", "URM-Reach-v0")
    found = sorted((card.world, card.algorithm) for card in BY_OTHER_ALGORITHMS)
    assert found == sorted(
        (id, f"{name}-{seed}") for id in worlds_ for name in ("sac", "td3", "ppo") for seed in range(3)
    )
    assert len({card.sha256 for card in BY_OTHER_ALGORITHMS}) == len(BY_OTHER_ALGORITHMS)
    for card in BY_OTHER_ALGORITHMS:
        assert card.settings.get("demonstrator", "none") == "none"
        assert card.settings["algorithm"] == card.algorithm.partition("-")[0]
        assert card.episodes == 1000
        assert not card.chosen


def test_policies_with_the_published_settings_earn_the_published_return_but_for_half_cheetah():
    cards = [card for card in CARDS if "-published-" in card.algorithm]
    assert len(cards) == 12
    for card in cards:
        assert card.settings["gradient_steps"] * 5 == card.settings["n_envs"]
        world = worlds.card(card.world)
        least = 0.75 if card.world == "MJC-HalfCheetah-v0" else 0.95
        assert (card.mean_return - world.random_return) / (world.expert_return - world.random_return) > least


@pytest.mark.parametrize("world", ["OOD-CartPole-v0", "OOD-Pendulum-v0"])
def test_the_classic_worlds_have_agents_of_every_kind_of_uncertainty(world):
    found = {card.uncertainty: card for card in CARDS if card.world == world}
    assert found.keys() == set(UNCERTAINTY_KINDS)
    for kind, card in found.items():
        policy = expert(world, card.algorithm)
        assert (policy.kind, policy.passes) == (kind, 5)
    assert getattr(expert(world), "kind", None) == "ensemble"


@pytest.mark.parametrize(
    "card",
    [card for card in [*CARDS, *BY_OTHER_ALGORITHMS[::5]] if card.world != "OOD-Pong-v0"],
    ids=lambda card: f"{card.world} {card.algorithm}",
)
def test_the_return_of_a_policy_is_that_of_its_card(card):
    episodes = SEEN if card.chosen else FEW
    seen = off.evaluate_policy(card.world, expert(card.world, card.algorithm), episodes, seed=60_000_000)
    spread = card.return_interval / 1.96 * np.sqrt(card.episodes)
    assert abs(seen.mean_return - card.mean_return) < 4 * spread / np.sqrt(episodes) + 1e-6
    assert abs(seen.success - card.success) < 4 * np.sqrt(0.25 / episodes)


@pytest.mark.parametrize("kind", ["ensemble", "dropconnect"])
def test_the_agents_of_pong_return_the_ball(kind):
    pytest.importorskip("ale_py", reason="ale-py is not installed")
    pytest.importorskip("torch", reason="torch is not installed")
    policy = expert("OOD-Pong-v0", f"rl-finetuned-dqn-{kind}")
    assert (policy.kind, policy.passes) == (kind, 5)
    (game,) = off.collect("OOD-Pong-v0", policy, 1, seed=60_000_000, max_steps=120, noops=30)
    (idle,) = off.collect("OOD-Pong-v0", lambda seen: np.zeros(len(seen), np.int64), 1, max_steps=120, noops=30)
    assert game.rewards.min() == 0.0
    assert idle.rewards.min() == -1.0


OTHERS = [card for card in CARDS if card not in EARLIER + LEARNED]


@pytest.mark.parametrize("card", OTHERS, ids=lambda card: f"{card.world} {card.algorithm}")
def test_policies_that_were_trained_for_their_return_are_at_least_as_good_as_the_published_ones(card):
    if card.world in SOLVED:
        assert card.mean_return > SOLVED[card.world]
        return
    assert card.mean_return > worlds.card(card.world).expert_return
    if "Reach" not in card.world:  # where some goals are too far to be reached in time
        assert card.success >= 0.95


def test_weights_in_the_package_are_small():
    from importlib.resources import files

    entries = (files("offnominal.agents") / "trained").iterdir()
    sizes = [len(entry.read_bytes()) for entry in entries if entry.name.endswith(".safetensors")]
    assert sum(sizes) < 7e6


def test_an_unknown_one_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'SAP-Goal0-v0--tqc'"):
        expert("SAP-Goal0-v0", "tqq")


@pytest.mark.parametrize(
    ("world", "former", "id"),
    [
        ("CAR-LaneKeep-v0", "tqc", "bc"),
        ("MJC-CartpoleSwingup-v0", "sac", "rl-finetuned-sac"),
        ("OOD-Pong-v0", "dqn-ensemble", "rl-finetuned-dqn-ensemble"),
    ],
)
def test_the_id_that_a_policy_with_demonstrations_had_names_the_new_one(world, former, id):
    with pytest.raises(UnknownName, match=f"was shown demonstrations and is '{id}' now"):
        expert(world, former)


def test_the_expert_has_a_name_too():
    assert expert_card("SAP-Goal0-v0", "expert") == expert_card("SAP-Goal0-v0")


def test_a_world_without_a_trained_policy_says_how_to_make_one(monkeypatch):
    monkeypatch.setattr("offnominal.agents.experts.shipped_names", list)
    with pytest.raises(UnknownName, match=r"no trained policy for 'OOD-Pong-v0'.*offnominal train OOD-Pong-v0"):
        expert("OOD-Pong-v0")


@pytest.mark.parametrize(
    ("world", "make"),
    [(card.world, partial(expert, card.world, card.algorithm)) for card in CARDS]
    + [(id, partial(scripted_expert, id)) for id in SCRIPTED],
    ids=[f"{card.world} {card.algorithm}" for card in CARDS] + [f"{id} scripted" for id in SCRIPTED],
)
def test_a_policy_begins_an_episode_without_a_state(world, make):
    if world == "OOD-Pong-v0":
        pytest.importorskip("ale_py", reason="ale-py is not installed")
        pytest.importorskip("torch", reason="torch is not installed")
    env, policy = off.make(world), make()
    observation, _ = env.reset(seed=0)
    action, state = policy.act(observation[None], None)
    assert action.shape == (1, *env.action_space.shape)
    one = np.zeros(1, np.int64)
    np.testing.assert_array_equal(action, policy.act(observation[None], policy.start(one, one))[0])
    observation, *_ = env.step(action[0])
    assert policy.act(observation[None], state)[0].shape == action.shape
