"""Learning beside Stable-Baselines3's TQC, on one CPU thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import torch
from sb3_contrib import TQC
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv

from benchmarks.measure import Rate, rates
from offnominal.agents.training.learners import LEARNERS
from offnominal.agents.training.loop import GradientSteps, _Collector
from offnominal.agents.training.replay_buffer import ReplayBuffer
from offnominal.agents.training.sb3_vec_env import SB3VecEnv
from offnominal.agents.training.settings import TrainingSettings, published
from offnominal.worlds.catalogue import gymnasium_id, make_vector

WORLD = "SAP-Goal0-v0"
CPU = torch.device("cpu")
FILLED = 2_000
Row = dict[str, Any]


class Ours:
    """Our learner with some transitions in its replay."""

    def __init__(self, settings: TrainingSettings) -> None:
        self.settings = settings
        envs = make_vector(WORLD, settings.n_envs)
        card = envs.world.card
        inputs, outputs = len(card.observation), len(card.action)
        learner = LEARNERS["tqc"](inputs, outputs, settings, CPU)
        replay = ReplayBuffer(100_000, inputs, outputs, CPU)
        self.collector = _Collector(envs, learner, replay, settings, warm=True)
        self.take_gradient_steps = GradientSteps(learner, replay, settings)
        while replay.size < FILLED:
            self.collect()

    def collect(self) -> int:
        self.collector.choose()
        self.collector.step()
        return self.settings.n_envs

    def update(self) -> int:
        self.take_gradient_steps(0.5)
        return self.settings.gradient_steps

    def both(self) -> int:
        self.update()
        return self.collect()


class Theirs:
    """Stable-Baselines3's TQC with some transitions in its replay."""

    def __init__(self, settings: TrainingSettings, envs: VecEnv) -> None:
        self.settings = settings
        self.model = TQC(
            "MlpPolicy",
            envs,
            buffer_size=100_000,
            learning_starts=0,
            batch_size=settings.batch_size,
            gradient_steps=settings.gradient_steps,
            policy_kwargs={"net_arch": {"pi": list(settings.hidden), "qf": list(settings.critic_hidden)}},
            seed=0,
            device=CPU,
        )
        _, self.silent = self.model._setup_learn(10**9)
        while self.model.num_timesteps < FILLED:
            self.collect()

    def collect(self) -> int:
        model = self.model
        assert model.env is not None
        assert model.replay_buffer is not None
        rollout = model.collect_rollouts(model.env, self.silent, model.train_freq, model.replay_buffer, log_interval=4)
        return rollout.episode_timesteps

    def update(self) -> int:
        self.model.train(self.settings.gradient_steps, self.settings.batch_size)
        return self.settings.gradient_steps

    def both(self) -> int:
        self.update()
        return self.collect()


def learning() -> list[Row]:
    """TQC on SAP-Goal0, two layers of 256, batch 256, beside Stable-Baselines3's on one CPU thread: gradient steps,
    transitions collected with the exploring policy, and both together at one gradient step per five transitions.
    """
    torch.set_num_threads(1)
    settings = published(WORLD, "tqc")
    singles = DummyVecEnv([lambda: gymnasium.make(gymnasium_id(WORLD))] * settings.n_envs)
    usual = Theirs(settings, singles)
    ours, wide = Ours(settings), Ours(settings.replace(n_envs=60, gradient_steps=12))
    peer = f"sb3-contrib TQC, {settings.n_envs} environments in a DummyVecEnv"
    on_rows = f"sb3-contrib TQC, {settings.n_envs} rows of an SB3World"
    batched = Theirs(settings, SB3VecEnv(make_vector(WORLD, settings.n_envs)))
    return [
        *rows("gradient steps", ours.update, {peer: usual.update}),
        *rows("transitions, 60 rows", wide.collect, {peer: usual.collect, on_rows: batched.collect}),
        *rows("transitions while learning, 5 rows", ours.both, {peer: usual.both}),
        *rows("transitions while learning, 60 rows", wide.both, {peer: usual.both, on_rows: batched.both}),
    ]


def rows(task: str, ours: Callable[[], int], others: dict[str, Callable[[], int]]) -> list[Row]:
    measured = rates({"ours": ours, **others})
    mine = measured.pop("ours")
    return [row(task, mine, name, rate) for name, rate in measured.items()]


def row(task: str, rate: Rate, peer: str, peer_rate: Rate) -> Row:
    return {
        "task": task,
        "ours, per CPU-s": round(rate.per_cpu_second),
        "ours, per s": round(rate.per_second),
        "peer": peer,
        "peer, per CPU-s": round(peer_rate.per_cpu_second),
        "peer, per s": round(peer_rate.per_second),
        "ratio": rate.per_cpu_second / peer_rate.per_cpu_second,
    }


SECTIONS = {"Learning": learning}
