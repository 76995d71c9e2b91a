"""The training loop stops when it should and keeps the best weights."""

import math
import time

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch import nn  # noqa: E402

from offnominal.detectors.random_numbers import CPU, RandomNumbers  # noqa: E402
from offnominal.detectors.training import (  # noqa: E402
    EarlyStopping,
    GradientStep,
    sample_batches,
    split_validation,
    train,
)


class Counter(nn.Module):
    """A network whose weight is the number of updates."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def update(self, batch):
        with torch.no_grad():
            self.weight += 1


def run(loss, *, n_epochs=20, updates=5, patience=3, max_seconds=None, **options):
    """Train a counter; `loss` is a function of the number of updates. Return history and final weight."""
    network = Counter()
    history = train(
        network,
        network.update,
        lambda epoch: range(updates),
        n_epochs=n_epochs,
        stopping=None if loss is None else EarlyStopping(lambda: loss(float(network.weight)), patience, **options),
        max_seconds=max_seconds,
    )
    return history, float(network.weight.detach())


def run_with_losses(losses, **options):
    """Train one update per epoch with given validation losses."""
    return run(lambda n: losses[int(n)], updates=1, **options)


def test_the_weights_of_the_smallest_validation_loss_are_restored():
    history, weight = run(lambda n: abs(n - 20))
    assert weight == 20
    assert (history.stop_reason, history.n_updates) == ("patience", 35)
    assert history.validation_losses == [20.0, 15.0, 10.0, 5.0, 0.0, 5.0, 10.0, 15.0]


def test_training_completes_while_the_loss_falls():
    history, weight = run(lambda n: -n, n_epochs=6)
    assert (history.stop_reason, weight, len(history.validation_losses)) == ("completed", 30, 7)


def test_a_smaller_loss_resets_the_patience():
    history, weight = run_with_losses([9.0, 8.0, 8.5, 7.0, 7.5, 7.4, 1.0], patience=2)
    assert (weight, history.n_updates) == (3.0, 5)


def test_a_network_that_only_gets_worse_keeps_its_initial_weights():
    history, weight = run_with_losses([1.0, 2.0, np.nan], patience=2)
    assert (weight, history.stop_reason) == (0.0, "patience")


def test_without_validation_all_epochs_run():
    history, weight = run(None, n_epochs=4)
    assert (history.stop_reason, weight) == ("completed", 20)
    assert history.validation_losses == [math.inf] * 5


def test_a_loss_that_is_not_finite_stops_training_if_asked():
    history, weight = run(lambda n: math.nan if n > 12 else -n, stop_if_diverged=True)
    assert (history.stop_reason, weight) == ("diverged", 10)


def test_a_time_limit_stops_training():
    history, _ = run(lambda n: time.sleep(0.01) or -n, max_seconds=0.02)
    assert history.stop_reason == "max_seconds"


def test_a_collapsed_discriminator_stops_training_with_the_last_weights():
    history, weight = run(lambda n: 0.0 if n >= 50 else 1.0, collapse_loss=0.01)
    assert (history.stop_reason, weight) == ("patience", 60)


def test_the_mode_of_the_network_is_training_in_updates_and_evaluation_elsewhere():
    network, modes = Counter(), {"update": set(), "validate": set()}
    stopping = EarlyStopping(lambda: float(modes["validate"].add((network.training, torch.is_grad_enabled())) or 0), 9)
    train(
        network,
        lambda batch: modes["update"].add((network.training, torch.is_grad_enabled())),
        lambda _: range(2),
        n_epochs=2,
        stopping=stopping,
    )
    assert modes == {"update": {(True, True)}, "validate": {(False, False)}}
    assert not network.training


def descend(*, losses=(1.0,), max_grad_norm=None, gamma=1.0):
    """Take one gradient step per slope, and return weight and learning curve."""
    weight = nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma)
    step = GradientStep(optimizer, max_grad_norm=max_grad_norm, schedule=schedule)
    history = train(
        nn.ParameterList([weight]),
        lambda slope: step(-slope * weight.sum()),
        lambda _: losses,
        n_epochs=2,
        stopping=EarlyStopping(lambda: -weight.item(), 1),
    )
    return weight.item(), history.learning_curve()


def test_a_gradient_step_descends_the_loss():
    weight, curve = descend(losses=(1.0, 3.0))
    assert weight == 8.0
    np.testing.assert_array_equal(curve, [[-1.5, -4.0], [-9.5, -8.0]])


def test_the_gradient_is_clipped():
    assert descend(losses=(100.0,), max_grad_norm=2.0)[0] == pytest.approx(4.0, rel=1e-4)


def test_the_schedule_advances_with_every_update():
    assert descend(losses=(1.0, 1.0), gamma=0.5)[0] == 1.875


def test_batches_are_drawn_with_replacement_until_the_last_update():
    rows = torch.arange(10.0)[:, None]
    options = {"batch_size": 4, "max_iter": 23, "validate_every": 5}
    batches, n_epochs = sample_batches(rows, RandomNumbers(0, CPU), **options)
    drawn = [list(batches(epoch)) for epoch in range(n_epochs)]
    assert [len(epoch) for epoch in drawn] == [5, 5, 5, 5, 3]
    assert {batch.shape for epoch in drawn for batch in epoch} == {(4, 1)}
    assert {float(row) for epoch in drawn for batch in epoch for row in batch} == set(range(10))


def test_a_tenth_of_the_episodes_is_held_out():
    random = RandomNumbers(0, CPU)
    training, held_out = split_validation(list(range(30)), None, random)
    assert (len(training), len(held_out)) == (27, 3)
    assert sorted([*training, *held_out]) == list(range(30))
    assert held_out != [27, 28, 29]
    assert split_validation(["a"], None, random) == (["a"], ["a"])
    assert split_validation(["a", "b"], ["c"], random) == (["a", "b"], ["c"])
    assert len(split_validation(["a", "b"], None, random)[0]) == 1
