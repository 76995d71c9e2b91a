"""Work captured on a GPU is the work itself, with new random numbers every time."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU", allow_module_level=True)

from offnominal.agents.training.cuda_graph import WARMUP_ITERATIONS, capture  # noqa: E402


def test_a_graph_replay_calls_the_function_several_times_with_new_random_numbers():
    generator = torch.Generator("cuda").manual_seed(0)
    drawn, count, size = torch.zeros(3, device="cuda"), torch.zeros((), device="cuda"), torch.ones((), device="cuda")

    def function():
        drawn.copy_(torch.rand(3, generator=generator, device="cuda"))
        count.add_(size)

    graph = capture(function, times=2, generator=generator)
    assert count.item() == WARMUP_ITERATIONS
    seen = []
    for each in (1.0, 10.0):
        size.fill_(each)
        graph.replay()
        seen.append(drawn.tolist())
    assert count.item() == WARMUP_ITERATIONS + 2 + 20
    assert seen[0] != seen[1]
