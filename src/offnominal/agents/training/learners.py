"""Gradient steps of TQC, SAC and TD3."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from offnominal.agents.training.checkpoint import State, load_modules_state_dict, modules_state_dict
from offnominal.agents.training.networks import Actor, Critics, Standardization, Temperature, quantile_loss
from offnominal.agents.training.settings import TrainingSettings

Batch = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""Observations, actions in [-1, 1], rewards, next observations, terminated."""


class Learner(ABC):
    """Networks, optimizers and one gradient step."""

    def __init__(self, inputs: int, outputs: int, settings: TrainingSettings, device: torch.device) -> None:
        self.settings = settings
        self.device = device
        stochastic, quantiles = self.shape()
        self.standardize = Standardization(inputs, settings.differences, settings.difference_scale).to(device)
        inputs = self.standardize.width
        self.actor = Actor(inputs, outputs, settings.hidden, stochastic=stochastic).to(device)
        self.critics = Critics(
            inputs + outputs, settings.critic_hidden, members=2, quantiles=quantiles, norm=settings.critic_layer_norm
        ).to(device)
        self.targets = copy.deepcopy(self.critics).requires_grad_(False)
        self.averaged_actor = copy.deepcopy(self.actor).requires_grad_(False)
        self.learning_rate = torch.tensor(settings.learning_rate, device=device)
        self.actor_learning_rate = self.learning_rate.clone()
        self.actor_optimizer = self.optimizer(self.actor, self.actor_learning_rate)
        self.critic_optimizer = self.optimizer(self.critics, self.learning_rate)
        self.demonstrated: tuple[Tensor, Tensor] | None = None
        self.cloning_weight = torch.tensor(settings.cloning_weight, device=device)

    @staticmethod
    @abstractmethod
    def shape() -> tuple[bool, int]:
        """Return whether the actor is stochastic, and the number of quantiles per critic."""

    @abstractmethod
    def explore(self, observations: Tensor) -> Tensor:
        """Return actions in [-1, 1] for collecting data."""

    @abstractmethod
    def update(self, batch: Batch) -> None:
        """Take one gradient step."""

    def compile(self) -> None:
        """Compile the losses; does nothing by default."""

    def standardized(self, batch: Batch) -> Batch:
        """Return a batch with standardised observations and scaled rewards."""
        observations, actions, rewards, after, ended = batch
        rewards = rewards * self.settings.reward_scale
        return self.standardize(observations), actions, rewards, self.standardize(after), ended

    def cloning_loss(self) -> Tensor | float:
        """Return the weighted squared distance between the actor's greedy actions and a demonstrator's."""
        if self.demonstrated is None or self.settings.cloning_weight == 0.0:
            return 0.0
        observations, actions = self.demonstrated
        rows = torch.randint(len(actions), (self.settings.batch_size,), device=self.device)
        greedy: Tensor = self.actor(self.standardize(observations[rows]))
        return self.cloning_weight * (greedy - actions[rows]).square().sum(dim=-1).mean()

    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """Return the (weight, bias) pairs of the greedy policy for observations as they are."""
        first, *others = self.averaged_actor.layers()
        return [self.standardize.fold(*first), *others]

    def state_dict(self) -> State:
        """Return the state of networks and optimizers."""
        return modules_state_dict(self)

    def load_state_dict(self, state: State) -> None:
        """Restore a state."""
        load_modules_state_dict(self, state)

    def optimizer(self, module: nn.Module, learning_rate: Tensor) -> torch.optim.Optimizer:
        """Return Adam; its rate is a tensor, so that a captured graph uses the current value."""
        cuda = self.device.type == "cuda"
        return torch.optim.Adam(module.parameters(), lr=learning_rate, capturable=cuda, fused=cuda or None)

    def set_schedule(self, learning_rate: float, cloning_weight: float, *, actor: bool) -> None:
        """Set values that change during the training.

        Args:
            learning_rate: Learning rate.
            cloning_weight: Weight of the cloning loss.
            actor: Whether the actor and the temperature are updated; otherwise their learning rate is zero.
        """
        self.cloning_weight.fill_(cloning_weight)
        self.learning_rate.fill_(learning_rate)
        self.actor_learning_rate.fill_(learning_rate if actor else 0.0)

    def reset_targets(self) -> None:
        """Copy the weights of the actor to its average."""
        self.averaged_actor.load_state_dict(self.actor.state_dict())

    def step(self, optimizer: torch.optim.Optimizer, loss: Tensor) -> None:
        """Take one optimizer step on a loss."""
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    @torch.no_grad()
    def update_target(self, targets: nn.Module, source: nn.Module, share: float) -> None:
        """Update the targets: a weighted mean with their source."""
        torch._foreach_lerp_(list(targets.parameters()), list(source.parameters()), share)


