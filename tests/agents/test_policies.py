"""What a policy does for one episode never depends on the rest of the batch."""

import hashlib
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete, MultiDiscrete

from offnominal.agents import FunctionPolicy, NetworkPolicy, Policy, RandomPolicy, as_policy
from offnominal.core.dense_product import BLOCK, blocks, dense
from offnominal.core.errors import InvalidAction, InvalidParameter, OffnominalError

BATCHES = (1, 7, 64, 256)
PRODUCT = "3b9f0869a612e66942589dc1cd420f91e2c7636679262e2c24dd3d2c94df782c"
SPACE = Box(np.array([-1.0, 0.0, -3.0], np.float32), np.array([1.0, 0.5, 10.0], np.float32))


def observations(n=256, width=17, seed=0):
    return np.random.default_rng(seed).normal(0, 2, (n, width)).astype(np.float32)


def in_pieces(policy, given, size):
    """Return the actions for all observations, asked for `size` at a time."""
    return np.concatenate([policy.act(given[k : k + size], None)[0] for k in range(0, len(given), size)])


def drawn(policy, seeds, steps, episode=0):
    """Return (steps, n, ...) actions of a policy that does not look."""
    seeds = np.asarray(seeds)
    state = policy.start(seeds, np.full(len(seeds), episode))
    out = []
    for _ in range(steps):
        actions, state = policy.act(np.zeros((len(seeds), 4)), state)
        out.append(actions)
    return np.array(out)


def test_random_actions_are_uniform_within_the_limits():
    actions = drawn(RandomPolicy(SPACE), range(500), 40).reshape(-1, 3)
    assert actions.dtype == np.float32
    assert (actions >= SPACE.low).all()
    assert (actions <= SPACE.high).all()
    share = (actions - SPACE.low) / (SPACE.high - SPACE.low)
    np.testing.assert_allclose(share.mean(axis=0), 0.5, atol=0.01)
    np.testing.assert_allclose(share.var(axis=0), 1 / 12, atol=0.002)
    assert np.abs(np.corrcoef(share.T) - np.eye(3)).max() < 0.03


def test_random_actions_of_a_seed_are_the_same_whenever_and_with_whomever():
    policy = RandomPolicy(SPACE)
    together = drawn(policy, [3, 8, 5, 3], 6)
    np.testing.assert_array_equal(together, drawn(RandomPolicy(SPACE), [3, 8, 5, 3], 6))
    np.testing.assert_array_equal(together[:, 0], together[:, 3])
    np.testing.assert_array_equal(together[:, 2], drawn(policy, [5], 6)[:, 0])
    assert (together[:, 0] != together[:, 1]).any()
    assert (together != drawn(policy, [3, 8, 5, 3], 6, episode=1)).any()
    assert (together[0] != together[1]).any()


def test_random_actions_do_not_change_when_other_episodes_end():
    policy = RandomPolicy(SPACE)
    seeds = np.array([3, 8, 5])
    state = policy.start(seeds, np.zeros(3, np.int64))
    _, state = policy.act(np.zeros((3, 4)), state)
    actions, _ = policy.act(np.zeros((2, 4)), policy.take(state, np.array([0, 2])))
    np.testing.assert_array_equal(actions, drawn(policy, seeds, 2)[1, [0, 2]])


def test_random_actions_keep_the_shape_of_the_space():
    actions = drawn(RandomPolicy(Box(-1, 1, (2, 3))), [0, 1], 1)[0]
    assert actions.shape == (2, 2, 3)


@pytest.mark.parametrize("space", [Box(-np.inf, 1, (2,)), Box(0, np.inf, (2,)), MultiDiscrete([2, 3])])
def test_random_actions_need_finite_limits(space):
    with pytest.raises(InvalidParameter, match=r"finite bounds|Box"):
        RandomPolicy(space)


def test_random_choices_are_uniform_and_within_the_space():
    chosen = np.array(drawn(RandomPolicy(Discrete(3, start=5)), list(range(500)), 4))
    assert chosen.dtype == np.int64
    assert chosen.shape == (4, 500)
    values, counts = np.unique(chosen, return_counts=True)
    np.testing.assert_array_equal(values, [5, 6, 7])
    assert counts.min() > 600


def perceptron(seed=0, sizes=(17, 64, 64, 3)):
    """Return a plain NumPy network, multiplied by whatever library NumPy was built with."""
    draw = np.random.default_rng(seed)
    weights = [draw.normal(0, a**-0.5, (a, b)).astype(np.float32) for a, b in pairwise(sizes)]

    def act(x):
        for weight in weights[:-1]:
            x = np.maximum(x @ weight, 0)
        return np.tanh(x @ weights[-1])

    return act


