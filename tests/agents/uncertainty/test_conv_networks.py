"""Convolutional networks equal torch convolutions and are stored in half precision."""

import numpy as np
import pytest
from gymnasium.spaces import Discrete

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents import PolicyCard, UncertainPolicy, load_policy, save_policy  # noqa: E402
from offnominal.agents.uncertainty.batched_network import MEAN_BRIGHTNESS  # noqa: E402
from offnominal.agents.uncertainty.conv_networks import ConvNetworks  # noqa: E402
from offnominal.agents.uncertainty.convolution import NATURE_CNN, layer_shapes  # noqa: E402
from offnominal.agents.uncertainty.kernel import DROPCONNECT, DROPOUT, ENSEMBLE  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402

pytestmark = pytest.mark.long

SEEN, DENSE = (4, 84, 84), (16, 6)


def members(count=2, dense=DENSE, device="cpu"):
    shapes = layer_shapes(SEEN, dense, NATURE_CNN)
    generator = np.random.default_rng(0)
    parts = [generator.normal(0, fan_in**-0.5, (count, (fan_in + 1) * fan_out)) for fan_in, fan_out in shapes]
    return ConvNetworks(np.concatenate(parts, axis=1), SEEN, dense, device=device)


@pytest.fixture(scope="module")
def images():
    return np.random.default_rng(1).integers(0, 256, (3, *SEEN), np.uint8)


def test_members_are_convolutions(images, device):
    network = members(device=device)
    found = network.passes(images, ENSEMBLE, 0.0, 2)
    for number in range(2):
        values = torch.as_tensor(images).float() / 255.0 - MEAN_BRIGHTNESS
        for index, (weight, bias) in enumerate(network.layers()):
            kernel, offset = (torch.as_tensor(part[number].astype(np.float32)) for part in (weight, bias))
            if index < len(NATURE_CNN):
                # Ours has the outputs last.
                kernel = kernel.permute(3, 0, 1, 2)
                values = torch.relu(torch.nn.functional.conv2d(values, kernel, offset, stride=NATURE_CNN[index].stride))
            else:
                values = values.flatten(1) @ kernel + offset
                values = torch.relu(values) if index < len(NATURE_CNN) + 1 else values
        np.testing.assert_allclose(found[number], values.numpy(), rtol=1e-4, atol=1e-5)


def test_dropconnect_drops_the_given_fraction_and_the_same_weights_at_every_step(images):
    network = members(1)
    gapped = network._masked_weights(DROPCONNECT, 0.3, 2)
    convolutions = sum((fan_in + 1) * fan_out for fan_in, fan_out in network.shapes[: len(NATURE_CNN)])
    np.testing.assert_array_equal(gapped[:, :convolutions], network.weights[[0, 0], :convolutions])
    fan_in, fan_out = network.shapes[len(NATURE_CNN)]
    dense = slice(convolutions, convolutions + fan_in * fan_out)
    for each in gapped:
        assert abs((each[dense] == 0.0).mean() - 0.3) < 0.01
    kept = gapped[0, dense] != 0.0
    np.testing.assert_allclose(gapped[0, dense][kept], network.weights[0, dense][kept] / 0.7, rtol=1e-6)
    biases = slice(dense.stop, dense.stop + fan_out)
    np.testing.assert_array_equal(gapped[:, biases], network.weights[[0, 0], biases])
    one, two = (network.passes(images, DROPCONNECT, 0.3, 2) for _ in range(2))
    np.testing.assert_array_equal(one, two)


def test_a_pass_with_a_dropout_mask_is_the_network_with_masked_weights(images):
    network = members(1)
    found = network.passes(images, DROPCONNECT, 0.3, 3)
    apart = ConvNetworks(network._masked_weights(DROPCONNECT, 0.3, 3), SEEN, DENSE, device="cpu")
    # Scaled weights are rounded to half precision there.
    np.testing.assert_allclose(apart.passes(images, ENSEMBLE, 0.0, 3), found, rtol=0, atol=2e-3)
    assert len(np.unique(found[:, 0, 0])) == 3


def test_predictions_of_the_latest_images_are_cached(images, monkeypatch):
    network, fresh = members(), members()
    first = network.passes(images, ENSEMBLE, 0.0, 2)
    asked = []
    ask = network._evaluate
    monkeypatch.setattr(network, "_evaluate", lambda seen, wanted: asked.append(len(seen)) or ask(seen, wanted))
    again = network.passes(images[[2, 0, 2]], ENSEMBLE, 0.0, 2)
    np.testing.assert_array_equal(again, first[:, [2, 0, 2]])
    assert asked == []
    np.testing.assert_array_equal(network.passes(images, ENSEMBLE, 0.0, 1), fresh.passes(images, ENSEMBLE, 0.0, 1))
    assert asked == [3]
    monkeypatch.setattr("offnominal.agents.uncertainty.conv_networks.CACHE_SIZE", 2)
    others = 255 - images
    np.testing.assert_array_equal(network.passes(others, ENSEMBLE, 0.0, 2), fresh.passes(others, ENSEMBLE, 0.0, 2))
    assert len(network._cache) == 2


def test_no_images_give_no_values():
    assert members().passes(np.zeros((0, *SEEN), np.uint8), ENSEMBLE, 0.0, 2).shape == (2, 0, DENSE[-1])


def test_dropout_is_refused(images):
    with pytest.raises(InvalidParameter, match="no dropout"):
        members(1).passes(images, DROPOUT, 0.1, 2)


def test_an_ensemble_for_pong_is_small_and_comes_back(tmp_path, images):
    policy = UncertainPolicy(members(5, (256, 6), device="auto"), Discrete(6), kind="ensemble")
    card = PolicyCard(
        "OOD-Pong-v0", "dqn-ensemble", (), (), n_actions=6, uncertainty="ensemble", passes=5, discount=0.99
    )
    save_policy(tmp_path / "pong", policy, card)
    assert (tmp_path / "pong.safetensors").stat().st_size < 10e6
    again, _ = load_policy(tmp_path / "pong")
    assert again.network.inputs == SEEN
    np.testing.assert_array_equal(again.outputs(images), policy.outputs(images))


@pytest.mark.parametrize("n", [1, 3, 8, 11])
def test_the_prediction_for_an_image_does_not_depend_on_its_position_in_the_batch(n, device):
    network = members(device=device)
    every = np.random.default_rng(2).integers(0, 256, (11, *SEEN), np.uint8)
    together = network.passes(every, ENSEMBLE, 0.0, 2)
    for first in range(11 - n + 1):
        apart = network.passes(every[first : first + n], ENSEMBLE, 0.0, 2)
        np.testing.assert_array_equal(apart, together[:, first : first + n])
