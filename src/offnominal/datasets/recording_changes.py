"""Changes of recorded episodes that papers provide, such as the errors of their public code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from offnominal.anomalies.fault import Fault
from offnominal.core.episode import Episode
from offnominal.core.errors import UnknownName, did_you_mean
from offnominal.core.registry import Registry
from offnominal.datasets.plan import Plan
from offnominal.worlds.world_source import WorldSource

EpisodeChange = Callable[[Episode, int], Episode]
"""Returns what is recorded of an episode, given its number in its split."""


class ChangedRecipe(Protocol):
    """What a change asks of the :class:`~offnominal.datasets.Recipe` that has it."""

    @property
    def world(self) -> str:
        """Id of the world."""

    @property
    def frames(self) -> bool:
        """Whether camera frames are recorded."""


@dataclass(frozen=True)
class RecordingChange:
    """A change of how the episodes of a dataset are simulated and recorded; this one changes nothing.

    A paper provides one to repeat what its public code did. Register a subclass by an entry point in the group
    ``offnominal.recording_changes``. Recipes and studies name it by its id.

    Args:
        anomalies: Ids of the anomalies whose episodes it changes; empty if it changes every episode.
    """

    anomalies: tuple[str, ...] = ()

    def check(self, recipe: ChangedRecipe) -> None:
        """Raise an error if a recipe cannot have this change."""

    def world_options(self) -> dict[str, Any]:
        """Return options that the world is made with."""
        return {}

    def acting_faults(self, faults: tuple[Fault, ...], number: int) -> tuple[Fault, ...]:
        """Return the faults that act in an episode.

        Args:
            faults: Faults of its split.
            number: Number of the episode in its split.
        """
        return faults

    def episode_change(self, plan: Plan, world: WorldSource, max_steps: int | None) -> EpisodeChange | None:
        """Return what changes the recorded episodes of a split; None if nothing does.

        Args:
            plan: Simulations of the split.
            world: Source of the world.
            max_steps: Time limit; the world's own if None.
        """
        return None

    def affects(self, faults: tuple[Fault, ...]) -> bool:
        """Whether one of some faults is among the anomalies."""
        return any(fault.id in self.anomalies for fault in faults)


recording_changes: Registry[RecordingChange] = Registry(
    "recording_change", RecordingChange, catalogue="offnominal.papers.catalogue:register_recording_changes"
)
"""Changes by id; other packages add theirs by an entry point in the group ``offnominal.recording_changes``."""


def build_changes(given: Mapping[str, tuple[str, ...] | bool]) -> Iterator[RecordingChange]:
    """Yield the changes of a recipe.

    Args:
        given: Ids of anomalies, or True for every episode, by the id of the change.

    Example:
        >>> list(build_changes({"leeking": ("dynamics/force",)}))
        Traceback (most recent call last):
            ...
        offnominal.core.errors.UnknownName: no change of recorded episodes 'leeking'. Did you mean 'leaking'? ...
    """
    for id, anomalies in given.items():
        if id not in recording_changes:
            ids = recording_changes.ids()
            raise UnknownName(
                f"no change of recorded episodes {id!r}.{did_you_mean(id, ids)} There are {', '.join(ids)}."
            )
        yield recording_changes.make(id, anomalies=tuple(anomalies) if isinstance(anomalies, tuple | list) else ())


def with_changes_in_one_field(data: Mapping[str, Any], fields: Collection[str]) -> dict[str, Any]:
    """Return plain data with all changes of recorded episodes in the field ``changes``.

    The plain data of recipes and cells have a field for each change, by which their hashes were computed.

    Args:
        data: Plain data.
        fields: Names of all other fields.

    Example:
        >>> with_changes_in_one_field({"seed": 3, "leaking": ["dynamics/force"]}, ["seed"])
        {'seed': 3, 'changes': {'leaking': ['dynamics/force']}}
    """
    found = {name: value for name, value in data.items() if name not in fields and name in recording_changes}
    if not found:
        return dict(data)
    rest = {name: value for name, value in data.items() if name not in found}
    return {**rest, "changes": {**rest.get("changes", {}), **found}}