@pytest.mark.parametrize("size", BATCHES)
def test_a_function_gives_the_same_bits_for_every_batch_size(size):
    policy, given = FunctionPolicy(perceptron()), observations()
    np.testing.assert_array_equal(in_pieces(policy, given, size), in_pieces(policy, given, 256))


def test_a_function_gives_the_same_bits_at_every_place_in_the_batch():
    policy, given = FunctionPolicy(perceptron()), observations()
    expected = policy.act(given, None)[0]
    order = np.random.default_rng(1).permutation(len(given))
    np.testing.assert_array_equal(policy.act(given[order], None)[0], expected[order])
    for place in (0, 1, 2, 3, 31, 62, 63):
        crowd = np.roll(given, place, axis=0)[: place + 1]
        np.testing.assert_array_equal(policy.act(crowd, None)[0][place], expected[0])


def test_a_function_is_called_with_whole_tiles_padded_with_zeros():
    shapes, padding = [], []

    def act(x):
        shapes.append(x.shape)
        padding.append(x[-1].copy())
        return x[:, :1]

    policy = FunctionPolicy(act, tile=4)
    given = np.arange(12.0).reshape(6, 2) + 1
    np.testing.assert_array_equal(policy.act(given, None)[0], given[:, :1])
    assert shapes == [(4, 2), (4, 2)]
    np.testing.assert_array_equal(padding[1], [0, 0])


@pytest.mark.parametrize("bad", [lambda x: x[:3, :1], lambda x: x[0], lambda x: None, lambda x: 0.5])
def test_a_function_that_forgets_some_observations_is_refused(bad):
    with pytest.raises(InvalidAction, match="expected one action per observation"):
        FunctionPolicy(bad).act(observations(5), None)


@pytest.mark.parametrize("tile", [0, -1])
def test_a_tile_of_no_rows_is_refused(tile):
    with pytest.raises(InvalidParameter, match="tile"):
        FunctionPolicy(perceptron(), tile=tile)


def test_functions_become_policies_and_policies_stay():
    policy = RandomPolicy(SPACE)
    assert as_policy(policy) is policy
    assert isinstance(as_policy(perceptron()), FunctionPolicy)
    with pytest.raises(InvalidParameter, match="expected a Policy or a function"):
        as_policy("forward")


def test_a_policy_without_memory_starts_with_none_and_keeps_it():
    class Still(Policy):
        def act(self, observations, state):
            return np.zeros((len(observations), 1)), state

    policy = Still()
    assert policy.start(np.arange(2), np.zeros(2, np.int64)) is None
    assert policy.take("anything", np.array([0])) == "anything"


def layers(sizes, seed=0):
    draw = np.random.default_rng(seed)
    return [(draw.normal(0, a**-0.5, (a, b)), draw.normal(0, 0.3, b)) for a, b in pairwise(sizes)]


def network_in_double_precision(given, parts, space, activation, squash):
    x = given.astype(np.float64)
    for weight, bias in parts[:-1]:
        x = x @ weight + bias
        x = np.maximum(x, 0) if activation == "relu" else np.tanh(x)
    x = x @ parts[-1][0] + parts[-1][1]
    if not squash:
        return np.clip(x, space.low, space.high)
    middle, reach = (space.high + space.low) / 2.0, (space.high - space.low) / 2.0
    return middle + reach * np.tanh(x)


@pytest.mark.parametrize("squash", [True, False])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("sizes", [(17, 3), (17, 5, 3), (17, 256, 256, 3), (1, 7, 6, 3)])
def test_a_network_equals_its_numpy_reference(sizes, activation, squash):
    parts, given = layers(sizes), observations(33, sizes[0])
    policy = NetworkPolicy(parts, SPACE, activation=activation, squash=squash)
    actions, state = policy.act(given, None)
    assert state is None
    assert actions.dtype == np.float32
    expected = network_in_double_precision(given, parts, SPACE, activation, squash)
    np.testing.assert_allclose(actions, expected, rtol=1e-5, atol=1e-5)


def test_squashed_actions_stay_within_the_limits():
    policy = NetworkPolicy(layers((17, 3)), SPACE)
    actions, _ = policy.act(1e4 * observations(), None)
    assert (actions >= SPACE.low).all()
    assert (actions <= SPACE.high).all()
    assert (actions == SPACE.high).any()


@pytest.mark.parametrize("size", BATCHES)
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_a_network_gives_the_same_bits_for_every_batch_size(size, activation):
    policy, given = NetworkPolicy(layers((17, 64, 64, 3)), SPACE, activation=activation), observations()
    np.testing.assert_array_equal(in_pieces(policy, given, size), in_pieces(policy, given, 256))


