"""Work captured on a GPU is the work itself, with new random numbers every time."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
if not torch.cuda.is_available():
    pytest.skip("there is no GPU", allow_module_level=True)

from offnominal.core.cuda_graph import WARMUP_ITERATIONS, ReplayedUpdate, capture  # noqa: E402


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


def test_replayed_updates_are_those_without_a_graph():
    def trained(replayed):
        generator = torch.Generator("cuda").manual_seed(0)
        weights = torch.zeros(3, device="cuda")

        def update(batch):
            weights.add_(batch.sum(0) * torch.rand(3, generator=generator, device="cuda"))

        step = ReplayedUpdate(update, generator) if replayed else update
        for k in range(3 * WARMUP_ITERATIONS):
            step(torch.full((2, 3), float(k), device="cuda"))
        return weights.tolist()

    assert trained(replayed=True) == trained(replayed=False)


def test_batches_of_other_shapes_and_static_arguments_have_graphs_of_their_own():
    def trained(replayed):
        generator = torch.Generator("cuda").manual_seed(0)
        weights, losses = torch.zeros(3, device="cuda"), []

        def update(batch, factor):
            weights.add_(batch.sum(0) * factor)
            return weights.sum() + torch.rand((), generator=generator, device="cuda")

        step = ReplayedUpdate(update, generator) if replayed else update
        for k in range(4 * WARMUP_ITERATIONS):
            losses += [
                step(torch.full((rows, 3), float(k), device="cuda"), factor) for rows in (2, 5) for factor in (1, 3)
            ]
        return weights.tolist(), torch.stack(losses).tolist()

    assert trained(replayed=True) == trained(replayed=False)
