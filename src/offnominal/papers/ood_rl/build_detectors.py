"""Build the detectors of a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from offnominal.agents.uncertainty import UncertainPolicy
from offnominal.core.episode import Episode
from offnominal.detectors.catalogue import detectors as registry
from offnominal.detectors.detector import Detector
from offnominal.papers.ood_rl.cell import MethodEntry, OODCell


def build_detectors(cell: OODCell, policy: UncertainPolicy) -> dict[str, Detector]:
    """Return the methods of a cell by name, not fitted.

    Args:
        cell: The cell.
        policy: Its agent, for methods that use signals from inside the policy.
    """
    entries = {entry.name: entry for entry in (*cell.methods, *cell.parts)}
    return {entry.name: _build(entry, policy, entries) for entry in cell.methods}


def observations_for(detector: Detector, episodes: Sequence[Episode]) -> Sequence[Episode]:
    """Return episodes as input of a detector: an image detector gets the latest three frames as colour channels.

    Args:
        detector: The detector.
        episodes: Episodes of an agent.
    """
    if not detector.pixel_observations:
        return episodes
    return [replace(episode, observations=episode.observations[:, -3:]) for episode in episodes]


def _build(entry: MethodEntry, policy: UncertainPolicy, entries: dict[str, MethodEntry]) -> Detector:
    given = dict(entry.parameters)
    if entry.internal:
        given["policy"] = policy
    if entry.parts:
        given["detectors"] = [_build(entries[name], policy, entries) for name in entry.parts]
    return registry.build(entry.id, given)
