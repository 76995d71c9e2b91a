"""The episodes of a diagnosis cell."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from offnominal.anomalies.chosen_strengths import choose_strengths
from offnominal.anomalies.fault import Fault
from offnominal.anomalies.strengths import strengths_of
from offnominal.core.episode import Episode
from offnominal.core.errors import InvalidParameter
from offnominal.core.streams import Stream
from offnominal.datasets.recipe import SPACING
from offnominal.kinds.diagnosis.cell import DiagnosisCell
from offnominal.rollouts.collection import collect
from offnominal.studies.named_policy import acting_policy
from offnominal.worlds.catalogue import worlds as world_registry

CHANNEL = "diagnosis channel"
"""Purpose of the random stream of the faulty channel."""


@dataclass(frozen=True, slots=True, eq=False)
class DiagnosisEpisodes:
    """Episodes of a diagnosis cell.

    Args:
        train: Nominal episodes for training.
        validation: Nominal episodes for the nominal reference.
        test: Other nominal episodes.
        faulty: Faulty episodes by anomaly and level.
    """

    train: list[Episode]
    validation: list[Episode]
    test: list[Episode]
    faulty: dict[tuple[str, str], list[Episode]]

    def content_hash(self) -> str:
        """Return a hash of all observations, actions and labels."""
        digest = hashlib.sha256()
        parts: Iterable[list[Episode]] = (self.train, self.validation, self.test, *self.faulty.values())
        for episodes in parts:
            for episode in episodes:
                for values in (episode.observations, episode.actions, episode.active):
                    digest.update(repr((values.shape, values.dtype.str)).encode() + values.tobytes())
        return digest.hexdigest()


_OPEN: dict[str, DiagnosisEpisodes] = {}


def open_episodes(cell: DiagnosisCell) -> DiagnosisEpisodes:
    """Return the episodes of a cell, simulated on first use; they are kept for the next cell with the same ones."""
    if cell.source not in _OPEN:
        _OPEN.clear()
        _OPEN[cell.source] = _recorded(cell)
    return _OPEN[cell.source]


def _recorded(cell: DiagnosisCell) -> DiagnosisEpisodes:
    data, world, chosen = cell.data, cell.world, _chosen(cell)
    policy = acting_policy(cell.policy, world)

    def recorded(n: int, part: int, faults: list[Fault] | None = None) -> list[Episode]:
        return collect(world, policy, n, seed=data.seed + part * SPACING, faults=faults, max_steps=data.max_steps)

    nominal = data.episodes if data.nominal is None else data.nominal
    faulty = {
        key: recorded(data.episodes, 3, _faults(world, key[0], parameter, data.seed + 3 * SPACING, data.episodes))
        for key, parameter in chosen.items()
    }
    return DiagnosisEpisodes(
        recorded(nominal, 0),
        recorded(nominal if data.validation is None else data.validation, 1),
        recorded(data.episodes, 2),
        faulty,
    )


def _faults(world: str, anomaly: str, parameter: float, seed: int, n: int) -> list[Fault]:
    """Return a fault for each episode, in a random channel if it is one of sensors or actuators."""
    card = world_registry.card(world)
    channels = {"observation": len(card.observation), "action": len(card.action)}.get(anomaly.partition("/")[0])
    if channels is None:
        return [Fault(anomaly, parameter)] * n
    drawn = [Stream.named(seed + number, 0, CHANNEL).integer(0, channels - 1) for number in range(n)]
    return [Fault(anomaly, parameter, channels=[channel]) for channel in drawn]


def _chosen(cell: DiagnosisCell) -> dict[tuple[str, str], float]:
    """Return the parameters of the chosen anomalies and levels that the world has."""
    chosen = choose_strengths(strengths_of(cell.world), cell.data.anomalies, cell.data.levels, where=cell.world)
    if not chosen:
        raise InvalidParameter(f"there are no faults in {cell.world}; name other anomalies or levels.")
    return chosen
