"""Training of a population from rollouts of its current policies: PPO."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import torch
from torch import Tensor

from offnominal.agents.training.checkpoint import State
from offnominal.agents.training.loop import updates_per_graph
from offnominal.agents.training.populations.annealing import annealed
from offnominal.agents.training.populations.ppo import PPOPopulation
from offnominal.agents.training.populations.simulations import PopulationSimulations, Transitions
from offnominal.agents.training.ppo_settings import PPOSettings
from offnominal.core.types import Array, BoolArray


class OnPolicyTraining:
    """Collects rollouts with all agents and takes their gradient steps after each.

    Args:
        simulations: Simulations of the agents.
        settings: Settings of every training.
        seeds: Seed of each agent.
        device: Device of the tensors.
        compiled: Whether the loss is compiled on a GPU.
    """

    def __init__(
        self,
        simulations: PopulationSimulations,
        settings: PPOSettings,
        seeds: Sequence[int],
        device: torch.device,
        *,
        compiled: bool,
    ) -> None:
        self.simulations, self.settings = simulations, settings
        agents, rows, (inputs, actions) = len(seeds), settings.n_envs, simulations.widths
        self.population = PPOPopulation(inputs, actions, settings, seeds, device)
        self.rollout = Rollout(settings.rollout_steps, agents, rows, simulations.widths, device)
        self._updates = RolloutUpdates(self.population, self.rollout, compiled=compiled)
        self._seen = torch.zeros(agents, rows, inputs, device=device)
        self._chosen = (
            torch.zeros(agents, rows, inputs, device=device),
            torch.zeros(agents, rows, actions, device=device),
            torch.zeros(agents, rows, device=device),
            torch.zeros(agents, rows, device=device),
        )
        self._graph: torch.cuda.CUDAGraph | None = None
        self._first: list[Array] = []
        self._informed = not settings.standardize_observations

    def advance(self, share: float) -> None:
        """Take one vector step; `share` is the fraction of the training that is done."""
        if not self._informed:
            self._observe()
            return
        if self.rollout.full:
            self._updates(self.population.values(self._inputs(self.simulations.observations)).detach(), share)
            self.rollout.count = 0
        self._choose()
        found = self.simulations.step(np.clip(self._chosen[1].cpu().numpy(), -1.0, 1.0))
        self.rollout.add(self._chosen, self._rewards(found), found.ended.reshape(self._seen.shape[:2]))

    def state(self) -> State:
        """Return the state of everything that training changes."""
        return {
            "population": self.population.tensors(),
            "rollout": self.rollout.tensors(),
            "count": self.rollout.count,
            "simulations": self.simulations.state(),
            "first": [torch.from_numpy(each) for each in self._first],
            "informed": self._informed,
        }

    def restore(self, state: State) -> None:
        """Restore a state."""
        self.population.restore(state["population"])
        for name, tensor in self.rollout.tensors().items():
            tensor.copy_(state["rollout"][name])
        self.rollout.count = state["count"]
        self.simulations.restore(state["simulations"])
        self._first, self._informed = [each.cpu().numpy() for each in state["first"]], state["informed"]

    def _observe(self) -> None:
        """Take random actions; after enough of them the observations are standardised as they were so far."""
        self._first.append(self.simulations.observations.reshape(self._seen.shape).copy())
        self.simulations.step(self.simulations.random_actions())
        if len(self._first) * self.settings.n_envs >= self.settings.learning_starts:
            seen = torch.from_numpy(np.concatenate(self._first, axis=1)).to(self.population.device)
            self.population.standardize(seen)
            self._first, self._informed = [], True

    def _choose(self) -> None:
        """Choose the next actions; waits for pending updates on a GPU."""
        self._seen.copy_(torch.from_numpy(self.simulations.observations.reshape(self._seen.shape)))
        if self.population.device.type != "cuda":
            self._act()
        else:
            self._graph = self._graph or self.population.capture(self._act)
            self._graph.replay()

    @torch.no_grad()
    def _act(self) -> None:
        inputs = self.population.inputs(self._seen)
        for place, values in zip(self._chosen, (inputs, *self.population.act(inputs)), strict=True):
            place.copy_(values)

    @torch.no_grad()
    def _rewards(self, found: Transitions) -> Tensor:
        """Return the rewards; where a time limit ended the episode, with the discounted value of what would follow."""
        rewards = torch.from_numpy(found.rewards.reshape(self._seen.shape[:2])).to(self._seen)
        cut = found.truncated & ~found.terminated
        if cut.any():
            following = self.population.values(self._inputs(found.after))
            cuts = torch.from_numpy(cut.reshape(rewards.shape)).to(rewards)
            rewards = rewards + self.settings.discount * cuts * following
        return rewards

    def _inputs(self, observations: Array) -> Tensor:
        """Return the inputs of the networks for observations of all simulations."""
        seen = torch.from_numpy(np.ascontiguousarray(observations, np.float32).reshape(self._seen.shape))
        return self.population.inputs(seen.to(self.population.device))


class RolloutUpdates:
    """Gradient steps after a rollout; on a GPU several of them are captured into one graph and replayed."""

    def __init__(self, population: PPOPopulation, rollout: Rollout, *, compiled: bool) -> None:
        self.population, self.rollout, self.compiled = population, rollout, compiled
        self.settings = settings = population.settings
        agents, size = len(population.mean), settings.rollout_steps * settings.n_envs
        self._agents = torch.arange(agents, device=population.device)[:, None]
        self._places = torch.arange(settings.batch_size, device=population.device)
        self._batches = settings.n_epochs * size // settings.batch_size
        self._order = torch.zeros(agents, settings.n_epochs * size, dtype=torch.int64, device=population.device)
        self._first = torch.zeros((), dtype=torch.int64, device=population.device)
        widths = [each.shape[3:] for each in (rollout.inputs, rollout.actions, *[rollout.values] * 3)]
        self._data = [torch.zeros(agents, size, *width, device=population.device) for width in widths]
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, last_values: Tensor, share: float) -> None:
        """Take the gradient steps.

        Args:
            last_values: (agents, rows): values of the states after the rollout.
            share: Fraction of the training that is done.
        """
        self._prepare(last_values)
        self.population.learning_rate.fill_(annealed(self.settings, share))
        if self.population.device.type != "cuda":
            self._repeat(self._batches)
            return
        times = updates_per_graph(self._batches)
        if self._graph is None:
            if self.compiled:
                self.population.compile()
            self._graph = self.population.capture(partial(self._repeat, times), self._first)
        for _ in range(self._batches // times):
            self._graph.replay()

    def _prepare(self, last_values: Tensor) -> None:
        """Write the transitions, their advantages and the order of every epoch to where updates read them."""
        rollout, settings = self.rollout, self.settings
        advantages = rollout.advantages(last_values, settings.discount, settings.gae_lambda)
        parts = rollout.inputs, rollout.actions, rollout.log_prob, advantages, advantages + rollout.values
        for place, values in zip(self._data, parts, strict=True):
            place.copy_(values.transpose(0, 1).reshape(place.shape))
        draws = self.population.draws.uniform(settings.n_epochs, self._data[0].shape[1])
        self._order.copy_(draws.argsort(dim=-1, stable=True).flatten(1))
        self._first.zero_()

    def _repeat(self, times: int) -> None:
        """Take some gradient steps; after the last batch the first one follows, as when a graph warms up."""
        for _ in range(times):
            index = self._order[:, self._first + self._places]
            inputs, actions, log_prob, advantages, returns = (values[self._agents, index] for values in self._data)
            self.population.update((inputs, actions, log_prob, advantages, returns))
            self._first.add_(len(self._places)).remainder_(self._order.shape[1])


class Rollout:
    """Transitions between two updates, one tensor per quantity.

    Args:
        steps: Transitions of each simulation.
        agents: Number of agents.
        rows: Simulations of each agent.
        widths: Widths of observation and action.
        device: Device of the tensors.
    """

    def __init__(self, steps: int, agents: int, rows: int, widths: tuple[int, int], device: torch.device) -> None:
        inputs, actions = widths

        def zeros(*shape: int) -> Tensor:
            return torch.zeros(steps, agents, rows, *shape, device=device)

        self.inputs, self.actions = zeros(inputs), zeros(actions)
        self.log_prob, self.values, self.rewards = zeros(), zeros(), zeros()
        self.ended = zeros()
        self.count = 0

    @property
    def full(self) -> bool:
        """Whether the next update is due."""
        return self.count == len(self.rewards)

    def add(self, chosen: tuple[Tensor, Tensor, Tensor, Tensor], rewards: Tensor, ended: BoolArray | Array) -> None:
        """Store the transitions of a vector step.

        Args:
            chosen: Inputs of the networks, actions, log-probabilities, values.
            rewards: (agents, rows): rewards; where a time limit ended the episode, with the value of what would follow.
            ended: (agents, rows): whether the episode ended.
        """
        places = self.inputs, self.actions, self.log_prob, self.values
        for place, values in zip(places, chosen, strict=True):
            place[self.count] = values
        self.rewards[self.count] = rewards
        self.ended[self.count] = torch.as_tensor(ended).to(self.ended)
        self.count += 1

    def advantages(self, last_values: Tensor, discount: float, decay: float) -> Tensor:
        """Return generalised advantage estimates, (steps, agents, rows).

        Args:
            last_values: (agents, rows): values of the states after the rollout.
            discount: Discount factor.
            decay: Decay of the estimates, lambda.

        Example:
            >>> rollout = Rollout(2, 1, 1, (1, 1), torch.device("cpu"))
            >>> rollout.rewards[:] = 1.0
            >>> rollout.advantages(torch.full((1, 1), 4.0), 0.5, 1.0).flatten()
            tensor([2.5000, 3.0000])
        """
        found = torch.zeros_like(self.values)
        following, ahead = last_values, torch.zeros_like(last_values)
        for step in reversed(range(len(self.rewards))):
            goes_on = 1.0 - self.ended[step]
            error = self.rewards[step] + discount * goes_on * following - self.values[step]
            ahead = error + discount * decay * goes_on * ahead
            found[step], following = ahead, self.values[step]
        return found

    def tensors(self) -> dict[str, Tensor]:
        """Return every tensor by name."""
        return {name: value for name, value in vars(self).items() if isinstance(value, Tensor)}
