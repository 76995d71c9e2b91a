"""CUDA graphs: repeated GPU work in one launch instead of hundreds."""

from __future__ import annotations

from collections.abc import Callable

import torch

WARMUP_ITERATIONS = 4


def capture(
    function: Callable[[], None], *, times: int = 1, generator: torch.Generator | None = None
) -> torch.cuda.CUDAGraph:
    """Return a graph whose replay calls a function several times.

    The function is called a few times first, so that torch chooses its kernels. A replay always uses the same memory,
    so inputs that change between replays must be written in place.

    Args:
        function: Function to capture; it must not synchronise with the GPU.
        times: Number of calls per replay.
        generator: Random generator of the function, if it is not torch's default one.
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
