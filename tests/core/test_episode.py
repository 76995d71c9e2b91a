"""An episode knows its length, its return and its faults, and equals another only by every byte."""

import dataclasses

import numpy as np
import pytest

from offnominal.core.episode import Episode, Event, same_bytes
from offnominal.core.errors import InvalidEpisode, InvalidState

NOISE = Event("observation/noise", 0.5, onset=2, channels=(0, 3))
MASS = Event("dynamics/mass", 2.0, onset=1, end=3)


def episode(**changes):
    fields = {
        "observations": np.arange(20, dtype=np.float32).reshape(5, 4),
        "actions": np.ones((4, 2), np.float32),
        "rewards": np.array([1.0, -2.5, 0.25, 4.0]),
        "active": np.array([False, False, True, True]),
        "events": (NOISE,),
        "seed": 7,
        "terminated": True,
        "extras": {"success": np.array([False, False, False, True])},
    }
    return Episode(**{**fields, **changes})


def test_length_and_return_come_from_the_rewards():
    assert len(episode()) == 4
    assert episode().total_reward == 2.75
    assert isinstance(episode().total_reward, float)


@pytest.mark.parametrize(
    ("active", "onset"), [([0, 0, 1, 1], 2), ([1, 0, 1, 0], 0), ([0, 0, 0, 1], 3), ([0, 0, 0, 0], None)]
)
def test_onset_is_the_first_active_transition(active, onset):
    assert episode(active=np.array(active, np.bool_)).onset == onset


@pytest.mark.parametrize(
    ("extras", "success"),
    [
        ({"success": np.array([False, False, False, True])}, True),
        ({"success": np.array([True, True, True, False])}, False),
        ({}, False),
    ],
)
def test_success_is_that_of_the_last_transition(extras, success):
    assert episode(extras=extras).success is success


@pytest.mark.parametrize(
    ("events", "faults"),
    [
        ((), "faulty in 2 of 4 transitions"),
        ((NOISE,), "observation/noise=0.5@2"),
        ((NOISE, MASS), "observation/noise=0.5@2, dynamics/mass=2@1"),
    ],
)
def test_repr_has_shapes_return_seed_and_faults(events, faults):
    expected = f"Episode(T=4, observations=(4,), actions=(2,), return=2.75, seed=7, {faults})"
    assert repr(episode(events=events)) == expected
    assert repr(episode(events=(), active=np.zeros(4, bool))).endswith("seed=7, nominal)")


def test_episodes_of_the_same_bytes_are_equal():
    assert episode() == episode()
    assert hash(episode()) == hash(episode())
    nan = np.full((4, 2), np.nan)
    assert episode(actions=nan) == episode(actions=nan.copy())


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 8},
        {"terminated": False},
        {"events": ()},
        {"events": (MASS,)},
        {"observations": np.arange(20, dtype=np.float64).reshape(5, 4)},
        {"observations": np.arange(20, dtype=np.float32).reshape(5, 2, 2)},
        {"actions": np.ones((4, 2), np.float32).view(np.int32)},
        {"actions": np.nextafter(np.ones((4, 2), np.float32), np.float32(2))},
        {"rewards": np.array([1.0, -2.5, 0.25, 4.0 + 2**-50])},
        {"active": np.array([False, True, True, True])},
        {"extras": {}},
        {"extras": {"success": np.array([False, False, False, True]), "cost": np.zeros(4)}},
        {"extras": {"success": np.array([False, False, True, True])}},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_one_different_byte_makes_episodes_different(changes):
    assert episode() != episode(**changes)


def test_minus_zero_is_not_zero():
    assert not same_bytes({"x": np.array([0.0])}, {"x": np.array([-0.0])})


def test_an_episode_equals_no_other_thing():
    assert episode() != 3


def test_an_episode_cannot_be_rebound():
    with pytest.raises(dataclasses.FrozenInstanceError):
        episode().seed = 3


def test_arrays_hold_everything_recorded():
    recorded = episode().arrays()
    assert recorded.keys() == {"observations", "actions", "rewards", "active", "terminated", "success"}
    assert recorded["terminated"]


