"""Rows of transitions and sequences: batches, padding, mean loss."""

import numpy as np
import pytest
import torch

from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.transitions.training_rows import TrainingRows, mean_loss

pytestmark = pytest.mark.long


def sequences():
    lengths = torch.tensor([4, 2, 3])
    real = (torch.arange(6) < lengths[:, None]).float()
    return TrainingRows(torch.randn(3, 6, 2), torch.randn(3, 6, 2), real, lengths)


def test_padding_does_not_count():
    rows = sequences()
    losses = torch.where(rows.mask > 0, 2.0, 1e9)
    assert float(rows.mean(losses)) == 2.0
    assert mean_loss(rows, lambda part: torch.where(part.mask > 0, 2.0, 1e9), 2) == 2.0


def test_padding_after_the_longest_episode_is_removed():
    first, second = sequences().batches(torch.tensor([1, 2, 0]), 2)
    assert (first.steps, second.steps) == (3, 4)
    rows = sequences().take(first)
    assert rows.inputs.shape == (2, 3, 2)
    assert rows.targets.shape == (2, 3, 2)
    assert rows.mask.tolist() == [[1, 1, 0], [1, 1, 1]]


def test_the_mean_loss_does_not_depend_on_the_batch_size():
    rows = TrainingRows(torch.randn(7, 2), torch.randn(7, 2), torch.ones(7))
    values = [mean_loss(rows, lambda part: part.inputs.sum(dim=-1), batch) for batch in (1, 3, 100)]
    np.testing.assert_allclose(values, float(rows.inputs.sum(dim=-1).mean()), rtol=1e-5)


def test_every_row_is_in_one_batch_of_an_epoch():
    rows = TrainingRows(torch.randn(10, 2), torch.randn(10, 2), torch.ones(10))
    batches = rows.shuffled(4, RandomNumbers(0, CPU))
    assert [len(batch.indices) for batch in batches] == [4, 4, 2]
    assert sorted(torch.cat([batch.indices for batch in batches]).tolist()) == list(range(10))
