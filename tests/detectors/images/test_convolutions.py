"""Encoder and decoder have the published feature maps and accept other image sizes."""

import numpy as np
import pytest
import torch
from torch import nn

from offnominal.detectors.images import convolutions
from offnominal.detectors.images.convolutions import ConvDecoder, ConvEncoder, UpsamplingConvolution

pytestmark = pytest.mark.long


@pytest.mark.parametrize(("side", "widths"), [(64, [31, 14, 11, 4]), (128, [63, 30, 27, 12]), (256, [127, 62, 59, 28])])
def test_the_maps_of_the_encoder_are_those_published(side, widths):
    maps, found = torch.zeros(1, 3, side, side), []
    for layer in ConvEncoder((3, side, side), channels=1, outputs=2).layers:
        maps = layer(maps)
        if isinstance(layer, nn.ReLU):
            found.append(maps.shape[-1])
    assert found == widths


@pytest.mark.parametrize(("side", "seed"), [(64, 1), (128, 5), (256, 13)])
def test_the_decoder_needs_no_cut_at_published_sizes(side, seed):
    decoder = ConvDecoder((3, side, side), channels=1, inputs=2)
    assert decoder.seed == (seed, seed, 32)
    assert decoder.margins == [0, 0]


@pytest.mark.parametrize("shape", [(32, 32), (33, 47), (50, 120), (64, 65), (100, 32), (128, 128)])
def test_decoded_images_have_the_size_of_the_input(shape):
    encoder = ConvEncoder((3, *shape), channels=1, outputs=5)
    decoder = ConvDecoder((3, *shape), channels=1, inputs=5)
    codes = encoder(torch.rand(2, 3, 3, *shape))
    assert codes.shape == (2, 3, 5)
    assert decoder(codes).shape == (2, 3, 3, *shape)


def test_the_encoder_does_not_depend_on_the_memory_layout():
    encoder, frames = ConvEncoder((3, 32, 32), channels=2, outputs=4), torch.rand(2, 4, 3, 32, 32)
    last = frames.movedim(2, -1).contiguous().movedim(-1, 2)
    np.testing.assert_allclose(encoder(last).detach(), encoder(frames).detach(), rtol=1e-5, atol=1e-6)
    for one, together in zip(frames.flatten(0, 1), encoder(frames).flatten(0, 1), strict=True):
        np.testing.assert_allclose(encoder(one[None])[0].detach(), together.detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("kernel", "padding"), [(5, 0), (6, 0), (5, 1), (6, 1)])
def test_doubling_is_the_transposed_convolution_on_every_machine(kernel, padding, monkeypatch):
    doubling, maps = UpsamplingConvolution(3, 4, kernel, 2, padding), torch.rand(2, 3, 5, 7)
    expected = nn.functional.conv_transpose2d(maps, doubling.weight, doubling.bias, 2, padding).detach()
    for arm in (True, False):
        monkeypatch.setattr(convolutions, "ARM", arm)
        np.testing.assert_allclose(doubling(maps).detach(), expected, rtol=1e-5, atol=1e-6)
