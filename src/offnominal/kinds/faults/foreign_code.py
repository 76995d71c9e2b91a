"""The code that generates episodes: the registered objects, and the version of the code of other packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gymnasium

from offnominal.anomalies.catalogue import anomalies
from offnominal.core.errors import UnknownName
from offnominal.core.files import sha256_of
from offnominal.core.imported_modules import OURS
from offnominal.core.registry import Registry
from offnominal.datasets.recording_changes import recording_changes
from offnominal.studies.code import Sources
from offnominal.studies.code_version import Used
from offnominal.worlds.catalogue import NAMESPACE, worlds
from offnominal.worlds.named_world import is_factory


def foreign_version(world: str, policy: str, faults: Iterable[str], changes: Iterable[str] = ()) -> str:
    """Return a hash of the source code of other packages that generates episodes, and of raised versions of ours.

    It is empty if there are none of them.

    Args:
        world: Name of the world.
        policy: Name of the policy.
        faults: Ids of the anomalies.
        changes: Ids of changes of recorded episodes.

    Example:
        >>> foreign_version("SAP-Goal0-v0", "expert", ["action/noise"])
        ''
    """
    faults, changes = list(faults), list(changes)
    targets = [*_of_world(world), *([policy] if is_factory(policy) else [])]
    targets += [*_registered(anomalies, faults), *_registered(recording_changes, changes)]
    foreign = sorted({target for target in targets if target.partition(".")[0].partition(":")[0] != OURS})
    sources = Sources()
    versions = [_version(sources, target) for target in foreign]
    # At the first version nothing is added: datasets that were generated before stay valid.
    recorded = ((registry, registry.spec(id)) for registry, id, _ in recorded_objects(world, faults, changes))
    versions += sorted(f"{registry.kind}/{spec.id} {spec.version}" for registry, spec in recorded if spec.version > 1)
    return sha256_of("\n".join(versions)) if versions else ""


def recorded_objects(world: str, faults: Iterable[str], changes: Iterable[str] = ()) -> Iterator[Used]:
    """Yield the registered world, anomalies and changes of this package that decide recorded episodes.

    Those of other packages are part of the hash of the data; see :func:`foreign_version`.

    Args:
        world: Name of the world.
        faults: Ids of anomalies.
        changes: Ids of changes of recorded episodes.
    """
    of: list[tuple[Registry[Any], str]] = [(worlds, world.removeprefix(f"{NAMESPACE}/"))]
    of += [*((anomalies, id) for id in faults), *((recording_changes, id) for id in changes)]
    for registry, id in of:
        if id in registry and registry.spec(id).target.partition(".")[0] == OURS:
            yield registry, id, {}


def _of_world(world: str) -> Iterator[str]:
    """Yield the target of a function, of a registered world, or of a Gymnasium environment."""
    if is_factory(world):
        yield world
    elif (id := world.removeprefix(f"{NAMESPACE}/")) in worlds:
        yield worlds.spec(id).target
    elif world in gymnasium.registry:
        made_by: Any = gymnasium.registry[world].entry_point
        if made_by is not None:
            yield (
                made_by
                if isinstance(made_by, str)
                else f"{made_by.__module__}:{getattr(made_by, '__qualname__', type(made_by).__name__)}"
            )


def _registered(registry: Registry[Any], ids: Iterable[str]) -> Iterator[str]:
    yield from (registry.spec(id).target for id in ids if id in registry)


def _version(sources: Sources, target: str) -> str:
    """Return the version of a target, or its name if there is no source of it."""
    try:
        return sources.version(target)
    except UnknownName:
        return target