def test_images_are_the_frames_with_the_colour_first():
    frames = np.arange(5 * 4 * 6 * 3, dtype=np.uint8).reshape(5, 4, 6, 3)
    vector = episode(extras={"success": np.array([True] * 4), "frames": frames})
    seen = vector.images()
    assert seen.observations.shape == (5, 3, 4, 6)
    assert np.shares_memory(seen.observations, frames)
    assert seen.observations[2, 1, 3, 5] == frames[2, 3, 5, 1]
    assert seen.extras.keys() == {"success", "vector_observations"}
    assert seen.extras["vector_observations"] is vector.observations
    for name in ("actions", "rewards", "active", "events", "seed", "terminated"):
        assert getattr(seen, name) is getattr(vector, name)


def test_images_without_frames_are_refused():
    with pytest.raises(InvalidState, match="record it with frames=True"):
        episode().images()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"observations": np.zeros((9, 4))}, "4 rewards, and `observations` has 9 entries; expected 5"),
        ({"observations": np.zeros((4, 4))}, "expected 5. Did you forget the last observation"),
        ({"rewards": np.zeros(2)}, "2 rewards, and `observations` has 5 entries; expected 3"),
        ({"actions": np.zeros((5, 2))}, "`actions` has 5 entries; expected 4"),
        ({"active": np.zeros(3, bool)}, "`active` has 3 entries; expected 4"),
        ({"rewards": np.zeros((4, 1))}, r"rewards has shape \(4, 1\); expected one value per transition"),
        ({"active": np.zeros((4, 2), bool)}, r"active has shape \(4, 2\)"),
        ({"rewards": np.float64(1.0)}, "rewards is a float64; expected an array"),
        ({"observations": None}, "observations is a NoneType; expected an array"),
        ({"extras": {"cost": np.zeros(6)}}, "'cost' has 6 entries; expected 4, one per transition, or 5"),
        ({"extras": {"cost": 3.0}}, "cost is a float; expected an array"),
        ({"rewards": np.array([0.0, 1.0, np.nan, 0.0])}, "reward of transition 2 is nan; expected finite"),
        ({"rewards": ["high", "low", "low", "low"]}, "the rewards are of type <U4; expected numbers"),
        ({"actions": np.array([["left"]] * 4)}, "the actions are of type <U4; expected numbers"),
        ({"observations": np.zeros((5, 4), complex)}, "the observations are of type complex128; expected numbers"),
        ({"observations": [[0.0, 1.0], [0.0]] * 2 + [[0.0]]}, "the observations are a list that is no array"),
        ({"active": np.array([0, 1, 2, 0])}, "label of transition 2 is 2; expected True, False, 0 or 1"),
        ({"active": np.array([0, np.nan, 0, 0])}, "label of transition 1 is nan"),
        ({"active": ["no", "no", "yes", "no"]}, "the labels are of type <U3; expected numbers"),
        ({"active": "none"}, "labels is a str; expected an array"),
        ({"extras": {"cost": ["a"] * 4}}, "the cost are of type <U1"),
    ],
)
def test_arrays_of_wrong_length_make_no_episode(changes, words):
    with pytest.raises(InvalidEpisode, match=words):
        episode(**changes)


@pytest.mark.parametrize("kind", [list, tuple, np.float32, np.int64])
def test_labels_of_zero_and_one_are_booleans(kind):
    labels = kind([0, 0, 1, 1]) if kind in {list, tuple} else np.array([0, 0, 1, 1], kind)
    assert episode(active=labels) == episode()
    assert episode(active=labels).active.dtype == np.bool_


def test_lists_become_arrays():
    built = Episode([[0, 1], [2, 3], [4, 5]], [0, 1], [0.5, 1.5], [False, True], extras={"cost": [0.0, 1.0]})
    assert built.observations.shape == (3, 2)
    assert built.actions.dtype.kind == "i"
    assert built.total_reward == 2.0
    assert built.extras["cost"].shape == (2,)


def test_a_broken_sensor_makes_an_episode():
    observations = np.zeros((5, 4))
    observations[3, 1] = np.nan
    assert np.isnan(episode(observations=observations).observations).sum() == 1


def test_extras_have_an_entry_per_transition_or_per_observation():
    extras = {"cost": np.zeros(4), "clean_observations": np.zeros((5, 4))}
    assert episode(extras=extras).extras is extras


def test_no_transition_at_all_is_an_episode():
    assert (
        len(
            episode(
                observations=np.zeros((1, 4)),
                actions=np.zeros((0, 2)),
                rewards=np.zeros(0),
                active=np.zeros(0, bool),
                extras={},
            )
        )
        == 0
    )
