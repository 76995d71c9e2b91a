"""Learning from images: a ball falls, a paddle catches it."""

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete

torch = pytest.importorskip("torch")

from offnominal.agents.training.uncertainty_loop import learn_with_uncertainty  # noqa: E402
from offnominal.agents.training.uncertainty_settings import UncertaintyTrainingSettings  # noqa: E402
from offnominal.core.registry import Spec  # noqa: E402
from offnominal.core.streams import Stream, stream_keys  # noqa: E402
from offnominal.rollouts import evaluate_policy  # noqa: E402
from offnominal.worlds.catalogue import worlds  # noqa: E402
from offnominal.worlds.world import World  # noqa: E402
from offnominal.worlds.world_card import WorldCard  # noqa: E402

pytestmark = pytest.mark.long

CATCH = "TEST-Catch-v0"
CELLS, PIXELS = 9, 4
DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))]
SETTINGS = UncertaintyTrainingSettings(
    members=1,
    passes=1,
    steps=8_000,
    n_envs=16,
    gradient_steps=2,
    batch_size=32,
    hidden=(64,),
    learning_rate=1e-3,
    n_step=3,
    polyak=0.02,
    exploration=0.05,
    learning_starts=320,
    buffer_size=4_000,
)


class Catch(World):
    """A ball falls down a column while a paddle of three cells moves left, stays or moves right.

    Whoever does not look catches one ball in three, whatever the actions: a mean return of -0.33.
    """

    def __init__(self, n: int) -> None:
        limit = CELLS - 1
        self.card = WorldCard(
            id=CATCH,
            summary="catch a ball",
            dt=1.0,
            max_steps=limit,
            expert_length=limit,
            expert_return=1.0,
            random_return=None,
            observation=(),
            action=(),
        )
        side = CELLS * PIXELS
        self.observation_space = Box(0, 255, (4, side, side), np.uint8)
        self.action_space = Discrete(3)
        self._allocate(n)
        self._ball, self._paddle = np.zeros((n, 2), np.int64), np.zeros(n, np.int64)

    def reset(self, rows, seeds, episodes):
        for row, key in zip(rows, stream_keys(seeds, episodes, "reset"), strict=True):
            self._ball[row] = 0, Stream(key).integer(0, CELLS - 1)
        self._paddle[rows] = CELLS // 2
        for row in rows:
            self.observations[row] = self._picture(row)
        for outcome in (self.rewards, self.terminated, self.success):
            outcome[rows] = 0

    def step(self, actions, rows=None):
        for row in range(self.n) if rows is None else rows:
            self._paddle[row] = np.clip(self._paddle[row] + actions[row] - 1, 1, CELLS - 2)
            self._ball[row, 0] += 1
            low = self._ball[row, 0] == CELLS - 1
            caught = abs(self._ball[row, 1] - self._paddle[row]) <= 1
            self.rewards[row] = (1.0 if caught else -1.0) * low
            self.terminated[row], self.success[row] = low, low and caught
            self.observations[row, :-1] = self.observations[row, 1:]
            self.observations[row, -1] = self._picture(row)

    def _picture(self, row):
        cells = np.zeros((CELLS, CELLS), np.uint8)
        cells[-1, self._paddle[row] - 1 : self._paddle[row] + 2] = 128
        cells[tuple(self._ball[row])] = 255
        return np.kron(cells, np.ones((PIXELS, PIXELS), np.uint8))


@pytest.fixture(autouse=True)
def catch(monkeypatch):
    monkeypatch.setitem(worlds._specs, CATCH, Spec(CATCH, f"{__name__}:Catch"))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("action", range(3))
def test_nothing_is_gained_by_not_looking(action):
    assert evaluate_policy(CATCH, lambda seen: np.full(len(seen), action), 200).mean_return < -0.1


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("uncertainty", "passes"), [("ensemble", 1), ("dropconnect", 5)])
def test_a_policy_is_learned_from_images(uncertainty, passes, device):
    settings = SETTINGS.replace(uncertainty=uncertainty, passes=passes)
    policy, _ = learn_with_uncertainty(
        CATCH, settings, lambda policy: (0.0, 0.0), device=device, evaluations=1, workers=0
    )
    # The standard error of 96 returns of 1 or -1 is at most 0.1: six of them above a policy that does not look.
    assert evaluate_policy(CATCH, policy, 96).mean_return > 0.3
