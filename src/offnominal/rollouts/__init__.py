"""What happens when world, agent and faults meet: episodes and their nominal twins."""

from offnominal.rollouts.collect import collect
from offnominal.rollouts.judge import Judgement, judge
from offnominal.rollouts.twins import Twin, effective_onset, twins

__all__ = ["Judgement", "Twin", "collect", "effective_onset", "judge", "twins"]
