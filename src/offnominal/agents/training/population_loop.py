"""Training loop of a population: all seeds of a world at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from offnominal.agents.network import NetworkPolicy
from offnominal.agents.training.held_actions import HeldActions
from offnominal.agents.training.hindsight import Hindsight
from offnominal.agents.training.learners import TQC
from offnominal.agents.training.loop import FINAL_RATE, Evaluation, greedy, updates_per_graph
from offnominal.agents.training.population import Batch, Population
from offnominal.agents.training.settings import FIRST_SEED, TrainingSettings, check_effort
from offnominal.agents.training.simulations import SubprocessSimulations, SyncSimulations, make_simulations
from offnominal.core.cuda_graph import capture
from offnominal.core.device import choose_device
from offnominal.core.errors import InvalidParameter
from offnominal.core.types import Array, BoolArray
from offnominal.worlds.catalogue import make_world
from offnominal.worlds.checks import continuous_action_space
from offnominal.worlds.world_card import GoalTerms

Evaluator = Callable[[NetworkPolicy], "Future[tuple[float, float]]"]
"""Function that starts the evaluation of a policy: its mean return and success rate."""


def learn_population(
    world: str,
    settings: TrainingSettings,
    seeds: Sequence[int],
    evaluator: Evaluator,
    *,
    device: str = "auto",
    evaluations: int = 20,
    minutes: float | None = None,
    workers: int = 0,
    compiled: bool = True,
    report: Callable[[int, Evaluation, NetworkPolicy], None] = lambda seed, evaluation, policy: None,
    **options: Any,
) -> list[tuple[NetworkPolicy, list[Evaluation]]]:
    """Train one policy per seed with TQC, all at once and without demonstrations.

    Args:
        world: Id of the world.
        settings: Settings of every training; its seed is not used.
        seeds: Seeds of the trainings. A training does not depend on the others, except for rounding.
        evaluator: Evaluates a policy on nominal episodes, in another process if the training is not to wait.
        device: ``"cpu"``, ``"cuda"`` or ``"auto"``.
        evaluations: Number of evaluations during the training.
        minutes: Time limit in minutes; None for no limit. The learning rate then ends with the time.
        workers: Number of processes for the simulations; 0 for this one.
        compiled: Whether losses are compiled, which takes half a minute, on a GPU.
        report: Called with seed, evaluation and policy after each evaluation.
        **options: Options of the world.

    Returns:
        For each seed the best policy of all evaluations, and the learning curve.
    """
    check_effort(minutes, evaluations)
    if settings.algorithm != "tqc" or settings.demonstrator != "none":
        raise InvalidParameter("a population learns with TQC and without demonstrations; train other agents singly.")
    place = choose_device(device)
    if place.type == "cuda":
        torch.set_float32_matmul_precision("high")
    card = make_world(world, 1).card
    population = new_population(len(card.observation), len(card.action), settings, seeds, place)
    collector = _Collector(world, population, seeds, workers, options)
    updates = PopulationUpdates(population, collector.replay_buffer, compiled=compiled)
    evaluation_run = _Evaluations(world, population, seeds, evaluator, evaluations, report)
    total = max(1, settings.steps // settings.n_envs)
    start = time.perf_counter()
    with closing(collector.envs):
        for vector_step in range(1, total + 1):
            collector.choose()
            passed = (time.perf_counter() - start) / (60.0 * minutes) if minutes else 0.0
            share = min(max(vector_step / total, passed), 1.0)
            if collector.replay_buffer.size >= settings.learning_starts:
                updates(share)
            collector.step()
            evaluation_run.collect()
            if evaluation_run.due(share):
                evaluation_run.start(vector_step * settings.n_envs)
            if share == 1.0:
                break
    return evaluation_run.best()


def new_population(
    inputs: int, outputs: int, settings: TrainingSettings, seeds: Sequence[int], device: torch.device
) -> Population:
    """Return learners with initial weights that depend on their own seed only, stacked."""
    learners = []
    for seed in seeds:
        own = settings.replace(seed=seed)
        torch.manual_seed(seed)
        learners.append(TQC(inputs, outputs, own, device))
    return Population(learners, seeds)


class PopulationReplayBuffer:
    """Ring buffers of transitions, one per agent, that are filled at the same pace.

    Args:
        agents: Number of agents.
        rows: Number of transitions that each agent adds at once.
        capacity: Number of transitions of each agent, rounded up to whole additions.
        widths: Widths of observation and action.
        device: Device of the tensors.
        goal: How the reward depends on a goal; only for hindsight.
        hindsight: Share of the transitions of a batch whose goal is replaced by one that was reached later.
    """

    def __init__(
        self,
        agents: int,
        rows: int,
        capacity: int,
        widths: tuple[int, int],
        device: torch.device,
        *,
        goal: GoalTerms | None = None,
        hindsight: float = 0.0,
    ) -> None:
        observation, action = widths
        self.widths = [observation, action, 1, observation, 1]
        self.rows = rows
        self.transitions = torch.zeros(agents, -(-capacity // rows) * rows, sum(self.widths), device=device)
        self.agents = torch.arange(agents, device=device)[:, None]
        self.filled = torch.zeros((), device=device)
        self.size = 0
        self._next = 0
        self.hindsight = None
        if hindsight:
            if goal is None:
                raise InvalidParameter("hindsight needs a world whose card has a goal; use 0 in other worlds.")
            self.hindsight = Hindsight(
                agents,
                rows,
                self.transitions.shape[1],
                width=observation,
                n_actions=action,
                goal=goal,
                share=hindsight,
                device=device,
            )

    def add(self, block: Array, ended: BoolArray) -> None:
        """Store (agents, rows, channels) transitions; the oldest ones are overwritten.

        Args:
            block: Transitions.
            ended: (agents, rows): whether an episode ended with the transition, also by its time limit.
        """
        if self.hindsight is not None:
            self.hindsight.add(self._next, ended)
        ours = torch.from_numpy(block).to(self.transitions.device)
        self.transitions[:, self._next : self._next + self.rows] = ours
        capacity = self.transitions.shape[1]
        self._next = (self._next + self.rows) % capacity
        self.size = min(self.size + self.rows, capacity)
        self.filled.fill_(float(self.size))

    def at(self, shares: Tensor, draws: Tensor | None = None) -> Batch:
        """Return the transitions at these shares of the filled part, (agents, batch).

        Args:
            shares: Uniform numbers.
            draws: More of them for hindsight, (agents, 2, batch).
        """
        index = (shares * self.filled).long()
        batch = self.transitions[self.agents, index]
        if self.hindsight is not None and draws is not None:
            self.hindsight.relabel(batch, index, self.transitions, draws)
        observations, actions, rewards, after, ended = batch.split(self.widths, dim=2)  # type: ignore[no-untyped-call]
        return observations, actions, rewards.squeeze(2), after, ended.squeeze(2)


class _Collector:
    """Steps the simulations of all agents and stores the transitions."""

    def __init__(
        self, world: str, population: Population, seeds: Sequence[int], workers: int, options: dict[str, Any]
    ) -> None:
        settings = population.settings
        self.population, self.settings, self.agents, self.rows = population, settings, len(seeds), settings.n_envs
        self.envs: SyncSimulations | SubprocessSimulations = make_simulations(
            world, self.agents * self.rows, workers, **options
        )
        sample = make_world(world, 1)
        space = continuous_action_space(sample)
        self.middle, self.reach = (space.high + space.low) / 2.0, (space.high - space.low) / 2.0
        widths = len(sample.card.observation), len(sample.card.action)
        self.replay_buffer = PopulationReplayBuffer(
            self.agents,
            self.rows,
            min(settings.buffer_size, settings.steps),
            widths,
            population.device,
            goal=sample.card.goal,
            hindsight=settings.hindsight,
        )
        self.held = HeldActions(
            seeds, rows=self.rows, width=widths[1], rate=settings.held_actions, steps=settings.held_steps
        )
        self.generators = [np.random.default_rng(seed) for seed in seeds]
        firsts = [FIRST_SEED + seed * 1_000_003 for seed in seeds]
        self.observations = self.envs.reset([first + row for first in firsts for row in range(self.rows)])
        self.actions: Array = np.zeros((self.agents, self.rows, widths[1]), np.float32)
        self._seen = torch.zeros(self.agents, self.rows, widths[0], device=population.device)
        self._chosen = torch.zeros(self.agents, self.rows, widths[1], device=population.device)
        self._graph: torch.cuda.CUDAGraph | None = None
        self._informed = False

    def choose(self) -> None:
        """Choose the next actions; waits for pending updates on a GPU."""
        self._choose()
        if self.settings.held_actions:
            self.actions = self.held(self.actions)

    def _choose(self) -> None:
        if self.replay_buffer.size < self.settings.learning_starts:
            for agent, generator in enumerate(self.generators):
                self.actions[agent] = generator.uniform(-1.0, 1.0, self.actions[agent].shape)
            return
        if not self._informed:
            self._standardize()
        self._seen.copy_(torch.from_numpy(self.observations.reshape(self._seen.shape)))
        if self.population.device.type != "cuda":
            self._explore()
        else:
            self._graph = self._graph or capture(self._explore)
            self._graph.replay()
        self.actions = self._chosen.cpu().numpy()

    def step(self) -> None:
        """Execute the actions and store the transitions; a time limit is not a terminal state."""
        before, actions = self.observations, self.actions.reshape(self.agents * self.rows, -1)
        self.envs.send(self.middle + self.reach * actions)
        self.observations, rewards, terminated, truncated = self.envs.receive()
        ended = terminated | truncated
        last = np.where(ended[:, None], self.envs.final, self.observations)
        block = np.concatenate([before, actions, rewards[:, None], last, terminated[:, None]], axis=1, dtype=np.float32)
        self.replay_buffer.add(block.reshape(self.agents, self.rows, -1), ended.reshape(self.agents, self.rows))

    def _standardize(self) -> None:
        """Standardise the observations as in the replay buffer, if the settings say so."""
        self._informed = True
        if self.settings.standardize_observations:
            buffer = self.replay_buffer
            for agent, learner in enumerate(self.population.learners):
                learner.standardize.fit(buffer.transitions[agent, : buffer.size, : buffer.widths[0]])
            self.population.standardize()

    @torch.no_grad()
    def _explore(self) -> None:
        self._chosen.copy_(self.population.explore(self._seen))


class PopulationUpdates:
    """Gradient steps; on a GPU several of them are captured into one graph and replayed."""

    def __init__(self, population: Population, replay_buffer: PopulationReplayBuffer, *, compiled: bool) -> None:
        self.population, self.replay_buffer, self.compiled = population, replay_buffer, compiled
        self.settings = population.settings
        self.graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, share: float) -> None:
        """Take the gradient steps of one vector step, with the learning rate at this fraction of the training."""
        annealed = max(1.0 - share, FINAL_RATE) if self.settings.anneal_learning_rate else 1.0
        self.population.learning_rate.fill_(self.settings.learning_rate * annealed)
        if self.population.device.type != "cuda":
            self._update(self.settings.gradient_steps)
            return
        times = updates_per_graph(self.settings.gradient_steps)
        if self.graph is None:
            if self.compiled:
                self.population.compile()
            self.graph = capture(partial(self._update, times))
        for _ in range(self.settings.gradient_steps // times):
            self.graph.replay()

    def _update(self, times: int) -> None:
        """Take gradient steps; all their random numbers are drawn at once."""
        draws, size = self.population.draws, self.settings.batch_size
        shares, noise = draws.uniform(times, size), draws.normal(times, 2, size, self.population.n_actions)
        goals = draws.uniform(times, 2, size) if self.settings.hindsight else None
        for step in range(times):
            batch = self.replay_buffer.at(shares[:, step], None if goals is None else goals[:, step])
            self.population.update(batch, noise[:, step, 0], noise[:, step, 1])


class _Evaluations:
    """Evaluates the policies at equal distances without waiting, reports, and keeps the best of each agent."""

    def __init__(
        self,
        world: str,
        population: Population,
        seeds: Sequence[int],
        evaluator: Evaluator,
        count: int,
        report: Callable[[int, Evaluation, NetworkPolicy], None],
    ) -> None:
        self.space = continuous_action_space(make_world(world, 1))
        self.population, self.seeds, self.evaluator, self.count, self.report = (
            population,
            seeds,
            evaluator,
            count,
            report,
        )
        self.found: list[list[tuple[Evaluation, NetworkPolicy]]] = [[] for _ in seeds]
        self._pending: list[tuple[int, int, float, NetworkPolicy, Future[tuple[float, float]]]] = []
        self._next, self._start = 1, time.perf_counter()

    def due(self, share: float) -> bool:
        """Whether the next evaluation is due after a fraction of the training."""
        if share * self.count < self._next:
            return False
        self._next = int(share * self.count) + 1
        return True

    def start(self, steps: int) -> None:
        """Start the evaluation of the current policies."""
        seconds = time.perf_counter() - self._start
        self.population.write_back()
        for agent, learner in enumerate(self.population.learners):
            policy = greedy(learner, self.space)
            self._pending.append((agent, steps, seconds, policy, self.evaluator(policy)))

    def collect(self, *, wait: bool = False) -> None:
        """Report the evaluations that are done, in their order; with `wait` all of them."""
        while self._pending and (wait or self._pending[0][-1].done()):
            agent, steps, seconds, policy, result = self._pending.pop(0)
            evaluation = Evaluation(steps, seconds, *result.result())
            self.found[agent].append((evaluation, policy))
            self.report(self.seeds[agent], evaluation, policy)

    def best(self) -> list[tuple[NetworkPolicy, list[Evaluation]]]:
        """Return the policy of each agent with the largest mean return, and its learning curve."""
        self.collect(wait=True)
        best = [max(found, key=lambda pair: pair[0].mean_return)[1] for found in self.found]
        return [(policy, [each for each, _ in found]) for policy, found in zip(best, self.found, strict=True)]
