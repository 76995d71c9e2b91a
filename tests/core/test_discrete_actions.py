"""Choices become columns."""

import numpy as np

from offnominal.core.discrete_actions import are_discrete, n_discrete_actions, one_hot
from offnominal.core.episode import Episode


def episode(actions):
    n = len(actions)
    return Episode(np.zeros((n + 1, 2)), actions, np.zeros(n), np.zeros(n, bool))


def test_whole_numbers_one_per_transition_are_choices():
    assert are_discrete(np.array([0, 1]))
    assert not are_discrete(np.array([0.0, 1.0]))
    assert not are_discrete(np.array([[0], [1]]))


def test_there_are_as_many_choices_as_the_largest_says():
    assert n_discrete_actions([episode(np.array([0, 1])), episode(np.array([3, 0]))]) == 4
    assert n_discrete_actions([episode(np.zeros((2, 1)))]) == 0


def test_every_choice_has_its_column():
    np.testing.assert_array_equal(one_hot(np.array([2, 0]), 3), [[0, 0, 1], [1, 0, 0]])
    np.testing.assert_array_equal(one_hot(np.array([3, -1]), 3), np.zeros((2, 3)))
