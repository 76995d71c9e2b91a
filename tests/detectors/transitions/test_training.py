"""The training loop stops in time and keeps the best weights."""

import numpy as np
import pytest
import torch
from torch import nn

from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.transitions.training import split_validation, train
from offnominal.detectors.transitions.training_rows import TrainingRows, average


def run(checks, *, n_epochs=10, patience=2):
    """Train one weight that grows by one per epoch, while the checks say what they are told to."""
    weight = nn.Parameter(torch.zeros(1))
    network = nn.ParameterList([weight])
    said = iter(checks)
    curve = train(
        network,
        torch.optim.SGD([weight], lr=1.0),
        batches=lambda: [torch.tensor(0)],
        loss=lambda batch: -weight.sum(),
        check=lambda: next(said),
        n_epochs=n_epochs,
        patience=patience,
    )
    return weight.item(), curve


def test_the_best_weights_are_kept():
    weight, curve = run([9.0, 5.0, 3.0, 4.0, 6.0])
    assert weight == 2.0
    np.testing.assert_array_equal(curve[:, 1], [5.0, 3.0, 4.0, 6.0])


def test_training_goes_on_while_it_helps():
    weight, curve = run(np.arange(20.0, 0.0, -1.0), n_epochs=6)
    assert (weight, len(curve)) == (6.0, 6)


def test_progress_starts_the_patience_anew():
    weight, curve = run([9.0, 8.0, 8.5, 7.0, 7.5, 7.4, 1.0])
    assert (weight, len(curve)) == (3.0, 5)


def test_a_network_that_only_gets_worse_keeps_its_first_weights():
    assert run([1.0, 2.0, np.nan])[0] == 0.0


def test_a_gradient_is_clipped():
    weight = nn.Parameter(torch.zeros(1))
    train(
        nn.ParameterList([weight]),
        torch.optim.SGD([weight], lr=1.0),
        batches=lambda: [torch.tensor(0)],
        loss=lambda batch: -100.0 * weight.sum(),
        check=lambda: -weight.item(),
        n_epochs=1,
        patience=1,
        max_grad_norm=2.0,
    )
    assert weight.item() == pytest.approx(2.0, rel=1e-4)


def test_a_tenth_of_the_episodes_is_held_out():
    random = RandomNumbers(0, CPU)
    state, unseen = split_validation(list(range(30)), None, random)
    assert (len(state), len(unseen)) == (27, 3)
    assert sorted([*state, *unseen]) == list(range(30))
    assert unseen != [27, 28, 29]
    assert split_validation(["a"], None, random) == (["a"], ["a"])
    assert split_validation(["a", "b"], ["c"], random) == (["a", "b"], ["c"])
    assert len(split_validation(["a", "b"], None, random)[0]) == 1


def sequences():
    lengths = torch.tensor([4, 2, 3])
    real = (torch.arange(6) < lengths[:, None]).float()
    return TrainingRows(torch.randn(3, 6, 2), torch.randn(3, 6, 2), real)


def test_padding_does_not_count():
    rows = sequences()
    losses = torch.where(rows.mask > 0, 2.0, 1e9)
    assert float(rows.mean(losses)) == 2.0
    assert average(rows, lambda part: torch.where(part.mask > 0, 2.0, 1e9), 2) == 2.0


def test_time_behind_the_longest_episode_is_cut():
    rows = sequences().take(torch.tensor([1, 2]))
    assert rows.inputs.shape == (2, 3, 2)
    assert rows.targets.shape == (2, 3, 2)
    assert rows.mask.tolist() == [[1, 1, 0], [1, 1, 1]]


def test_an_average_does_not_depend_on_how_many_rows_are_looked_at_together():
    rows = TrainingRows(torch.randn(7, 2), torch.randn(7, 2), torch.ones(7))
    values = [average(rows, lambda part: part.inputs.sum(dim=-1), batch) for batch in (1, 3, 100)]
    np.testing.assert_allclose(values, float(rows.inputs.sum(dim=-1).mean()), rtol=1e-5)


def test_every_row_comes_once_per_epoch():
    rows = TrainingRows(torch.randn(10, 2), torch.randn(10, 2), torch.ones(10))
    batches = rows.shuffled(4, RandomNumbers(0, CPU))
    assert [len(batch) for batch in batches] == [4, 4, 2]
    assert sorted(torch.cat(batches).tolist()) == list(range(10))
