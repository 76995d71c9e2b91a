"""Footage: every transition is seen once in an epoch, with its own frames and action."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.detectors.images.frame_dataset import FrameBatch, FrameDataset, read
from offnominal.detectors.images.image_scaling import ImageScaling, scale_pixels
from offnominal.detectors.images.sequence_loss import SequenceLoss
from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.state_arrays import StateArrays

LENGTHS = (5, 2, 9, 1)


def numbered(number, length):
    """Frames that say which they are, and actions likewise."""
    frames = np.zeros((length + 1, 3, 32, 32), np.uint8)
    frames[:, 0] = number
    frames[:, 1] = np.arange(length + 1)[:, None, None]
    actions = np.column_stack([np.full(length, 10.0 * number), np.arange(length)])
    return Episode(frames, actions, np.zeros(length), np.zeros(length, bool))


@pytest.fixture
def dataset():
    parts, actions, shape = read([numbered(number, length) for number, length in enumerate(LENGTHS)])
    return FrameDataset.of(parts, actions, ImageScaling.of(shape, actions), torch.device("cpu"))


def seen(dataset, pieces):
    """Return what each piece shows: (episode, first time) of every real transition."""
    found = []
    for piece in pieces:
        frames, _ = dataset.piece(piece)
        for row, steps in zip(frames[:, :, :, 0, 0].tolist(), piece.steps.tolist(), strict=True):
            for before, after in pairwise(row[: steps + 1]):
                assert (before[0], before[1] + 1) == (after[0], after[1])
                found.append((before[0], before[1]))
    return found


EVERY = [(number, t) for number, length in enumerate(LENGTHS) for t in range(length)]


@pytest.mark.parametrize("shuffle", [RandomNumbers(0, CPU), None], ids=["shuffled", "in order"])
def test_every_transition_is_seen_once(dataset, shuffle):
    everything = range(len(LENGTHS))
    assert sorted(seen(dataset, dataset.transitions(everything, 4, shuffle))) == EVERY
    assert sorted(seen(dataset, dataset.pieces(everything, 3, 4, shuffle))) == EVERY
    assert {number for number, _ in seen(dataset, dataset.pieces([0, 2], 3, 4, shuffle))} == {0, 2}


def test_pieces_go_on_where_the_one_before_ended(dataset):
    random = RandomNumbers(0, CPU)
    for _ in range(5):
        pieces = list(dataset.pieces(range(len(LENGTHS)), 4, 3, random))
        assert pieces[0].begins
        assert not any(piece.begins for piece in pieces[1:])
        for before, after in pairwise(pieces):
            assert (after.first == before.first[: len(after)] + before.steps[: len(after)]).all()


def test_actions_are_those_of_their_frames(dataset):
    frames, actions = dataset.piece(FrameBatch(torch.tensor([0, 9]), torch.tensor([5, 9]), True))
    scale = ImageScaling.of((3, 32, 32), all_actions()).action
    raw = actions.double().numpy() * scale.scale + scale.mean
    np.testing.assert_allclose(raw[0, :5], all_actions()[0], atol=1e-4)
    np.testing.assert_allclose(raw[1], all_actions()[2], atol=1e-4)
    assert frames.shape == (2, 10, 3, 32, 32)


def all_actions():
    return [numbered(number, length).actions for number, length in enumerate(LENGTHS)]


def test_padding_counts_for_nothing():
    piece = FrameBatch(torch.tensor([0, 6]), torch.tensor([3, 1]), True)
    losses = torch.tensor([[1.0, 2.0, 3.0], [6.0, torch.nan, torch.inf]])
    assert piece.mean(losses).item() == 3.0


def test_the_state_is_carried_from_piece_to_piece(dataset):
    def lesson(frames, actions, state):
        before = torch.zeros(len(frames), 1) if state is None else state
        return before + torch.arange(1.0, frames.shape[1]), before + frames.shape[1] - 1

    exam = SequenceLoss(dataset, lesson)
    pieces = list(dataset.pieces([2], 1, 4, None))
    assert [exam.loss(piece).item() for piece in pieces] == [2.5, 6.5, 9.0]
    assert exam.average(pieces) == pytest.approx(5.0)


def test_bytes_are_scaled_once():
    frames = torch.tensor([0, 51, 255], dtype=torch.uint8)
    np.testing.assert_allclose(scale_pixels(frames, 0.0, 1.0), [0.0, 0.2, 1.0], atol=1e-6)
    np.testing.assert_allclose(scale_pixels(frames, -1.0, 1.0), [-1.0, -0.6, 1.0], atol=1e-6)
    assert frames.tolist() == [0, 51, 255]


def test_a_constant_action_stays_in_its_unit():
    units = ImageScaling.of((3, 32, 32), [np.array([[1.0, 2.0], [3.0, 2.0]])])
    np.testing.assert_allclose(units.actions(np.array([[2.0, 2.5]])), [[0.0, 0.5]])
    again = ImageScaling.restored(StateArrays(units.arrays(), "LDM"), 3 * 32 * 32, 2)
    assert again.shape == units.shape
    assert np.isfinite(units.actions(np.array([[1e300, -1e300]]))).all()


def test_no_episodes_are_named():
    with pytest.raises(InvalidParameter, match="no episodes"):
        read([])
