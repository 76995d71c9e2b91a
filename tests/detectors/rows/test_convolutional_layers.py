"""Convolutions that halve images by strides or by max pooling."""

import pytest
import torch
from torch import nn

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.rows.architecture import Architecture
from offnominal.detectors.rows.convolutional_layers import convolutional_body, convolutional_decoder

pytestmark = pytest.mark.long


@pytest.mark.parametrize("downsampling", ["stride", "pool"])
@pytest.mark.parametrize("layers", [1, 2, 4])
@pytest.mark.parametrize("shape", [(1, 28, 28), (3, 33, 17), (2, 3, 5)])
def test_images_of_any_size_become_vectors_and_images_again(shape, layers, downsampling):
    architecture = Architecture(layers, channels=4, batch_norm=True, downsampling=downsampling)
    body, width = convolutional_body(shape, architecture)
    decoder = convolutional_decoder(5, shape, 2, architecture)
    with torch.no_grad():
        assert body(torch.zeros(2, *shape)).shape == (2, width)
        assert decoder(torch.zeros(2, 5)).shape == (2, 2, *shape[1:])


def test_pooled_convolutions_have_smaller_kernels_and_fewer_channels_the_deeper_they_are():
    architecture = Architecture(4, channels=16, batch_norm=True, downsampling="pool")
    body, width = convolutional_body((1, 28, 28), architecture)
    decoder = convolutional_decoder(8, (1, 28, 28), 1, architecture)
    assert [(part.kernel_size[0], part.out_channels) for part in body if isinstance(part, nn.Conv2d)] == [
        (7, 64),
        (5, 32),
        (3, 16),
    ]
    assert [type(part).__name__ for part in list(body)[:4]] == ["Conv2d", "ReLU", "MaxPool2d", "BatchNorm2d"]
    assert width == 16 * 7 * 7
    assert [part.kernel_size[0] for part in decoder if isinstance(part, nn.Conv2d)] == [1, 3, 5, 7]


def test_four_pooled_convolutions_are_those_of_the_published_space():
    body, _ = convolutional_body((1, 28, 28), Architecture(5, channels=16, downsampling="pool"))
    found = [(part.kernel_size[0], part.out_channels) for part in body if isinstance(part, nn.Conv2d)]
    assert found == [(9, 128), (7, 64), (5, 32), (3, 16)]
    assert sum(isinstance(part, nn.MaxPool2d) for part in body) == 3


@pytest.mark.parametrize("extra", [0, 1, 3])
def test_extra_layers_keep_size_and_channels(extra):
    architecture = Architecture(3, channels=4, batch_norm=True, extra_layers=extra)
    body, width = convolutional_body((1, 28, 28), architecture)
    decoder = convolutional_decoder(5, (1, 28, 28), 1, architecture)
    kept = [part for part in body if isinstance(part, nn.Conv2d) and part.stride == (1, 1)]
    assert [(part.in_channels, part.out_channels) for part in kept] == [(4, 4)] * extra
    assert len([part for part in decoder if isinstance(part, nn.Conv2d)]) == extra
    with torch.no_grad():
        assert body(torch.zeros(2, 1, 28, 28)).shape == (2, width)
        assert decoder(torch.zeros(2, 5)).shape == (2, 1, 28, 28)


def test_extra_layers_are_refused_with_pooling():
    with pytest.raises(InvalidParameter, match="extra_layers are for downsampling 'stride'"):
        Architecture(downsampling="pool", extra_layers=1)


def test_another_downsampling_is_refused():
    with pytest.raises(InvalidParameter, match="downsampling is 'average'; choose stride or pool"):
        Architecture(downsampling="average")