def test_a_network_gives_the_same_bits_at_every_place_in_the_batch():
    policy, given = NetworkPolicy(layers((17, 64, 3)), SPACE), observations()
    order = np.random.default_rng(1).permutation(len(given))
    np.testing.assert_array_equal(policy.act(given[order], None)[0], policy.act(given, None)[0][order])


def test_a_network_flattens_observations_and_shapes_actions():
    policy = NetworkPolicy(layers((12, 6)), Box(-1, 1, (2, 3)))
    images = observations(5, 12).reshape(5, 3, 4)
    actions, _ = policy.act(images, None)
    assert actions.shape == (5, 2, 3)
    np.testing.assert_array_equal(actions, policy.act(images.reshape(5, 12), None)[0])


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            [(np.ones((4, 8)), np.ones(8)), (np.ones((7, 3)), np.ones(3))],
            r"layer 1 has weights \(7, 3\).*\(8, outputs\)",
        ),
        ([(np.ones((4, 3)), np.ones(4))], r"layer 0 .*biases \(4,\)"),
        ([(np.ones(4), np.ones(3))], r"layer 0 has weights \(4,\)"),
        ([(np.ones((4, 3)), np.ones((1, 3)))], "layer 0"),
        ([(np.ones((4, 2)), np.ones(2))], r"2 outputs for an action of shape \(3,\)"),
        ([], "no layers"),
    ],
)
def test_layers_that_do_not_fit_together_are_refused(parts, said):
    with pytest.raises(InvalidParameter, match=said):
        NetworkPolicy(parts, SPACE)


@pytest.mark.parametrize("width", [16, 18, 1])
def test_observations_that_do_not_fit_the_network_are_refused(width):
    policy = NetworkPolicy(layers((17, 8, 3)), SPACE)
    with pytest.raises(OffnominalError, match="17"):
        policy.act(observations(5, width), None)


def test_an_unknown_activation_is_refused():
    with pytest.raises(InvalidParameter, match="gelu"):
        NetworkPolicy(layers((17, 8, 3)), SPACE, activation="gelu")


def test_a_squashed_network_needs_finite_limits():
    with pytest.raises(InvalidParameter, match="finite bounds"):
        NetworkPolicy(layers((17, 8, 3)), Box(-np.inf, np.inf, (3,)))


def test_a_random_network_is_fixed_by_its_seed():
    given = observations(4)
    one, again, other = (
        NetworkPolicy.random(17, SPACE, hidden=(8,), seed=seed).act(given, None)[0] for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def nearest_float32(x):
    """Return the float32 nearest to a fraction, ties to the even one."""
    guess = np.float32(float(x))
    near = [np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf))]
    error = [abs(Fraction(float(each)) - x) for each in near]
    best = [each for each, e in zip(near, error, strict=True) if e == min(error)]
    return min(best, key=lambda each: int(each.view(np.uint32)) & 1)


@pytest.mark.parametrize(("rows", "inputs", "outputs"), [(4, 1, 3), (8, 5, 2), (4, 8, 7), (12, 11, 1)])
def test_the_product_is_rounded_once_per_term_in_the_order_of_the_inputs(rows, inputs, outputs):
    draw = np.random.default_rng(inputs)
    x, weight, bias = (
        draw.normal(0, 1, shape).astype(np.float32) for shape in ((rows, inputs), (inputs, outputs), outputs)
    )
    out = np.empty((rows, outputs), np.float32)
    dense(x, weight, bias, out)
    for i in range(rows):
        for j in range(outputs):
            total = bias[j]
            for k in range(inputs):
                total = nearest_float32(
                    Fraction(float(total)) + Fraction(float(x[i, k])) * Fraction(float(weight[k, j]))
                )
            assert out[i, j] == total


def test_rows_are_multiplied_in_whole_blocks():
    assert [blocks(n) for n in (1, 4, 5, 8, 255)] == [4, 4, 8, 8, 256]
    assert BLOCK == 4


def test_the_product_has_the_same_bits_on_this_cpu_as_on_every_other():
    grid = np.arange(64 * 37, dtype=np.float32)
    x = ((grid * 7919) % 1009 / 1009 - 0.5).reshape(64, 37)
    weight = ((grid[: 37 * 29] * 6101) % 997 / 997 - 0.5).reshape(37, 29)
    bias = grid[:29] / 29
    out = np.empty((64, 29), np.float32)
    dense(x, weight, bias, out)
    assert hashlib.sha256(out.tobytes()).hexdigest() == PRODUCT


def test_a_function_that_fails_is_named():
    def act(x):
        raise KeyError("gain")

    with pytest.raises(InvalidAction, match=r"failed for observations of shape \(64, 3\): KeyError"):
        FunctionPolicy(act).act(np.zeros((2, 3)), None)
