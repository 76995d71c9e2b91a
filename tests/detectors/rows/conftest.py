"""The tests of networks on rows need torch; those of the classical detectors do not."""

import importlib.util

import pytest

NETWORKS = [
    "test_autoencoders.py",
    "test_deep_detectors.py",
    "test_flat_optimizer.py",
    "test_flows.py",
    "test_mmd.py",
    "test_products.py",
    "test_spaces.py",
]
"""Modules that import torch."""

torch_installed = importlib.util.find_spec("torch") is not None
collect_ignore = [] if torch_installed else NETWORKS


@pytest.fixture(autouse=True)
def one_thread():
    if not torch_installed:
        yield
        return
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
