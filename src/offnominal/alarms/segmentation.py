"""Modes of operation that are learned from nominal observations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from offnominal.core.checks import numeric_array, positive_integer, require_shape
from offnominal.core.checksum import read_checked_json, write_checked_json
from offnominal.core.errors import DamagedFile, InvalidParameter, NotFitted
from offnominal.core.streams import Stream
from offnominal.core.types import FloatArray, IntArray

NONE = -1
"""Mode of an observation that is in none of the learned modes."""
ROUNDS = 100
FITTED = ("means_", "deviations_", "centres_", "radii_")
ENTRIES = {"modes", "seed", *FITTED}


@dataclass(eq=False)
class Segmentation:
    """Divides observations into modes, for :class:`~offnominal.alarms.mode_thresholds.ModeThresholds`.

    The modes are clusters of nominal observations (k-means, of standardised channels). An observation that is further
    from the nearest centre than every nominal one of its cluster is in mode -1, which no calibration has.

    Fit it on other episodes than those that calibrate the alarm, such as the training episodes of the detector: else
    the calibration is not exchangeable with new episodes.

    Args:
        modes: Number of modes.
        seed: Seed of the first centres.

    Attributes:
        means_: Mean of each channel.
        deviations_: Standard deviation of each channel; 1 for a constant one.
        centres_: (modes, channels) standardised centres.
        radii_: Largest distance of a nominal observation from the centre of its mode.

    Example:
        >>> random = np.random.default_rng(0)
        >>> walk, turn = random.normal(size=(2, 200, 3))
        >>> found = Segmentation(modes=2).fit([walk, turn + 9.0])
        >>> found.labels([[0.0, 0.0, 0.0], [9.0, 9.0, 9.0], [99.0, 0.0, 0.0]]).tolist()
        [0, 1, -1]
    """

    modes: int = 3
    seed: int = 0
    means_: FloatArray = field(init=False, repr=False)
    deviations_: FloatArray = field(init=False, repr=False)
    centres_: FloatArray = field(init=False, repr=False)
    radii_: FloatArray = field(init=False, repr=False)

    def fit(self, observations: Sequence[ArrayLike]) -> Self:
        """Learn the modes from nominal observations.

        Args:
            observations: (steps, channels) observations of each nominal episode.

        Raises:
            InvalidParameter: There are fewer different observations than modes, or a value is not finite.
        """
        k = positive_integer("modes", self.modes)
        parts = [_rows(each) for each in observations]
        if not parts or len({part.shape[1] for part in parts}) != 1:
            raise InvalidParameter(
                "the observations have no episode, or different channels; expected (steps, channels)."
            )
        values = np.concatenate(parts)
        if len(np.unique(values, axis=0)) < k:
            raise InvalidParameter(f"there are fewer different observations than {k} modes; choose fewer modes.")
        self.means_, deviations = values.mean(axis=0), values.std(axis=0)
        self.deviations_ = np.where(deviations > 0.0, deviations, 1.0)
        points = (values - self.means_) / self.deviations_
        centres = first_centres(points, k, self.seed)
        for _ in range(ROUNDS):
            nearest = _distances(points, centres).argmin(axis=1)
            moved = np.array(
                [
                    points[nearest == mode].mean(axis=0) if (nearest == mode).any() else centres[mode]
                    for mode in range(k)
                ]
            )
            if np.array_equal(moved, centres):
                break
            centres = moved
        # In the order of the first channel, so that the numbers of modes do not depend on the seed alone.
        self.centres_ = centres[np.lexsort(centres.T[::-1])]
        distances = _distances(points, self.centres_)
        nearest = distances.argmin(axis=1)
        self.radii_ = np.array([distances[nearest == mode, mode].max(initial=0.0) for mode in range(k)])
        return self

    def labels(self, observations: ArrayLike) -> IntArray:
        """Return the mode of each of (steps, channels) observations; -1 for one that is in none."""
        if "centres_" not in vars(self):
            raise NotFitted("the segmentation is not fitted; call fit with nominal observations first.")
        values = _rows(observations)
        require_shape("observations", values, "steps", len(self.means_))
        distances = _distances((values - self.means_) / self.deviations_, self.centres_)
        nearest: IntArray = distances.argmin(axis=1)
        inside = distances[np.arange(len(values)), nearest] <= self.radii_[nearest] * (1.0 + 1e-9)
        return np.where(inside, nearest, NONE)

    def save(self, path: Path | str) -> None:
        """Save the fitted modes, as JSON with a checksum.

        Example:
            >>> from tempfile import TemporaryDirectory
            >>> folder = TemporaryDirectory()
            >>> Segmentation(modes=1).fit([[[0.0], [2.0]]]).save(f"{folder.name}/modes.json")
            >>> Segmentation.load(f"{folder.name}/modes.json").means_
            array([1.])
        """
        if "centres_" not in vars(self):
            raise NotFitted("the segmentation is not fitted; call fit with nominal observations first.")
        arguments = {"modes": int(self.modes), "seed": int(self.seed)}
        write_checked_json(Path(path), arguments | {name: getattr(self, name).tolist() for name in FITTED})

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Load modes that :meth:`save` saved.

        Raises:
            MissingFile: There is no such file.
            DamagedFile: The file was changed, or does not have modes.
        """
        data = read_checked_json(Path(path))
        if data.keys() != ENTRIES:
            raise DamagedFile(f"{path} is not a segmentation; expected the entries {', '.join(sorted(ENTRIES))}.")
        try:
            found = cls(positive_integer("modes", data["modes"]), data["seed"])
            for name in FITTED:
                setattr(found, name, numeric_array(name, data[name]).astype(np.float64))
            require_shape("centres_", found.centres_, found.modes, "channels")
            for name, size in (("means_", found.centres_.shape[1]), ("deviations_", found.centres_.shape[1])):
                require_shape(name, getattr(found, name), size)
            require_shape("radii_", found.radii_, found.modes)
        except InvalidParameter as error:
            raise DamagedFile(f"{path} is damaged: {error}") from None
        return found


def first_centres(points: FloatArray, k: int, seed: int) -> FloatArray:
    """Return k of the points as first centres, each with a probability that grows with its distance from the others."""
    random = Stream.named(seed, 0, "segmentation").generator()
    chosen = [points[random.integers(len(points))]]
    while len(chosen) < k:
        distances = _distances(points, np.array(chosen)).min(axis=1) ** 2
        chosen.append(points[random.choice(len(points), p=distances / distances.sum())])
    return np.array(chosen)


def _distances(points: FloatArray, centres: FloatArray) -> FloatArray:
    found = [np.sqrt(((points - centre) ** 2).sum(axis=1)) for centre in centres]
    return np.stack(found, axis=1)


def _rows(values: ArrayLike) -> FloatArray:
    given = numeric_array("observations", values).astype(np.float64)
    require_shape("observations", given, "steps", "channels")
    if not np.isfinite(given).all():
        raise InvalidParameter("an observation is not finite; leave out such steps.")
    return given
