"""The loop keeps the best weights and stops when it should."""

import time

import torch
from torch import nn

from offnominal.detectors.random_numbers import CPU, RandomNumbers
from offnominal.detectors.rows.training import TrainingBudget, train

ROWS = torch.arange(10.0)[:, None]


class Counter(nn.Module):
    """A weight that counts steps."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def step(self, batch, random):
        with torch.no_grad():
            self.weight += 1


def run(check, **more):
    network = Counter()
    budget = TrainingBudget(**{"iterations": 100, "validate_every": 5, "patience": 3, **more.pop("budget", {})})
    history = train(
        network,
        network.step,
        ROWS,
        random=RandomNumbers(0, CPU),
        batch_size=4,
        budget=budget,
        check=check and (lambda random: check(network, random)),
        **more,
    )
    return history, float(network.weight.detach())


def test_the_best_weights_are_kept():
    history, weight = run(lambda network, _: abs(float(network.weight) - 20))
    assert weight == 20
    assert (history.stopped, history.iterations) == ("patience", 35)
    assert history.checks == [20.0, 15.0, 10.0, 5.0, 0.0, 5.0, 10.0, 15.0]


def test_iterations_end_exactly():
    history, weight = run(lambda network, _: -float(network.weight), budget={"iterations": 23})
    assert (history.stopped, history.iterations, weight) == ("iterations", 23, 23)
    assert run(None, budget={"iterations": 23})[1] == 23


def test_a_loss_that_is_no_number_ends_training():
    history, weight = run(lambda network, _: float("nan") if float(network.weight) > 12 else -float(network.weight))
    assert (history.stopped, weight) == ("diverged", 10)


def test_a_time_limit_ends_training():
    history, _ = run(lambda network, _: time.sleep(0.01) or -float(network.weight), budget={"seconds": 0.02})
    assert history.stopped == "seconds"


def test_a_critic_that_has_won_ends_training_with_the_last_weights():
    history, weight = run(lambda network, _: 0.0 if float(network.weight) >= 50 else 1.0, collapsed=0.01)
    assert (history.stopped, weight) == ("patience", 60)


def test_every_check_sees_the_same_noise():
    history, _ = run(lambda network, random: float(random.uniform(1)))
    assert len(set(history.checks)) == 1
