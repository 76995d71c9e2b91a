"""Batches contain every transition once per epoch, with its own frames and action."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.images.image_scaling import ImageScaling, scale_pixels
from offnominal.detectors.images.prediction.frame_dataset import FrameBatch, FrameDataset, read_episodes
from offnominal.detectors.images.prediction.frame_network import FrameNetwork
from offnominal.detectors.images.prediction.prediction_detector import FrameLoss, at_least
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.state_arrays import StateArrays

pytestmark = pytest.mark.long

LENGTHS = (5, 2, 9, 1)


def numbered(number, length):
    """Return an episode whose frames and actions contain the episode number and the time."""
    frames = np.zeros((length + 1, 3, 32, 32), np.uint8)
    frames[:, 0] = number
    frames[:, 1] = np.arange(length + 1)[:, None, None]
    actions = np.column_stack([np.full(length, 10.0 * number), np.arange(length)])
    return Episode(frames, actions, np.zeros(length), np.zeros(length, bool))


@pytest.fixture
def dataset():
    parts, actions, shape = read_episodes([numbered(number, length) for number, length in enumerate(LENGTHS)])
    return FrameDataset.of(parts, actions, ImageScaling.of(shape, actions), torch.device("cpu"))


def transitions_in(dataset, batches):
    """Return (episode, time) of every transition in batches, without padding."""
    found = []
    for batch in batches:
        frames, _ = dataset.load(batch)
        for row, steps in zip(frames[:, :, :, 0, 0].tolist(), batch.steps.tolist(), strict=True):
            for before, after in pairwise(row[: steps + 1]):
                assert (before[0], before[1] + 1) == (after[0], after[1])
                found.append((before[0], before[1]))
    return found


EVERY = [(number, t) for number, length in enumerate(LENGTHS) for t in range(length)]


@pytest.mark.parametrize("shuffle", [RandomNumbers(0, CPU), None], ids=["shuffled", "in order"])
def test_every_transition_is_in_one_batch(dataset, shuffle):
    everything = range(len(LENGTHS))
    assert sorted(transitions_in(dataset, dataset.transition_batches(everything, 4, shuffle))) == EVERY
    assert sorted(transitions_in(dataset, dataset.sequence_batches(everything, 3, 4, shuffle))) == EVERY
    assert {number for number, _ in transitions_in(dataset, dataset.sequence_batches([0, 2], 3, 4, shuffle))} == {0, 2}


def test_consecutive_batches_are_consecutive_in_time(dataset):
    random = RandomNumbers(0, CPU)
    for _ in range(5):
        batches = list(dataset.sequence_batches(range(len(LENGTHS)), 4, 3, random))
        assert batches[0].starts_episodes
        assert not any(batch.starts_episodes for batch in batches[1:])
        for before, after in pairwise(batches):
            assert (after.first == before.first[: len(after)] + before.steps[: len(after)]).all()


def test_actions_belong_to_their_frames(dataset):
    frames, actions = dataset.load(FrameBatch(torch.tensor([0, 9]), torch.tensor([5, 9]), True))
    scale = ImageScaling.of((3, 32, 32), all_actions()).action
    raw = actions.double().numpy() * scale.scale + scale.mean
    np.testing.assert_allclose(raw[0, :5], all_actions()[0], atol=1e-4)
    np.testing.assert_allclose(raw[1], all_actions()[2], atol=1e-4)
    assert frames.shape == (2, 10, 3, 32, 32)


def all_actions():
    return [numbered(number, length).actions for number, length in enumerate(LENGTHS)]


def test_padding_is_not_part_of_the_mean():
    batch = FrameBatch(torch.tensor([0, 6]), torch.tensor([3, 1]), True)
    losses = torch.tensor([[1.0, 2.0, 3.0], [6.0, torch.nan, torch.inf]])
    assert batch.mean(losses).item() == 3.0


class CountingNetwork(FrameNetwork):
    """A network whose state is the number of transitions so far, and whose loss is this number."""

    state_size = 1

    def anomaly_scores(self, frames, actions, state):
        n_steps = frames.shape[1] - 1
        return state + torch.arange(1.0, n_steps + 1), state + n_steps


def test_the_state_is_carried_from_batch_to_batch(dataset):
    loss = FrameLoss(CountingNetwork(), dataset)
    batches = list(dataset.sequence_batches([2], 1, 4, None))
    assert [loss(batch).item() for batch in batches] == [2.5, 6.5, 9.0]
    assert loss.mean(batches) == pytest.approx(5.0)


def test_an_epoch_repeats_the_episodes_until_it_has_enough_updates(dataset):
    one_pass = list(dataset.transition_batches([0], 2, None))
    assert len(one_pass) == 3
    assert [len(list(at_least(n, lambda: one_pass))) for n in (1, 3, 4, 7)] == [3, 3, 6, 9]


def test_pixels_are_scaled_to_a_range():
    frames = torch.tensor([0, 51, 255], dtype=torch.uint8)
    np.testing.assert_allclose(scale_pixels(frames, 0.0, 1.0), [0.0, 0.2, 1.0], atol=1e-6)
    np.testing.assert_allclose(scale_pixels(frames, -1.0, 1.0), [-1.0, -0.6, 1.0], atol=1e-6)
    assert frames.tolist() == [0, 51, 255]


def test_a_constant_action_is_not_scaled():
    units = ImageScaling.of((3, 32, 32), [np.array([[1.0, 2.0], [3.0, 2.0]])])
    np.testing.assert_allclose(units.actions(np.array([[2.0, 2.5]])), [[0.0, 0.5]])
    restored = ImageScaling.restored(StateArrays(units.arrays(), "LDM"), 3 * 32 * 32, 2)
    assert restored.shape == units.shape
    assert np.isfinite(units.actions(np.array([[1e300, -1e300]]))).all()


def test_an_empty_list_of_episodes_is_an_error():
    with pytest.raises(InvalidParameter, match="no episodes"):
        read_episodes([])
