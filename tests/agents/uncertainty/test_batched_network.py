"""Members in one batched network: what they compute, and how precisely."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.agents.uncertainty.batched_network import BatchedNetwork, DropoutMasks  # noqa: E402
from offnominal.agents.uncertainty.convolution import NATURE_CNN  # noqa: E402

pytestmark = pytest.mark.long


def network(members=2):
    return BatchedNetwork(
        (4, 36, 36), (16, 3), members=members, generator=torch.Generator().manual_seed(0), convolutions=NATURE_CNN
    )


@pytest.fixture
def images():
    return torch.rand((2, 5, 4, 36, 36), generator=torch.Generator().manual_seed(1))


def test_values_are_of_full_precision_when_filters_are_halved(images):
    seeing = network()
    with torch.no_grad():
        # Far from zero, half precision tells no two neighbours apart.
        seeing.flat[:, -3:] += 30.0
        full, half = seeing(images), seeing(images.to(torch.bfloat16))
    assert half.dtype == torch.float32
    torch.testing.assert_close(half, full, rtol=0, atol=2e-2)
    assert (half.to(torch.bfloat16).float() != half).float().mean() > 0.9
    assert len(half[0, :, 0].unique()) == 5
    assert len(half[0, :, 0].to(torch.bfloat16).unique()) < 5


def test_halved_filters_still_learn(images):
    seeing = network()
    seeing(images.to(torch.bfloat16)).square().sum().backward()
    (full,) = torch.autograd.grad(seeing(images).square().sum(), seeing.flat)
    assert seeing.flat.grad.dtype == torch.float32
    cosine = torch.nn.functional.cosine_similarity(seeing.flat.grad, full, dim=1)
    assert cosine.min() > 0.99


def test_what_a_member_computes_is_its_own(images):
    both = network()
    with torch.no_grad():
        before = both(images)
        both.flat[1] += 0.1
        after = both(images)
    torch.testing.assert_close(after[0], before[0], rtol=0, atol=0)
    assert (after[1] != before[1]).all()


def test_dropout_masks_are_drawn_for_every_call(images):
    dropout_masks = DropoutMasks("dropconnect", 0.3, torch.Generator().manual_seed(2))
    with torch.no_grad():
        one, two = (network()(images, dropout_masks) for _ in range(2))
    assert (one != two).all()
