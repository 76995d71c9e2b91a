"""Work that a GPU does over and over, captured into a graph: one launch instead of hundreds."""

from __future__ import annotations

from collections.abc import Callable

import torch

WARMUP_ITERATIONS = 4


def capture(
    function: Callable[[], None], *, times: int = 1, generator: torch.Generator | None = None
) -> torch.cuda.CUDAGraph:
    """Return a graph whose replay does some work several times.

    The work is done a few times first, for torch to choose its kernels. A replay reads and writes the same memory
    always, so what changes between replays must lie in tensors that are filled in place.

    Args:
        function: What to do, without waiting for the GPU.
        times: How often one replay does it.
        generator: What it draws from, if that is not torch's own generator; every replay draws anew.
    """
    side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(WARMUP_ITERATIONS):
            function()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    if generator is not None:
        graph.register_generator_state(generator)
    with torch.cuda.graph(graph):
        for _ in range(times):
            function()
    return graph
