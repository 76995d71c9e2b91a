"""Where torch computes, and with which kernels: on a GPU the fastest ones do not give the same result twice."""

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


def choose_device(name: str) -> torch.device:
    """Return the device of a name.

    Args:
        name: ``"cpu"``, ``"cuda"``, or ``"auto"`` for a GPU if torch has one.

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
    # Read when cuBLAS starts: with a workspace of fixed size, products are summed in the same order every time.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    return torch.device("cuda")


@contextmanager
def deterministic_kernels(device: torch.device) -> Iterator[None]:
    """Compute within the block so that the same call on the same GPU gives the same bits.

    cuDNN takes deterministic kernels without trying which are fastest, and no product rounds its inputs to
    TensorFloat-32. The settings are those of the process: threads may overlap, and the last to leave restores what was
    there before. On a CPU nothing needs to be set.

    Args:
        device: Where the block computes.
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
    """Settings of the process that blocks of several threads share."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._before = ExitStack()

    def enter(self) -> None:
        import torch

        with self._lock:
            self._blocks += 1
            if self._blocks > 1:
                return
            flags = torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False)
            self._before.enter_context(flags)
            self._before.callback(torch.set_float32_matmul_precision, torch.get_float32_matmul_precision())
            torch.set_float32_matmul_precision("highest")

    def leave(self) -> None:
        with self._lock:
            self._blocks -= 1
            if not self._blocks:
                self._before.close()


_KERNELS = _Kernels()
