"""The discrepancy is unbiased and its kernels are what they say."""

import numpy as np
import pytest
import torch

from offnominal.core.errors import InvalidParameter
from offnominal.detectors.rows.wae import kernel, mmd

pytestmark = pytest.mark.long

KERNELS = ["rbf", "imq", "rq"]


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("width", [0.01, 1.0])
def test_a_kernel_is_one_at_zero_and_falls(name, width):
    values = kernel(torch.tensor([0.0, 0.5, 1.0, 50.0]), name, width)
    assert values[0] == 1
    assert (values.diff() < 0).all()


def test_kernels_have_their_formulas():
    squared = torch.tensor([2.0])
    assert float(kernel(squared, "rbf", 0.5)) == pytest.approx(np.exp(-1))
    assert float(kernel(squared, "imq", 0.5)) == pytest.approx(0.2)
    assert float(kernel(squared, "rq", 0.5)) == pytest.approx(3**-0.5)
    with pytest.raises(InvalidParameter, match="kernel is 'flat'"):
        kernel(squared, "flat", 1.0)


@pytest.mark.parametrize("name", KERNELS)
def test_samples_of_one_distribution_are_not_apart(name):
    draw = torch.Generator().manual_seed(0)
    found = [mmd(*torch.randn(2, 16, 3, generator=draw), name, 0.5) for _ in range(400)]  # type: ignore[call-arg]
    mean, error = np.mean(found), np.std(found) / np.sqrt(len(found))
    assert abs(mean) < 3 * error
    moved = torch.randn(16, 3, generator=draw) + 1
    assert mmd(torch.randn(16, 3, generator=draw), moved, name, 0.5) > 20 * error


def test_the_estimate_leaves_out_pairs_of_a_point_with_itself():
    draw = torch.Generator().manual_seed(0)
    first, second = torch.randn(4, 2, generator=draw), torch.randn(3, 2, generator=draw)
    squares = [torch.cdist(a, b) ** 2 for a, b in ((first, first), (second, second), (first, second))]
    values = [kernel(each, "imq", 1.0) for each in squares]
    within = [(each.sum() - len(each)) / (len(each) * (len(each) - 1)) for each in values[:2]]
    torch.testing.assert_close(mmd(first, second, "imq", 1.0), within[0] + within[1] - 2 * values[2].mean())
