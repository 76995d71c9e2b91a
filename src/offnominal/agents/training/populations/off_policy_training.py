"""Training of a population from replay buffers: TQC, SAC and TD3."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch

from offnominal.agents.training.checkpoint import State
from offnominal.agents.training.learners import LEARNERS
from offnominal.agents.training.loop import updates_per_graph
from offnominal.agents.training.populations.annealing import annealed
from offnominal.agents.training.populations.held_actions import HeldActions
from offnominal.agents.training.populations.off_policy import OffPolicyPopulation
from offnominal.agents.training.populations.replay_buffer import PopulationReplayBuffer
from offnominal.agents.training.populations.simulations import PopulationSimulations
from offnominal.agents.training.populations.td3 import TD3Population
from offnominal.agents.training.populations.tqc import SACPopulation, TQCPopulation
from offnominal.agents.training.settings import TrainingSettings
from offnominal.core.types import Array

POPULATIONS: dict[str, type[OffPolicyPopulation]] = {  # type: ignore[type-arg]
    "tqc": TQCPopulation,
    "sac": SACPopulation,
    "td3": TD3Population,
}


def new_population(
    inputs: int, outputs: int, settings: TrainingSettings, seeds: Sequence[int], device: torch.device
) -> OffPolicyPopulation:  # type: ignore[type-arg]
    """Return learners with initial weights that depend on their own seed only, stacked."""
    learners = []
    for seed in seeds:
        torch.manual_seed(seed)
        learners.append(LEARNERS[settings.algorithm](inputs, outputs, settings.replace(seed=seed), device))
    return POPULATIONS[settings.algorithm](learners, seeds)


class OffPolicyTraining:
    """Collects transitions with all agents and takes their gradient steps.

    Args:
        simulations: Simulations of the agents.
        settings: Settings of every training.
        seeds: Seed of each agent.
        device: Device of the tensors.
        compiled: Whether losses are compiled on a GPU.
    """

    def __init__(
        self,
        simulations: PopulationSimulations,
        settings: TrainingSettings,
        seeds: Sequence[int],
        device: torch.device,
        *,
        compiled: bool,
    ) -> None:
        self.simulations, self.settings, self.rows = simulations, settings, settings.n_envs
        inputs, actions = simulations.widths
        self.population = new_population(inputs, actions, settings, seeds, device)
        self.replay_buffer = PopulationReplayBuffer(
            len(seeds),
            self.rows,
            min(settings.buffer_size, settings.steps),
            simulations.widths,
            device,
            goal=simulations.card.goal,
            hindsight=settings.hindsight,
        )
        self.held = HeldActions(
            seeds, rows=self.rows, width=actions, rate=settings.held_actions, steps=settings.held_steps
        )
        self._updates = PopulationUpdates(self.population, self.replay_buffer, compiled=compiled)
        self._seen = torch.zeros(len(seeds), self.rows, inputs, device=device)
        self._chosen = torch.zeros(len(seeds), self.rows, actions, device=device)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._informed = False

    def advance(self, share: float) -> None:
        """Take one vector step; `share` is the fraction of the training that is done."""
        actions = self._choose()
        if self.settings.held_actions:
            actions = self.held(actions)
        if self.replay_buffer.size >= self.settings.learning_starts:
            self._updates(share)
        found = self.simulations.step(actions)
        columns = [found.before, actions.reshape(len(found.before), -1), found.rewards[:, None], found.after]
        # A time limit is not a terminal state.
        block = np.concatenate([*columns, found.terminated[:, None]], axis=1, dtype=np.float32)
        agents = self.simulations.agents
        self.replay_buffer.add(block.reshape(agents, self.rows, -1), found.ended.reshape(agents, self.rows))

    def state(self) -> State:
        """Return the state of everything that training changes."""
        return {
            "population": self.population.tensors(),
            "replay_buffer": self.replay_buffer.state(),
            "held": self.held.state(),
            "simulations": self.simulations.state(),
            "updates": self._updates.count,
            "informed": self._informed,
        }

    def restore(self, state: State) -> None:
        """Restore a state."""
        self.population.restore(state["population"])
        self.replay_buffer.restore(state["replay_buffer"])
        self.held.restore(state["held"])
        self.simulations.restore(state["simulations"])
        self._updates.count, self._informed = state["updates"], state["informed"]

    def _choose(self) -> Array:
        """Choose the next actions; waits for pending updates on a GPU."""
        if self.replay_buffer.size < self.settings.learning_starts:
            return self.simulations.random_actions()
        if not self._informed:
            self._standardize()
        self._seen.copy_(torch.from_numpy(self.simulations.observations.reshape(self._seen.shape)))
        if self.population.device.type != "cuda":
            self._explore()
        else:
            self._graph = self._graph or self.population.capture(self._explore)
            self._graph.replay()
        chosen: Array = self._chosen.cpu().numpy().copy()
        return chosen

    def _standardize(self) -> None:
        """Standardise the observations as in the replay buffer, if the settings say so."""
        self._informed = True
        if self.settings.standardize_observations:
            buffer = self.replay_buffer
            self.population.standardize(buffer.transitions[:, : buffer.size, : buffer.widths[0]])

    @torch.no_grad()
    def _explore(self) -> None:
        self._chosen.copy_(self.population.explore(self._seen))


class PopulationUpdates:
    """Gradient steps; on a GPU several of them are captured into one graph and replayed.

    Attributes:
        count: Gradient steps so far.
    """

    def __init__(
        self,
        population: OffPolicyPopulation,  # type: ignore[type-arg]
        replay_buffer: PopulationReplayBuffer,
        *,
        compiled: bool,
    ) -> None:
        self.population, self.replay_buffer, self.compiled = population, replay_buffer, compiled
        self.settings = population.settings
        self.count = 0
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}

    def __call__(self, share: float) -> None:
        """Take the gradient steps of one vector step, with the learning rate at this fraction of the training."""
        self.population.learning_rate.fill_(annealed(self.settings, share))
        steps = self.settings.gradient_steps
        if self.population.device.type != "cuda":
            self._update(steps, self.count)
        else:
            times = updates_per_graph(steps)
            for first in range(self.count, self.count + steps, times):
                self._graph(times, first % self.population.delay).replay()
        self.count += steps

    def _graph(self, times: int, first: int) -> torch.cuda.CUDAGraph:
        """Return the graph of some gradient steps, of which the first is this far after an update of the actor."""
        if not self._graphs and self.compiled:
            self.population.compile()
        if first not in self._graphs:
            self._graphs[first] = self.population.capture(partial(self._update, times, first))
        return self._graphs[first]

    def _update(self, times: int, first: int) -> None:
        """Take gradient steps; all their random numbers are drawn at once."""
        population, size = self.population, self.settings.batch_size
        draws, delay = population.draws, population.delay
        shares, noise = draws.uniform(times, size), draws.normal(times, population.noises, size, population.n_actions)
        goals = draws.uniform(times, 2, size) if self.settings.hindsight else None
        for step in range(times):
            batch = self.replay_buffer.at(shares[:, step], None if goals is None else goals[:, step])
            population.update(batch, noise[:, step], actor=(first + step + 1) % delay == 0)
