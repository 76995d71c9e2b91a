"""A toy world in one module: class, card, scripted expert and strengths."""

from pathlib import Path

import numpy as np
from gymnasium.spaces import Box

from offnominal.core import stream_keys
from offnominal.core.philox import fill_uniform
from offnominal.core.policy import FunctionPolicy
from offnominal.core.registry import Spec
from offnominal.worlds import Channel, EvaluationTerms, PhysicsParameter, TrainingPresets, World, WorldCard

CARD = WorldCard(
    id="Toy-Corridor-v0",
    summary="walk to the end of a corridor",
    dt=0.5,
    max_steps=40,
    expert_length=20,
    expert_return=-8.0,
    random_return=-30.0,
    observation=(Channel("distance to the end", "m"),),
    action=(Channel("speed", "m/s"),),
    physics_parameters=(PhysicsParameter("headwind", 0.0, "speed of a headwind", "m/s", minimum=0.0),),
    target="corridor_world:Corridor",
    options={"length": 5.0},
    scripted_expert=Spec("Walker", "corridor_world:Walker", options={"speed": 1.0}),
    training=TrainingPresets(policy={"steps": 5_000}),
    evaluation=EvaluationTerms(episodes=6, batch_size=2),
    strengths=Path(__file__).with_name("strengths.csv"),
    page="corridor",
)


def register(registry):
    """Add the world; an entry point in the group `offnominal.worlds` names this function."""
    registry.register_card(CARD)


class Walker(FunctionPolicy):
    """Walks at a constant speed."""

    def __init__(self, speed):
        super().__init__(lambda observations: np.full((len(observations), 1), speed))


class Corridor(World):
    """N corridors of one length."""

    card = CARD

    def __init__(self, n, *, length):
        self.length = length
        self.observation_space = Box(-np.inf, np.inf, (1,), np.float32)
        self.action_space = Box(-1.0, 1.0, (1,), np.float32)
        self._allocate(n)
        self._distance, self._headwind = np.zeros(n), np.zeros(n)

    def reset(self, rows, seeds, episodes):
        """Start near the beginning of the corridor, without wind."""
        drawn = np.empty((len(rows), 1))
        fill_uniform(stream_keys(seeds, episodes, "reset"), np.zeros(len(rows), int), 0, drawn)
        self._distance[rows], self._headwind[rows] = self.length - drawn[:, 0], 0.0
        for outcome in (self.rewards, self.terminated, self.success, self.critical, self.cost):
            outcome[rows] = 0
        self.observations[rows, 0] = self._distance[rows]

    def step(self, actions, rows=None):
        """Walk for half a second."""
        rows = np.arange(self.n) if rows is None else rows
        self._distance[rows] -= self.card.dt * (np.clip(actions[rows, 0], -1.0, 1.0) - self._headwind[rows])
        self.terminated[rows] = self.success[rows] = self._distance[rows] <= 0.0
        self.rewards[rows] = -1.0
        self.observations[rows, 0] = self._distance[rows]

    def set_physics_parameter(self, name, rows, values):
        """Set the headwind."""
        assert name == "headwind"
        self._headwind[rows] = values

    def current_physics(self, row):
        """Return the headwind."""
        return {"headwind": float(self._headwind[row])}
