"""Recipes: everything that decides the bytes of a dataset, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from offnominal.anomalies.fault import Fault
from offnominal.anomalies.schedule import Schedule
from offnominal.anomalies.strengths import LEVELS, strengths_of
from offnominal.core.checks import positive_integer, shown
from offnominal.core.config import Config
from offnominal.core.episode import FRAMES
from offnominal.core.errors import InvalidParameter, UnknownName, did_you_mean
from offnominal.core.streams import check_seed, row_seeds
from offnominal.core.types import IntArray
from offnominal.datasets.split_metadata import FORMAT
from offnominal.rollouts.frame_recorder import check_camera
from offnominal.rollouts.recorders import OUTCOMES
from offnominal.worlds.pixel_observations import CameraKind

SEED = 10_000_000
SPACING = 1_000_000
CAMERA = "camera"
EXTRAS = ("clean_observations", "executed_actions", "applied")

Strengths = Mapping[tuple[str, str], float]
"""Parameters by (anomaly, level)."""


@dataclass(frozen=True)
class FaultCell(Config):
    """An anomaly at a named strength.

    Example:
        >>> FaultCell("action/noise", "tiny", 0.1).name
        'action/noise@tiny'
    """

    anomaly: str
    level: str
    parameter: float

    @property
    def name(self) -> str:
        """Name of its split."""
        return f"{self.anomaly}@{self.level}"


@dataclass(frozen=True)
class Plan:
    """What is to be simulated for one split.

    Args:
        name: Of the split.
        seeds: One per episode.
        faults: What is injected into every episode.
    """

    name: str
    seeds: IntArray
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class Recipe(Config):
    """How a dataset is made. Equal recipes give equal bytes on equal platforms and versions.

    Args:
        world: Id of the world.
        policy: Who acts: the algorithm of the shipped expert, or a name its owner gave it.
        policy_sha256: Hash of the policy's weights; empty if it has none.
        episodes: Episodes of the test split and of each fault.
        nominal: Episodes of the training split.
        validation: Episodes of the validation split; if None, a tenth of `nominal`, rounded up.
        seed: Of the first training episode; the other splits follow at a distance of a million.
        cells: What goes wrong and how hard; a split each.
        schedule: When.
        twins: Whether the nominal episodes of the faults' seeds are recorded too.
        extras: Signals beside the usual ones.
        frames: Whether what a camera sees is recorded.
        camera: What it shows while an observation is faulty: ``"clean"`` or ``"affected"``.
        format: Version of the layout of the files.

    Example:
        >>> recipe = Recipe("SAP-Goal0-v0", "tqc", episodes=20, cells=(FaultCell("action/noise", "tiny", 0.1),))
        >>> for plan in recipe.plans():
        ...     print(plan.name, len(plan.seeds), plan.seeds[0])
        train 100 10000000
        validation 10 11000000
        test 20 12000000
        action/noise@tiny 20 13000000
    """

    world: str
    policy: str
    policy_sha256: str = ""
    episodes: int = 100
    nominal: int = 100
    validation: int | None = None
    seed: int = SEED
    cells: tuple[FaultCell, ...] = ()
    schedule: Schedule = Schedule()
    twins: bool = False
    extras: tuple[str, ...] = ()
    frames: bool = False
    camera: CameraKind = "clean"
    format: int = FORMAT

    def __post_init__(self) -> None:
        validation = 1 if self.validation is None else self.validation
        sizes = {"episodes": self.episodes, "nominal": self.nominal, "validation": validation}
        for name, size in sizes.items():
            if isinstance(size, int) and size > SPACING:
                raise InvalidParameter(f"{name} is {shown(size)}; at most {SPACING:,}, or seeds would be used twice.")
            positive_integer(name, size)
        row_seeds(check_seed(self.seed) + 3 * SPACING, self.episodes)
        for name in self.extras:
            if name not in EXTRAS:
                raise UnknownName(f"no extra {name!r}.{did_you_mean(name, EXTRAS)} Choose from {', '.join(EXTRAS)}.")
        object.__setattr__(self, "extras", tuple(sorted(set(self.extras), key=EXTRAS.index)))
        check_camera(self.camera, frames=self.frames)
        for cell in self.cells:
            if cell.anomaly.startswith(f"{CAMERA}/") and not self.frames:
                raise InvalidParameter(f"{cell.anomaly} changes nothing but frames; record them with frames=True.")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a recipe without frames does not speak of them, so it has the hash it always had."""
        return super().to_dict() if self.frames else without(super().to_dict(), frames=False, camera="clean")

    @property
    def n_validation(self) -> int:
        """Episodes of the validation split."""
        return -(-self.nominal // 10) if self.validation is None else self.validation

    @property
    def signals(self) -> tuple[str, ...]:
        """What is recorded beside observations, actions, rewards and labels."""
        return (*OUTCOMES, *self.extras, *([FRAMES] if self.frames else []))

    def seeds(self) -> dict[str, IntArray]:
        """Return the seeds of each split, in order; faults share theirs with each other and the twins."""
        train, validation, test, faulty = (self.seed + place * SPACING for place in range(4))
        nominal = {
            "train": row_seeds(train, self.nominal),
            "validation": row_seeds(validation, self.n_validation),
            "test": row_seeds(test, self.episodes),
        }
        names = ["twins"] * self.twins + [cell.name for cell in self.cells]
        return nominal | dict.fromkeys(names, row_seeds(faulty, self.episodes))

    def plans(self) -> list[Plan]:
        """Return what is to be simulated, split by split."""
        faults = {cell.name: (Fault(cell.anomaly, cell.parameter, self.schedule),) for cell in self.cells}
        return [Plan(name, seeds, faults.get(name, ())) for name, seeds in self.seeds().items()]


def without(data: dict[str, Any], **left_out: Any) -> dict[str, Any]:
    """Return plain data without the fields that have these values.

    Example:
        >>> without({"size": 3, "frames": None}, frames=None)
        {'size': 3}
    """
    return {name: value for name, value in data.items() if name not in left_out or value != left_out[name]}


def cells_of(
    world: str,
    *,
    strengths: Strengths | None = None,
    anomalies: Iterable[str] | None = None,
    levels: Iterable[str] | None = None,
) -> tuple[FaultCell, ...]:
    """Return the cells of a world, or some of them.

    Args:
        world: Id of the world.
        strengths: Parameters by (anomaly, level); those of the shipped table if None.
        anomalies: Only these.
        levels: Only these.
    """
    table = strengths_of(world) if strengths is None else strengths
    wanted = _chosen("anomaly", anomalies, {anomaly for anomaly, _ in table}, world)
    depths = _chosen("level", levels, {level for _, level in table}, world)
    cells = [FaultCell(*key, float(value)) for key, value in table.items() if key[0] in wanted and key[1] in depths]
    return tuple(sorted(cells, key=lambda cell: (cell.anomaly, rank(cell.level))))


def rank(level: str) -> tuple[int, str]:
    """Return where a level stands among others: ours from tiny to extreme, then those with other names."""
    known = list(LEVELS)
    return (known.index(level) if level in known else len(known)), level


def _chosen(kind: str, given: Iterable[str] | None, known: set[str], world: str) -> set[str]:
    if given is None:
        return known
    wanted = [given] if isinstance(given, str) else list(given)
    for name in wanted:
        if name not in known:
            raise UnknownName(
                f"no {kind} {name!r} has a known strength in {world}.{did_you_mean(name, known)} "
                f"Known: {', '.join(sorted(known)) or 'none'}."
            )
    return set(wanted)
