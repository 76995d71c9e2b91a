"""The id of a policy says how it was trained, and its card whether and why it is the expert of its world."""

from dataclasses import replace

import pytest

from offnominal.agents import expert_card, expert_cards
from offnominal.agents.policy_ids import check_policy_id, honest_id
from offnominal.agents.selection import select
from offnominal.agents.weights import shipped_names
from offnominal.core.errors import InvalidParameter

CLONE, FINE_TUNED, LEARNED = (
    expert_card(*place)
    for place in (
        ("CAR-LaneKeep-v0", "bc"),
        ("MJC-CartpoleSwingup-v0", "rl-finetuned-sac"),
        ("CAR-LaneKeep-v0", "tqc-0"),
    )
)


@pytest.mark.parametrize("card", expert_cards(), ids=lambda card: f"{card.world} {card.algorithm}")
def test_ids_of_shipped_policies_say_how_they_were_trained(card):
    check_policy_id(card)
    assert f"{card.world}--{card.algorithm}" in shipped_names()


@pytest.mark.parametrize(
    "false",
    [
        replace(CLONE, algorithm="tqc"),
        replace(CLONE, algorithm="tqc-5"),
        replace(CLONE, algorithm="rl-finetuned"),
        replace(FINE_TUNED, algorithm="sac"),
        replace(FINE_TUNED, algorithm="bc"),
        replace(LEARNED, algorithm="bc"),
        replace(LEARNED, algorithm="sac-0"),
        replace(LEARNED, algorithm="tqc-1"),
        replace(LEARNED, settings=LEARNED.settings | {"demonstrator": "scripted"}),
        replace(LEARNED, settings=LEARNED.settings | {"fine_tuning": [{}]}),
        replace(LEARNED, steps=0),
    ],
    ids=lambda card: f"{card.algorithm} after {card.steps}",
)
def test_a_false_id_is_found(false):
    with pytest.raises(InvalidParameter, match="its id"):
        check_policy_id(false)


@pytest.mark.parametrize("algorithm", ["sac", "td3", "ppo"])
def test_seeds_of_other_algorithms_have_their_names(algorithm):
    card = replace(LEARNED, algorithm=f"{algorithm}-0", settings=LEARNED.settings | {"algorithm": algorithm})
    check_policy_id(card)
    for false in (f"{algorithm}-1", "tqc-0", "bc"):
        with pytest.raises(InvalidParameter, match="its id"):
            check_policy_id(replace(card, algorithm=false))


def test_the_id_follows_from_the_training():
    assert honest_id("td3", {"demonstrator": "none"}, 10) == honest_id("td3", {}, 10) == "td3"
    assert honest_id("tqc", {"teacher_sha256": "0f"}, 10) == "rl-finetuned"
    assert honest_id("rl-finetuned-sac", {"demonstrator": "expert"}, 10) == "rl-finetuned-sac"
    assert honest_id("bc", {"demonstrator": "scripted", "fine_tuning": [{}]}, 10) == "rl-finetuned"
    assert honest_id("tqc", {}, 0) == "untrained"


def seeds(*returns):
    return {
        f"tqc-{seed}": replace(LEARNED, algorithm=f"tqc-{seed}", mean_return=value)
        for seed, value in enumerate(returns)
    }


def test_the_expert_is_the_median_seed():
    id, why = select("CAR-LaneKeep-v0", seeds(-50.0, -47.0, -90.0, -46.0, -48.0) | {"bc": CLONE})
    assert (id, why) == ("tqc-4", "median of 5 training seeds by mean return over 1000 evaluation episodes")


def test_the_lower_one_in_the_middle_of_an_even_number():
    assert select("CAR-LaneKeep-v0", seeds(-50.0, -47.0, -90.0, -46.0))[0] == "tqc-0"


def test_where_learning_failed_the_expert_was_shown_demonstrations():
    failed = seeds(-200.0, -40.0, -210.0, -190.0, -40.0)
    id, why = select("CAR-LaneKeep-v0", failed | {"bc": CLONE})
    assert id == "bc"
    assert "learning without demonstrations failed: the median of 5 training seeds, tqc-3, has 0.18" in why
    assert select("CAR-LaneKeep-v0", failed)[0] == "tqc-3"


def test_a_world_without_policies_has_no_expert():
    assert select("CAR-LaneKeep-v0", {}) is None


def test_the_card_of_every_expert_says_why_it_was_chosen():
    chosen = {card.world: card for card in expert_cards() if card.chosen}
    assert chosen.keys() == {card.world for card in expert_cards()}
    assert len([card for card in expert_cards() if card.chosen]) == len(chosen)
    for world, card in chosen.items():
        assert expert_card(world) == card
        known = {each.algorithm: each for each in expert_cards() if each.world == world}
        assert (card.algorithm, card.chosen) == select(world, known)
