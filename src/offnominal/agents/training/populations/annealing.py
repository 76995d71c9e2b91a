"""Schedule of the learning rate of a population."""

from __future__ import annotations

from offnominal.agents.training.loop import FINAL_RATE
from offnominal.agents.training.ppo_settings import PopulationSettings


def annealed(settings: PopulationSettings, share: float) -> float:
    """Return the learning rate at a fraction of the training.

    Example:
        >>> from offnominal.agents.training.ppo_settings import PPOSettings
        >>> annealed(PPOSettings(learning_rate=1.0, anneal_learning_rate=True), 0.75)
        0.25
    """
    return settings.learning_rate * (max(1.0 - share, FINAL_RATE) if settings.anneal_learning_rate else 1.0)