class TQC(Learner):
    """Truncated quantile critics (Kuznetsov et al., 2020): distributional, without the largest quantiles."""

    def __init__(self, inputs: int, outputs: int, settings: TrainingSettings, device: torch.device) -> None:
        super().__init__(inputs, outputs, settings, device)
        self.temperature = Temperature().to(device)
        self.alpha_optimizer = self.optimizer(self.temperature, self.actor_learning_rate)
        self.target_entropy = settings.target_entropy * outputs

    @staticmethod
    def shape() -> tuple[bool, int]:
        """A stochastic actor and 25 quantiles per critic."""
        return True, 25

    def explore(self, observations: Tensor) -> Tensor:
        """Sample from the policy."""
        return self.actor.sample(self.standardize(observations))[0]

    def update(self, batch: Batch) -> None:
        """Update critics, actor, temperature and targets."""
        observations, actions, rewards, after, ended = self.standardized(batch)
        alpha = self.temperature.log_alpha.detach().exp()
        self.step(self.critic_optimizer, self.critic_loss_of_batch(observations, actions, rewards, after, ended, alpha))
        self.critics.requires_grad_(False)
        loss, log_prob = self.actor_loss(observations, alpha)
        self.step(self.actor_optimizer, loss + self.cloning_loss())
        self.critics.requires_grad_(True)
        self.step(
            self.alpha_optimizer, -self.temperature.log_alpha.sum() * (log_prob.detach().mean() + self.target_entropy)
        )
        self.update_target(self.targets, self.critics, self.settings.polyak)
        self.update_target(self.averaged_actor, self.actor, self.settings.actor_polyak)

    def critic_loss_of_batch(
        self, observations: Tensor, actions: Tensor, rewards: Tensor, after: Tensor, ended: Tensor, alpha: Tensor
    ) -> Tensor:
        """Return the loss of the critics on a batch."""
        with torch.no_grad():
            next_actions, next_log_prob = self.actor.sample(after)
            future = self.future(self.targets(after, next_actions)) - alpha * next_log_prob[:, None]
            target = rewards[:, None] + self.settings.discount * (1.0 - ended[:, None]) * future
        return self.critic_loss(self.critics(observations, actions), target)

    def actor_loss(self, observations: Tensor, alpha: Tensor) -> tuple[Tensor, Tensor]:
        """Return the loss of the actor and the log-probability of its actions."""
        actions, log_prob = self.actor.sample(observations)
        return (alpha * log_prob - self.action_value(self.critics(observations, actions))).mean(), log_prob

    def compile(self) -> None:
        """Compile the losses into few kernels."""
        self.critic_loss_of_batch = torch.compile(self.critic_loss_of_batch)  # type: ignore[method-assign]
        self.actor_loss = torch.compile(self.actor_loss)  # type: ignore[method-assign]

    def future(self, values: Tensor) -> Tensor:
        """Return the target quantiles of a state: all except the largest."""
        pooled = values.transpose(0, 1).flatten(1).sort(dim=1).values
        return pooled[:, : pooled.shape[1] - self.settings.n_dropped_quantiles * values.shape[0]]

    def critic_loss(self, values: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the critics against targets."""
        return quantile_loss(values, target)

    def action_value(self, values: Tensor) -> Tensor:
        """Return the value of actions."""
        return values.mean(dim=(0, 2))


class SAC(TQC):
    """Soft actor-critic (Haarnoja et al., 2018): the smaller of two expected values."""

    @staticmethod
    def shape() -> tuple[bool, int]:
        """A stochastic actor and one value per critic."""
        return True, 1

    def future(self, values: Tensor) -> Tensor:
        """Return the smaller value."""
        return values.amin(dim=0)

    def critic_loss(self, values: Tensor, target: Tensor) -> Tensor:
        """Return the squared error."""
        return 0.5 * (values - target).square().mean(dim=(1, 2)).sum()

    def action_value(self, values: Tensor) -> Tensor:
        """Return the smaller value."""
        return values.amin(dim=0).squeeze(1)


class TD3(Learner):
    """Twin delayed deterministic policy gradient (Fujimoto et al., 2018)."""

    NOISE, SMOOTHING, CLIP, DELAY = 0.1, 0.2, 0.5, 2

    def __init__(self, inputs: int, outputs: int, settings: TrainingSettings, device: torch.device) -> None:
        super().__init__(inputs, outputs, settings, device)
        self.actor_target = copy.deepcopy(self.actor).requires_grad_(False)
        self.count = 0

    @staticmethod
    def shape() -> tuple[bool, int]:
        """A deterministic actor and one value per critic."""
        return False, 1

    def reset_targets(self) -> None:
        """Copy the weights of the actor to its average and its target."""
        super().reset_targets()
        self.actor_target.load_state_dict(self.actor.state_dict())

    def explore(self, observations: Tensor) -> Tensor:
        """Add noise to the greedy action."""
        greedy: Tensor = self.actor(self.standardize(observations))
        return (greedy + self.NOISE * torch.randn_like(greedy)).clamp(-1.0, 1.0)

    def update(self, batch: Batch) -> None:
        """Update the critics, and every second time the actor and the targets."""
        observations, actions, rewards, after, ended = self.standardized(batch)
        with torch.no_grad():
            noise = (self.SMOOTHING * torch.randn_like(actions)).clamp(-self.CLIP, self.CLIP)
            next_actions = (self.actor_target(after) + noise).clamp(-1.0, 1.0)
            future = self.targets(after, next_actions).amin(dim=0)
            target = rewards[:, None] + self.settings.discount * (1.0 - ended[:, None]) * future
        values = self.critics(observations, actions)
        self.step(self.critic_optimizer, (values - target).square().mean(dim=(1, 2)).sum())
        self.count += 1
        if self.count % self.DELAY:
            return
        self.critics.requires_grad_(False)
        value = self.critics(observations, self.actor(observations))[0].mean()
        self.step(self.actor_optimizer, self.cloning_loss() - value)
        self.critics.requires_grad_(True)
        self.update_target(self.targets, self.critics, self.settings.polyak)
        self.update_target(self.actor_target, self.actor, self.settings.polyak)
        self.update_target(self.averaged_actor, self.actor, self.settings.actor_polyak)


LEARNERS: dict[str, type[Learner]] = {"tqc": TQC, "sac": SAC, "td3": TD3}
