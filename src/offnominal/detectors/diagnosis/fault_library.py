"""A library of known faults, which are recognised by their signature."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from offnominal.core.checks import instance_of, number_in, positive_integer, text
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, InvalidParameter, UnsupportedFormat
from offnominal.detectors.diagnosis.explanation import Explanation
from offnominal.detectors.diagnosis.fault_matches import UNKNOWN, FaultMatch, FaultMatches
from offnominal.detectors.diagnosis.signature import N_SHAPE, Signature

FORMAT = 1


class FaultLibrary:
    """Signatures of recorded faults of one detector, and the nearest ones to an episode.

    Nothing is guaranteed about unknown faults: one whose signature resembles a known fault gets its name.

    Args:
        n_neighbors: Number of signatures of a fault whose mean distance counts; all if it has fewer.
        quantile: Share of recorded episodes that their own fault, recorded without them, would recognise. It sets the
            distance beyond which a fault is unknown.

    Example:
        >>> FaultLibrary()
        FaultLibrary(0 signatures of 0 faults)
    """

    def __init__(self, *, n_neighbors: int = 3, quantile: float = 0.95) -> None:
        self.n_neighbors = positive_integer("n_neighbors", n_neighbors)
        self.quantile = number_in("quantile", quantile, 0.0, 1.0)
        self.channels: tuple[str, ...] = ()
        self.detector = ""
        self._names: list[str] = []
        self._signatures: list[Signature] = []
        self._limit: float | None = None

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"FaultLibrary({len(self)} signatures of {len(self.faults)} faults)"

    @property
    def faults(self) -> list[str]:
        """Names of the recorded faults."""
        return list(dict.fromkeys(self._names))

    def record(self, name: str, explanation: Explanation, *, onset: int | None = None) -> None:
        """Add an episode with a known fault.

        Args:
            name: Name of the fault; ``"unknown"`` is reserved.
            explanation: Its explanation, with a nominal reference.
            onset: Onset, if it is known; the estimated one if None.

        Raises:
            InvalidParameter: The explanation is of another detector or other channels, or it has no onset.
        """
        if text("the name of a fault", name) == UNKNOWN:
            raise InvalidParameter(f"the name of a fault is {UNKNOWN!r}, which is reserved; choose another.")
        self._check(explanation)
        signature = Signature.of(explanation, onset=onset)
        self.channels, self.detector = explanation.channels, explanation.detector
        self._names.append(name)
        self._signatures.append(signature)
        self._limit = None

    def nearest(self, explanation: Explanation) -> FaultMatches:
        """Return the recorded faults, nearest first.

        Args:
            explanation: Explanation of an episode, with a nominal reference and an onset.

        Raises:
            InvalidParameter: Nothing was recorded, the explanation is of another detector or other channels, or no
                onset was found.
        """
        if not self._names:
            raise InvalidParameter("the library has no faults; record some first.")
        self._check(explanation)
        return FaultMatches(tuple(self._ranked(Signature.of(explanation))), self.limit())

    def limit(self) -> float:
        """Return the distance beyond which a fault is unknown; infinite if no fault was recorded twice."""
        if self._limit is not None:
            return self._limit
        own = [
            dict(self._ranked(signature, without=number))[name]
            for number, (name, signature) in enumerate(zip(self._names, self._signatures, strict=True))
            if self._names.count(name) > 1
        ]
        self._limit = float(np.quantile(own, self.quantile)) if own else float("inf")
        return self._limit

    def _ranked(self, signature: Signature, *, without: int | None = None) -> list[FaultMatch]:
        """Return all faults by their distance from a signature, compared with all recorded ones but one."""
        distances: dict[str, list[float]] = {}
        for number, (name, other) in enumerate(zip(self._names, self._signatures, strict=True)):
            if number != without:
                distances.setdefault(name, []).append(signature.distance(other))
        means = {name: float(np.mean(sorted(each)[: self.n_neighbors])) for name, each in distances.items()}
        return sorted((FaultMatch(*pair) for pair in means.items()), key=lambda match: match.distance)

    def _check(self, explanation: Explanation) -> None:
        instance_of("the explanation", explanation, Explanation)
        if self._names and (explanation.channels, explanation.detector) != (self.channels, self.detector):
            raise InvalidParameter(
                f"the explanation is of {explanation.detector} with {len(explanation.channels)} channels; the library "
                f"is of {self.detector} with {len(self.channels)}. Give the channels the same names."
            )

    def save(self, path: Path | str) -> None:
        """Write the library as JSON with a checksum, atomically.

        Args:
            path: Path of the file.
        """
        write_checked_json(
            Path(path),
            {
                "format": FORMAT,
                "detector": self.detector,
                "channels": list(self.channels),
                "n_neighbors": self.n_neighbors,
                "quantile": self.quantile,
                "faults": [
                    {"name": name, "signature": signature.values()}
                    for name, signature in zip(self._names, self._signatures, strict=True)
                ],
            },
        )

    @classmethod
    def load(cls, path: Path | str) -> FaultLibrary:
        """Read a library.

        Raises:
            MissingFile: There is no such file.
            DamagedFile: It is no library of faults, or was changed.
        """
        data = read_checked_json(Path(path))
        if data.get("format", FORMAT) != FORMAT:
            raise UnsupportedFormat(f"{path} has format {data['format']!r}; this version reads format {FORMAT}.")
        try:
            return cls._from(data)
        except (KeyError, TypeError, ValueError) as error:
            raise DamagedFile(f"{path} is no library of faults ({type(error).__name__}: {error}).") from None

    @classmethod
    def _from(cls, data: dict[str, Any]) -> FaultLibrary:
        library = cls(n_neighbors=data["n_neighbors"], quantile=data["quantile"])
        library.detector = str(data["detector"])
        library.channels = tuple(text("the name of a channel", name) for name in data["channels"])
        width = 2 * len(library.channels) + N_SHAPE
        for fault in data["faults"]:
            values = np.array(fault["signature"], np.float64)
            if values.shape != (width,) or not np.isfinite(values).all() or (values[:-N_SHAPE] < 0.0).any():
                raise ValueError(f"a signature is not {width} finite numbers")
            library._names.append(text("the name of a fault", fault["name"]))
            library._signatures.append(Signature.from_values(values))
        return library
