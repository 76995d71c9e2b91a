"""Choice of the torch device, and deterministic kernels on a GPU."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from offnominal.core.errors import InvalidParameter, MissingDependency

if TYPE_CHECKING:
    import torch

DEVICES = ("cpu", "cuda", "auto")
TF32_VARIABLE = "OFFNOMINAL_TF32"
"""Environment variable that allows TensorFloat-32 on a GPU: 1 for yes, 0 for no."""
CUBLAS_WORKSPACES = ":4096:8"
"""Eight workspaces of 4 MiB: one of the two settings with which cuBLAS gives the same bits on several streams."""


def choose_device(name: str) -> torch.device:
    """Return a torch device.

    Args:
        name: ``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU if there is one.

    Raises:
        InvalidParameter: The name is unknown, or there is no GPU.
        MissingDependency: torch is not installed.

    Example:
        >>> choose_device("gpu")
        Traceback (most recent call last):
            ...
        offnominal.core.errors.InvalidParameter: device is 'gpu'; choose 'cpu', 'cuda' or 'auto'.
    """
    if name not in DEVICES:
        raise InvalidParameter(f"device is {name!r}; choose 'cpu', 'cuda' or 'auto'.")
    try:
        import torch
    except ImportError:
        raise MissingDependency("a network needs torch; install it with `pip install offnominal[train]`.") from None
    if name == "cuda" and not torch.cuda.is_available():
        raise InvalidParameter("device is 'cuda', but torch sees no GPU here; choose 'cpu' or 'auto'.")
    if name == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    # cuBLAS reads this when it starts: with a workspace of fixed size, the order of summation is always the same.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    return torch.device("cuda")


def tf32_allowed() -> bool:
    """Whether networks may multiply in TensorFloat-32 on a GPU: faster, with three decimal digits.

    Raises:
        InvalidParameter: The environment variable is neither 1 nor 0.

    Example:
        >>> tf32_allowed()
        False
    """
    value = os.environ.get(TF32_VARIABLE, "0")
    if value not in ("0", "1"):
        raise InvalidParameter(f"${TF32_VARIABLE} is {value!r}; set 1 to allow TensorFloat-32 on a GPU, or 0.")
    return value == "1"


@contextmanager
def deterministic_kernels(device: torch.device) -> Iterator[None]:
    """Make computations in the block bit-reproducible on the same GPU.

    cuDNN uses deterministic kernels without benchmarking, cuBLAS has the workspaces that it needs for the same bits on
    several streams, and TensorFloat-32 is off unless ``$OFFNOMINAL_TF32`` is 1.
    These settings belong to the process: if the blocks of several threads overlap, the last one to end restores the
    earlier settings. On a CPU nothing is changed.

    Args:
        device: Device of the computations.
    """
    if device.type != "cuda":
        yield
        return
    _KERNELS.enter()
    try:
        yield
    finally:
        _KERNELS.leave()


class _Kernels:
    """Settings of the process, shared by the blocks of all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._before = ExitStack()

    def enter(self) -> None:
        import torch

        with self._lock:
            short = tf32_allowed()
            self._blocks += 1
            if self._blocks > 1:
                return
            # Read when cuBLAS is first used in the process; it stays set.
            os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", CUBLAS_WORKSPACES)
            flags = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=short)
            self._before.enter_context(flags)
            self._before.callback(torch.set_float32_matmul_precision, torch.get_float32_matmul_precision())
            torch.set_float32_matmul_precision("high" if short else "highest")

    def leave(self) -> None:
        with self._lock:
            self._blocks -= 1
            if not self._blocks:
                self._before.close()


_KERNELS = _Kernels()
