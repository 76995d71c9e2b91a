"""Dense layers are linear layers, whichever library multiplies, and a thread decides for itself alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch.nn import functional

from offnominal.detectors.rows import products
from offnominal.detectors.rows.products import Dense, blas_products

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def arm(monkeypatch):
    monkeypatch.setattr(products, "ARM", True)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [1, 2, 64])
def test_a_dense_layer_is_a_linear_one(rows, bias):
    layer, values = Dense(5, 3, bias=bias), torch.randn(rows, 5, generator=torch.Generator().manual_seed(0))
    found = []
    for enabled in (True, False):
        layer.zero_grad()
        with blas_products(enabled=enabled):
            outputs = layer(values)
        outputs.square().sum().backward()
        found.append([outputs.detach(), *(weight.grad.clone() for weight in layer.parameters())])
    torch.testing.assert_close(*found)


def test_products_are_plain_within_the_block_and_in_its_thread_alone(monkeypatch):
    calls = []
    monkeypatch.setattr(functional, "linear", lambda *given: calls.append("oneDNN") or torch.zeros(2, 3))
    layer, values = Dense(5, 3), torch.ones(2, 5)
    with blas_products(), ThreadPoolExecutor(1) as pool:
        layer(values)
        assert calls == []
        pool.submit(layer, values).result()
        assert calls == ["oneDNN"]
    layer(values)
    assert calls == ["oneDNN", "oneDNN"]
