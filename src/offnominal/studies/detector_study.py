"""Studies of several detectors: the detectors of a study, and scales that choose and change them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from offnominal.core.checks import text
from offnominal.core.config import Config
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.detectors.images.features.published_weights import absent_weights
from offnominal.studies.base import BaseCell, BaseStudy
from offnominal.studies.scales import changes_of, check_integers, check_names, scale_of

BACKBONE = "weights of"
"""Between the name of a detector that was left out and that of its backbone."""


@dataclass(frozen=True)
class DetectorEntry(Config):
    """A detector of a study.

    Args:
        name: Name in tables.
        detector: Its registered id, or ``"package.module:Class"``; the name if empty.
        parameters: Arguments of its constructor.
        seeds: Training seeds, if not those of the study; one is enough for a deterministic detector.
    """

    name: str
    detector: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        text("the name of a detector", self.name)
        check_integers(self, 0, "seeds")
        if self.seeds == ():
            raise InvalidParameter(f"detector {self.name!r} has no seeds; name at least one, or leave them out.")

    @property
    def id(self) -> str:
        """Registered id or path of the class."""
        return self.detector or self.name


@dataclass(frozen=True)
class DetectorScale(Config):
    """Scale of a study of several detectors; None leaves a field of the study unchanged.

    Args:
        summary: One line for listings.
        detectors: Names of detectors in tables.
        seeds: Training seeds; a detector with seeds of its own keeps as many of them at most.
        data: Changed fields of the data.
        parameters: Changed parameters by the name of the detector in tables.
        replicates: Number of bootstrap replicates.
    """

    summary: str = ""
    detectors: tuple[str, ...] | None = None
    seeds: tuple[int, ...] | None = None
    data: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    replicates: int | None = None


class DetectorStudy(BaseStudy):
    """A study with the fields `detectors`, `seeds`, `data` and `replicates`, whose scales choose and change them."""

    if TYPE_CHECKING:

        @property
        def detectors(self) -> tuple[DetectorEntry, ...]:
            """Detectors."""

        @property
        def seeds(self) -> tuple[int, ...]:
            """Training seeds."""

        @property
        def data(self) -> Config:
            """Data."""

    def _check(self, *needed: str) -> None:
        """Raise an error for invalid names and numbers, for an empty field, or for two detectors with the same name."""
        check_names(self.name, self.scales)
        for what in ("detectors", "seeds", *needed):
            if not getattr(self, what):
                raise InvalidParameter(f"study {self.name!r} has no {what}; name at least one.")
        check_integers(self, 0, "seeds", "replicates")
        names = [entry.name for entry in self.detectors]
        if len(set(names)) < len(names):
            raise InvalidParameter(
                f"study {self.name!r} has two detectors with the same name among {', '.join(names)}."
            )
        for registry, name in self.targets():
            registry.find(name)

    def at(self, scale: str | None) -> Self:
        """Return the study at a scale, or unchanged if None."""
        if scale is None:
            return self
        change: DetectorScale = scale_of(self.name, self.scales, scale)
        entries = _named(self.detectors, change.detectors, f"scale {scale!r} of study {self.name!r}")
        _named(self.detectors, change.parameters, f"the parameters of scale {scale!r} of study {self.name!r}")
        return self.replace(**self._changes(change, entries))

    def _changes(self, change: DetectorScale, entries: tuple[DetectorEntry, ...]) -> dict[str, Any]:
        """Return the changed fields at a scale with some of the detectors."""
        detectors = tuple(
            entry.replace(
                parameters={**entry.parameters, **change.parameters.get(entry.name, {})},
                seeds=entry.seeds and entry.seeds[: len(change.seeds or entry.seeds)],
            )
            for entry in entries
        )
        data = type(self.data).from_dict({**self.data.to_dict(), **change.data})
        return changes_of(change, "data", "detectors", "parameters") | {"data": data, "detectors": detectors}

    def available_cells(self) -> tuple[Sequence[BaseCell], tuple[str, ...]]:
        """Return the cells of the detectors whose published weights are in the data home, and the names of the others.

        A run downloads no weights: ``offnominal backbones fetch`` does. If no detector has its weights, all cells are
        returned: running them downloads the weights, or explains how to.
        """
        absent = {entry.name: absent_weights(entry.parameters) for entry in self.detectors}
        left = [entry for entry in self.detectors if not absent[entry.name]]
        if not left or len(left) == len(self.detectors):
            return self.cells(), ()
        missing = (f"{name}: {BACKBONE} {weights}" for name, weights in absent.items() if weights)
        return self.with_detectors(left).cells(), tuple(missing)

    def with_detectors(self, entries: Iterable[DetectorEntry]) -> Self:
        """Return the study with some of its detectors, and with nothing that needs the others."""
        return self.replace(detectors=tuple(entries))

    def seeds_of(self, entry: DetectorEntry) -> tuple[int, ...]:
        """Return the training seeds of a detector."""
        return self.seeds if entry.seeds is None else entry.seeds


def _named(entries: tuple[DetectorEntry, ...], names: Iterable[str] | None, where: str) -> tuple[DetectorEntry, ...]:
    """Return the detectors of some names, in the order of the study; all if None."""
    known = [entry.name for entry in entries]
    wanted = known if names is None else list(names)
    for name in wanted:
        if name not in known:
            raise UnknownName(
                f"{where} names detector {name!r}.{did_you_mean(name, known)} It has: {', '.join(known)}."
            )
    return tuple(entry for entry in entries if entry.name in wanted)
