"""CUDA graphs: repeated GPU work in one launch instead of hundreds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import cache

import torch
from torch import Tensor

WARMUP_ITERATIONS = 4


def capture(
    function: Callable[[], None],
    *,
    times: int = 1,
    generator: torch.Generator | None = None,
    warmup: int = WARMUP_ITERATIONS,
) -> torch.cuda.CUDAGraph:
    """Return a graph whose replay calls a function several times.

    The function is called a few times first, so that torch chooses its kernels. A replay always uses the same memory,
    so inputs that change between replays must be written in place.

    Args:
        function: Function to capture; it must not synchronise with the GPU.
        times: Number of calls per replay.
        generator: Random generator of the function, if it is not torch's default one.
        warmup: Number of calls before the capture.
    """
    with side_stream():
        for _ in range(warmup):
            function()
    graph = torch.cuda.CUDAGraph()
    if generator is not None:
        graph.register_generator_state(generator)
    with torch.cuda.graph(graph):
        for _ in range(times):
            function()
    return graph


@contextmanager
def side_stream() -> Iterator[None]:
    """Launch the kernels of the block on another stream, as capture needs it for what comes before.

    It is always the same stream of a GPU: cuBLAS keeps a workspace for every stream that it was used on.
    """
    side = _side_stream(torch.cuda.current_device())
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        yield
    torch.cuda.current_stream().wait_stream(side)


@cache
def _side_stream(device: int) -> torch.cuda.Stream:
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


Update = Callable[..., "Tensor | None"]


class ReplayedUpdate:
    """Updates of a network on a GPU, captured once for each shape of a batch and replayed with every further batch.

    A small network spends most of its time on the launches of kernels; a replay is a single launch. The weights are
    those of the same updates without a graph. Captures are not coordinated between threads of a process.

    Args:
        update: Changes the weights with one batch and the static arguments of a call, and returns the loss or None. It
            must launch the same kernels for the same shape and static arguments, and not synchronise with the GPU.
        generator: Random generator of the updates.
    """

    def __init__(self, update: Update, generator: torch.Generator) -> None:
        self._update = update
        self._generator = generator
        self._captured: dict[tuple[Hashable, ...], _Captured] = {}
        self._calls: Counter[tuple[Hashable, ...]] = Counter()

    def __call__(self, batch: Tensor, *static: Hashable) -> Tensor | None:
        """Update the weights with a batch.

        Args:
            batch: Batch of any shape.
            static: Further arguments of the update. Each combination has a graph of its own.
        """
        key = batch.shape, *static
        captured = self._captured.get(key)
        if captured is None:
            self._calls[key] += 1
            if self._calls[key] <= WARMUP_ITERATIONS:
                with side_stream():
                    return self._update(batch, *static)
            captured = self._captured[key] = _Captured(
                lambda given: self._update(given, *static), batch, self._generator
            )
        return captured(batch)


class _Captured:
    """The update of batches of one shape, as a graph."""

    def __init__(self, update: Update, batch: Tensor, generator: torch.Generator) -> None:
        self._batch = torch.empty_like(batch)
        self._loss: Tensor | None = None

        def function() -> None:
            self._loss = update(self._batch)

        self._graph = capture(function, generator=generator, warmup=0)

    def __call__(self, batch: Tensor) -> Tensor | None:
        self._batch.copy_(batch)
        self._graph.replay()
        # The next replay writes to the same memory.
        return None if self._loss is None else self._loss.clone()
