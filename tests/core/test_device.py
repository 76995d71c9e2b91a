"""Devices are chosen by name in one place, and kernels that give the same bits are switched on for a block only."""

import os
import threading

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from offnominal.core.device import TF32_VARIABLE, choose_device, deterministic_kernels  # noqa: E402
from offnominal.core.errors import InvalidParameter  # noqa: E402

GPU = torch.device("cuda")


def settings():
    cudnn = torch.backends.cudnn
    return cudnn.deterministic, cudnn.benchmark, cudnn.allow_tf32, torch.get_float32_matmul_precision()


@pytest.fixture(autouse=True)
def fast():
    """Settings of a user who wants speed."""
    before = torch.get_float32_matmul_precision()
    with torch.backends.cudnn.flags(enabled=True, benchmark=True, deterministic=False, allow_tf32=True):
        torch.set_float32_matmul_precision("high")
        yield
    torch.set_float32_matmul_precision(before)


def test_a_name_stands_for_a_device(monkeypatch):
    assert choose_device("cpu") == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(os, "environ", {})
    assert choose_device("auto") == choose_device("cuda") == GPU
    assert os.environ == {"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}


def test_what_is_no_device_and_a_gpu_that_is_not_there_are_named(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(InvalidParameter, match="device is 'gpu'; choose 'cpu', 'cuda' or 'auto'"):
        choose_device("gpu")
    with pytest.raises(InvalidParameter, match="torch sees no GPU here; choose 'cpu' or 'auto'"):
        choose_device("cuda")


def test_kernels_are_deterministic_within_the_block_and_as_before_behind_it():
    before = settings()
    with deterministic_kernels(GPU):
        assert settings() == (True, False, False, "highest")
        assert os.environ["CUBLAS_WORKSPACE_CONFIG"] in (":4096:8", ":16:8")
    assert settings() == before


def test_tensor_float_32_is_allowed_by_the_environment(monkeypatch):
    monkeypatch.setenv(TF32_VARIABLE, "1")
    before = settings()
    with deterministic_kernels(GPU):
        assert settings() == (True, False, True, "high")
    assert settings() == before


def test_other_values_of_the_environment_are_named_and_change_nothing(monkeypatch):
    monkeypatch.setenv(TF32_VARIABLE, "yes")
    before = settings()
    with pytest.raises(InvalidParameter, match="OFFNOMINAL_TF32 is 'yes'; set 1 to allow"), deterministic_kernels(GPU):
        pass
    assert settings() == before
    monkeypatch.delenv(TF32_VARIABLE)
    with deterministic_kernels(GPU):
        assert settings() == (True, False, False, "highest")


def test_on_a_cpu_nothing_is_set():
    before = settings()
    with deterministic_kernels(torch.device("cpu")):
        assert settings() == before


def test_the_last_thread_to_leave_restores_the_settings():
    before, entered, leave = settings(), threading.Event(), threading.Event()

    def other():
        with deterministic_kernels(GPU):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with deterministic_kernels(GPU):
        thread.start()
        assert entered.wait(10)
    assert settings() == (True, False, False, "highest")
    leave.set()
    thread.join()
    assert settings() == before
