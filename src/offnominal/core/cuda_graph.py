"""CUDA graphs: repeated GPU work in one launch instead of hundreds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
    """Launch the kernels of the block on another stream, as capture needs it for what comes before."""
    side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        yield
    torch.cuda.current_stream().wait_stream(side)


class ReplayedUpdate:
    """Updates of a network on a GPU, of which one is captured and replayed with every further batch.

    A small network spends most of its time on the launches of kernels; a replay is a single launch. The weights are
    those of the same updates without a graph. Captures are not coordinated between threads of a process.

    Args:
        update: Changes the weights with one batch. It must launch the same kernels in every call, and not synchronise
            with the GPU.
        generator: Random generator of the updates.
    """

    def __init__(self, update: Callable[[Tensor], None], generator: torch.Generator) -> None:
        self._update = update
        self._generator = generator
        self._calls = 0
        self._batch: Tensor | None = None
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, batch: Tensor) -> None:
        """Update the weights with a batch; all batches have the same shape."""
        self._calls += 1
        if self._calls <= WARMUP_ITERATIONS:
            with side_stream():
                self._update(batch)
            return
        if self._batch is None or self._graph is None:
            fixed = self._batch = torch.empty_like(batch)
            self._graph = capture(lambda: self._update(fixed), generator=self._generator, warmup=0)
        self._batch.copy_(batch)
        self._graph.replay()
