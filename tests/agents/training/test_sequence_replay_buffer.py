"""The replay gives back what was lived through, in order."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from offnominal.agents.training.sequence_replay_buffer import SequenceReplayBuffer  # noqa: E402

pytestmark = pytest.mark.long

CPU = torch.device("cpu")


def replay_buffer(capacity, *, members=2, n_envs=3, stacked=False):
    seen = (4, 2, 2) if stacked else (1,)
    generator = torch.Generator().manual_seed(0)
    return SequenceReplayBuffer(capacity, members, n_envs, seen, (), stacked=stacked, device=CPU, generator=generator)


def fill(replay, count, *, ends=(), cuts=(), stacked=False):
    """Live through moments numbered from 0; what lane k sees at moment t is 1000 k + t."""
    lanes = replay.members * replay.n_envs
    for t in range(count):
        number = 1000.0 * np.arange(lanes) + t
        seen = number[:, None].astype(np.float32)
        if stacked:
            seen = np.zeros((lanes, 4, 2, 2), np.uint8)
            seen[:, -1] = t
        every = np.ones(lanes)
        replay.add(seen, np.arange(lanes) % 2, number, every * (t in ends), every * (t in cuts))


def test_each_member_samples_only_its_own_transitions():
    replay = replay_buffer(20)
    fill(replay, 20)
    batch = replay.sample(200, 1, 0.9)
    lanes = (batch.observations[..., 0] // 1000).long()
    assert set(lanes[0].tolist()) == {0, 1, 2}
    assert set(lanes[1].tolist()) == {3, 4, 5}
    torch.testing.assert_close(batch.next_observations, batch.observations + 1.0)
    torch.testing.assert_close(batch.rewards, batch.observations[..., 0])


def test_rewards_of_several_steps_are_summed_and_discounted():
    replay = replay_buffer(20)
    fill(replay, 20)
    batch = replay.sample(50, 3, 0.5)
    first = batch.observations[..., 0]
    torch.testing.assert_close(batch.rewards, first + 0.5 * (first + 1) + 0.25 * (first + 2))
    torch.testing.assert_close(batch.next_observations, batch.observations + 3.0)
    assert (batch.bootstrap_weight == 0.125).all()


def test_an_end_stops_the_sum_and_a_cut_makes_it_not_count():
    replay = replay_buffer(12)
    fill(replay, 12, ends=(4,), cuts=(8,))
    batch = replay.sample(400, 2, 1.0)
    when = batch.observations[..., 0] % 1000
    assert ((batch.bootstrap_weight == 0.0) == ((when == 3) | (when == 4))).all()
    torch.testing.assert_close(batch.rewards[when == 4], batch.observations[..., 0][when == 4])
    assert ((batch.valid == 0.0) == ((when == 7) | (when == 8))).all()


def test_the_oldest_gives_way():
    replay = replay_buffer(10)
    fill(replay, 37)
    when = replay.sample(400, 1, 0.9).observations[..., 0] % 1000
    assert set(when.unique().tolist()) == set(map(float, range(27, 36)))


@pytest.mark.parametrize("count", [9, 25])
def test_stacks_are_put_together_again(count):
    replay = replay_buffer(12, stacked=True)
    fill(replay, count, ends=(5, 19), stacked=True)
    batch = replay.sample(300, 1, 0.9)
    images = batch.observations[..., 0, 0].reshape(-1, 4).tolist()
    for stack in images:
        newest = stack[-1]
        start = 20 if newest >= 20 else 6 if newest >= 6 else 0
        assert stack == [max(newest - back, start) for back in (3, 2, 1, 0)]


def test_what_a_captured_graph_reads_stays_where_it_is():
    replay = replay_buffer(4, stacked=True)
    read = [each for each in vars(replay).values() if isinstance(each, torch.Tensor) and each is not replay._ages]
    fill(replay, 9, stacked=True)
    kept = [each for each in vars(replay).values() if isinstance(each, torch.Tensor) and each is not replay._ages]
    assert [each.data_ptr() for each in kept] == [each.data_ptr() for each in read]


def test_values_are_bounded_by_what_rewards_allow():
    replay = replay_buffer(5)
    fill(replay, 3)
    least, most = replay.sample(4, 1, 0.5).bounds
    assert (float(least), float(most)) == (0.0, 2.0 * 5002.0)
