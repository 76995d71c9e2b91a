"""Small tables and images with normal and strange rows, and small detectors for them."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
