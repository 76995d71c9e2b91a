"""Random numbers of one training, from its own generators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

CPU = torch.device("cpu")


class RandomNumbers:
    """Random numbers that depend only on a seed.

    torch's global generators are neither read nor changed, so trainings in several threads do not disturb each other.

    Args:
        seed: Seed of the generators; the same seed gives the same numbers on the same device.
        device: Device of the network.

    Example:
        >>> first, second = (RandomNumbers(3, CPU).uniform(2) for _ in range(2))
        >>> torch.equal(first, second)
        True
    """

    def __init__(self, seed: int, device: torch.device) -> None:
        self.device = device
        self._host = torch.Generator().manual_seed(seed)
        self._on_device = self._host if device.type == "cpu" else torch.Generator(device).manual_seed(seed)

    @property
    def generator(self) -> torch.Generator:
        """Generator of the numbers on the device of the network."""
        return self._on_device

    def _of(self, device: torch.device) -> torch.Generator:
        return self._host if device.type == "cpu" else self._on_device

    @contextmanager
    def weights(self) -> Iterator[None]:
        """Initialise networks that are built within the block, on the CPU."""
        with CPU, _DrawnFrom(self._host):
            yield

    def permutation(self, n: int, device: torch.device = CPU) -> Tensor:
        """Return a random permutation of the integers below n."""
        return torch.randperm(n, generator=self._of(device), device=device)

    def integers(self, high: int, shape: Sequence[int], device: torch.device = CPU) -> Tensor:
        """Return random integers below a bound."""
        return torch.randint(high, tuple(shape), generator=self._of(device), device=device)

    def uniform(self, *shape: int) -> Tensor:
        """Return uniform numbers between 0 and 1 on the device of the network."""
        return torch.rand(shape, generator=self._on_device, device=self.device)

    def normal(self, *shape: int) -> Tensor:
        """Return standard normal numbers on the device of the network."""
        return torch.randn(shape, generator=self._on_device, device=self.device)

    def normal_like(self, values: Tensor) -> Tensor:
        """Return standard normal numbers with the shape, type and device of a tensor."""
        return torch.empty_like(values).normal_(generator=self._of(values.device))

    def dropout(self, values: Tensor, probability: float) -> Tensor:
        """Return values with dropout; the values that are kept are scaled so that the mean stays."""
        kept = torch.empty_like(values).bernoulli_(1.0 - probability, generator=self._of(values.device))
        return values * kept.div_(1.0 - probability)


def truncated_normal(*shape: int, std: float) -> Tensor:
    """Return normal numbers of mean zero within two standard deviations; those beyond are drawn again.

    ``torch.nn.init.trunc_normal_`` draws other numbers in other versions of torch.
    """
    values = torch.empty(shape).normal_(0.0, std)
    # A network that gets its weights from a file is made without numbers, on the meta device.
    while not values.is_meta and (beyond := values.abs() > 2.0 * std).any():
        values = torch.where(beyond, torch.empty_like(values).normal_(0.0, std), values)
    return values


_FUNCTIONS = ("bernoulli", "multinomial", "normal", "rand", "randint", "randn", "randperm")
_METHODS = ("bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_", "uniform_")
_INITIAL = (
    *("kaiming_normal_", "kaiming_uniform_", "normal_", "orthogonal_", "sparse_", "trunc_normal_", "uniform_"),
    *("xavier_normal_", "xavier_uniform_"),
)
_RANDOM = frozenset(
    [
        *(getattr(torch, name) for name in _FUNCTIONS),
        *(getattr(Tensor, name) for name in _METHODS),
        *(getattr(nn.init, name) for name in _INITIAL),
    ]
)


class _DrawnFrom(TorchFunctionMode):
    """Passes a generator to torch's random functions, in the current thread."""

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        self._generator = generator

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if func in _RANDOM and given.get("generator") is None:
            given["generator"] = self._generator
        return func(*args, **given)
