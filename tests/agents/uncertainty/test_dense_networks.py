"""Members in one matrix give what each would give alone, to the last bit."""

import numpy as np
import pytest
from gymnasium.spaces import Box

from offnominal.agents import NetworkPolicy
from offnominal.agents.uncertainty import DenseNetworks
from offnominal.agents.uncertainty.kernel import DROPCONNECT, DROPOUT, ENSEMBLE
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import stream_keys

pytestmark = pytest.mark.long

SIZES = (5, 18, 7, 3)
N = 70


@pytest.fixture
def members():
    return DenseNetworks.random(SIZES, members=4, seed=2)


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(N, SIZES[0])).astype(np.float32)


@pytest.fixture
def streams():
    return stream_keys(np.arange(N), np.zeros(N, np.int64), "test"), np.arange(N) % 9


def test_a_member_gives_what_a_network_policy_with_its_weights_gives(members, rows):
    together = members.passes(rows, ENSEMBLE, 0.0, 4)
    for number in range(4):
        layers = [(weight[number], bias[number]) for weight, bias in members.layers()]
        alone = NetworkPolicy(layers, Box(-np.inf, np.inf, (3,)), squash=False).act(rows, None)[0]
        np.testing.assert_array_equal(together[number], alone)


@pytest.mark.parametrize("kind", [DROPOUT, DROPCONNECT])
def test_without_probability_nothing_is_dropped(members, rows, streams, kind):
    plain = members.passes(rows, ENSEMBLE, 0.0, 1)[0]
    np.testing.assert_array_equal(members.passes(rows, kind, 0.0, 2, *streams), [plain, plain])


@pytest.mark.parametrize("kind", [ENSEMBLE, DROPOUT, DROPCONNECT])
def test_the_batch_does_not_matter(members, rows, streams, kind):
    keys, steps = streams
    whole = members.passes(rows, kind, 0.3, 3, keys, steps)
    order = np.random.default_rng(1).permutation(N)
    np.testing.assert_array_equal(members.passes(rows[order], kind, 0.3, 3, keys[order], steps[order]), whole[:, order])
    alone = [members.passes(rows[[i]], kind, 0.3, 3, keys[[i]], steps[[i]]) for i in range(N)]
    np.testing.assert_array_equal(np.concatenate(alone, axis=1), whole)


@pytest.mark.parametrize("kind", [DROPOUT, DROPCONNECT])
def test_dropout_masks_depend_on_stream_step_and_pass(members, rows, streams, kind):
    keys, steps = streams
    one, two = members.passes(rows, kind, 0.3, 2, keys, steps)
    later = members.passes(rows, kind, 0.3, 1, keys, steps + 1)[0]
    other = members.passes(rows, kind, 0.3, 1, keys + np.uint64(1), steps)[0]
    for changed in (two, later, other):
        assert (changed != one).any(axis=1).mean() > 0.9


def test_dropout_drops_the_given_fraction_and_scales_the_other_units():
    layers = [(np.ones((1, 1, 400)), np.zeros((1, 400))), (np.ones((1, 400, 1)), np.full((1, 1), 7.0))]
    members = DenseNetworks.of_layers(layers)
    keys = stream_keys(np.arange(50), np.zeros(50, np.int64), "test")
    for kind in (DROPOUT, DROPCONNECT):
        seen = members.passes(np.ones((50, 1)), kind, 0.25, 20, keys, np.zeros(50, np.int64))[..., 0] - 7.0
        # The bias of 7 is never dropped; the mean is that of the network without gaps.
        assert abs(seen.mean() - 400.0) < 4.0
        variance = 400 * 0.25 / 0.75 if kind == DROPOUT else 400 * ((1 / 0.75) ** 2 - 1.0)
        assert abs(seen.var() / variance - 1.0) < 0.15


def test_layers_come_back(members):
    again = DenseNetworks.of_layers(members.layers())
    np.testing.assert_array_equal(again.weights, members.weights)
    assert again.sizes == SIZES


def test_wrong_weights_are_refused():
    with pytest.raises(InvalidParameter, match=r"need \(members, 13\)"):
        DenseNetworks(np.zeros((2, 12)), (3, 2, 1, 1))
