"""What happens when world, agent and faults meet: episodes and their nominal twins."""

from offnominal.rollouts.collect import collect
from offnominal.rollouts.twins import Twin, effective_onset, twins

__all__ = ["Twin", "collect", "effective_onset", "twins"]
