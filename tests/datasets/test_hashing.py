"""The hash of episodes sees every bit and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from offnominal.core.episode import Event
from offnominal.datasets import content_hash


def flipped(values):
    changed = values.copy()
    changed.view(np.uint8).flat[-1] ^= 1
    return changed


def test_copies_and_views_have_the_same_hash(recorded):
    episode = recorded(5, cost=np.arange(5.0))
    apart = replace(
        episode,
        observations=np.asfortranarray(episode.observations),
        rewards=np.repeat(episode.rewards, 2)[::2],
        extras=dict(reversed(episode.extras.items())),
    )
    assert content_hash([episode]) == content_hash([apart])
    assert content_hash([episode]) == content_hash([replace(episode, actions=episode.actions.astype(">f8"))])


@pytest.mark.parametrize(
    "change",
    [
        lambda episode: {"observations": flipped(episode.observations)},
        lambda episode: {"actions": flipped(episode.actions)},
        lambda episode: {"rewards": np.where(episode.rewards == 0, -0.0, episode.rewards)},
        lambda episode: {"active": ~episode.active},
        lambda episode: {"observations": episode.observations.reshape(6, 2, 1)},
        lambda episode: {"observations": episode.observations.astype(np.float64)},
        lambda episode: {"seed": 1},
        lambda episode: {"terminated": not episode.terminated},
        lambda episode: {"events": (Event("action/offset", 0.5, 3, None, (0,)),)},
        lambda episode: {"events": (Event("action/offset", 0.5, 2, 4, (0,)),)},
        lambda episode: {"events": (Event("action/offset", 0.5, 2, None, (1,)),)},
        lambda episode: {"events": ()},
        lambda episode: {"extras": {"price": episode.extras["cost"]}},
        lambda episode: {"extras": {}},
    ],
)
def test_any_change_changes_the_hash(change, recorded):
    episode = recorded(5, onset=2, cost=np.arange(5.0))
    episode.rewards[2] = 0.0
    assert content_hash([replace(episode, **change(episode))]) != content_hash([episode])


def test_the_order_of_episodes_counts(recorded):
    first, second = recorded(seed=1), recorded(seed=2)
    assert content_hash([first, second]) != content_hash([second, first])
